"""The web service: its pages and addresses; nothing but these is ever served."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from lexalign.explore.endpoints import Endpoints
from lexalign.explore.explorer import Explorer
from lexalign.explore.guard import Guard
from lexalign.explore.requests import RefusedError
from lexalign.libraries import require

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

SHELL = "shell.html"
"""What all pages have: the top, the links and the end."""


class Page(NamedTuple):
    """The content of a page, its script, and its title."""

    content: str
    script: str
    title: str


PAGES = {
    "/": Page("look-up.html", "explore.js", "Look up"),
    "/review": Page("review.html", "review.js", "Dictionary"),
    "/check": Page("check.html", "check.js", "Check a dictionary"),
    "/vocabulary": Page("vocabulary.html", "vocabulary.js", "Map of the vocabulary"),
}
MISSING = Page("missing.html", "missing.js", "No such page")
SCRIPTS = (
    "api",
    "check",
    "combobox",
    "elements",
    "explore",
    "map",
    "missing",
    "results",
    "review",
    "shell",
    "vocabulary",
    "vocabulary_camera",
    "vocabulary_drawing",
    "vocabulary_gestures",
    "vocabulary_labels",
    "vocabulary_list",
    "vocabulary_points",
    "vocabulary_words",
)
STATIC = {
    **{f"/{name}.js": (f"{name}.js", "text/javascript") for name in SCRIPTS},
    "/explore.css": ("explore.css", "text/css"),
    "/vocabulary.css": ("vocabulary.css", "text/css"),
    "/print.css": ("print.css", "text/css"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}


def require_web_packages() -> None:
    """Raise, before any work, if the packages that serve a page are missing."""
    require("starlette", "threadpoolctl", "uvicorn", feature="Exploring a run", extra="explore")


def make_service(explorers: Sequence[Explorer], hosts: tuple[str, ...]) -> Guard:
    """The application for one or several runs, which answers to the names ``hosts``."""
    from starlette.applications import Starlette

    app = Starlette(
        routes=[*_interface(Endpoints(explorers)), *_files()],
        exception_handlers=_exception_handlers(),
    )
    app.router.redirect_slashes = False
    return Guard(app, hosts)


def _interface(endpoints: Endpoints) -> list[Route]:
    from starlette.routing import Route

    return [
        Route("/api/about", endpoints.about),
        Route("/api/schema", endpoints.schema),
        Route("/api/words", endpoints.words),
        Route("/api/translate", endpoints.translate),
        Route("/api/neighbours", endpoints.neighbours),
        Route("/api/map", endpoints.map),
        Route("/api/vocabulary", endpoints.vocabulary),
        Route("/api/dictionary", endpoints.dictionary),
        Route("/api/review", endpoints.review, methods=["POST"]),
        Route("/api/review/seeds", endpoints.seeds),
        Route("/api/check", endpoints.start_check, methods=["POST"]),
        Route("/api/check", endpoints.check),
        Route("/api/check/table", endpoints.check_table),
    ]


def _files() -> list[Route]:
    """The pages and their files, read once: no request ever touches the disk."""
    from starlette.responses import Response
    from starlette.routing import Route

    def served(content: bytes, kind: str) -> Callable[[Request], Awaitable[Response]]:
        response = Response(content=content, media_type=kind)

        async def endpoint(request: Request) -> Response:
            return response

        return endpoint

    pages = {address: (_whole_page(page), "text/html") for address, page in PAGES.items()}
    parts = {address: (_static_file(name), kind) for address, (name, kind) in STATIC.items()}
    return [Route(address, served(*file)) for address, file in {**pages, **parts}.items()]


def _whole_page(page: Page) -> bytes:
    """A page within the shell."""
    content = _static_file(page.content).decode().rstrip()
    shell = Template(_static_file(SHELL).decode())
    return shell.substitute(title=page.title, script=page.script, main=content).encode()


def _static_file(name: str) -> bytes:
    return (files("lexalign.explore") / "static" / name).read_bytes()


_FAILURES = {
    404: ("not-found", "There is nothing at this address; see /api/schema."),
    405: ("bad-method", "This address does not take that method; see /api/schema."),
    500: ("failed", "The request failed; see the terminal of the server for the reason."),
}


def _exception_handlers() -> dict[Any, Any]:
    """Answer a refused request, and any failure, with one sentence, or a page if one was asked."""
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect
    from starlette.responses import JSONResponse, Response

    missing = _whole_page(MISSING)

    async def gone(request: Request, error: Exception) -> Response:
        return Response(status_code=499)  # nobody is there to read it

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, RefusedError)
        return JSONResponse(error.as_dict(), error.status)

    async def failed(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if status == 404 and "text/html" in request.headers.get("accept", ""):
            return Response(missing, 404, media_type="text/html")
        code, message = _FAILURES.get(status, _FAILURES[500])
        headers = error.headers if isinstance(error, HTTPException) else None
        return JSONResponse(RefusedError(status, code, message).as_dict(), status, headers)

    return {
        ClientDisconnect: gone,
        RefusedError: refused,
        HTTPException: failed,
        Exception: failed,
    }
