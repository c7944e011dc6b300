"""The web service: addresses, and what is done at each; nothing but these is ever served."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from lexalign.explore import answers
from lexalign.explore.explorer import Explorer
from lexalign.explore.guard import Guard
from lexalign.explore.requests import (
    LARGEST_BODY,
    LONGEST_QUERY,
    MOST_POINTS,
    QueryParameters,
    RefusedError,
    read_dictionary,
)
from lexalign.explore.schema import SCHEMA
from lexalign.explore.space import Space
from lexalign.explore.suggestions import spellings
from lexalign.explore.vocabulary_answer import vocabulary_answer
from lexalign.libraries import require

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

VOCABULARY_FILES = (
    "vocabulary.css",
    "vocabulary.js",
    "vocabulary_camera.js",
    "vocabulary_drawing.js",
    "vocabulary_gestures.js",
    "vocabulary_labels.js",
    "vocabulary_list.js",
    "vocabulary_points.js",
    "vocabulary_words.js",
)
STATIC = {
    "/": ("index.html", "text/html"),
    "/explore.css": ("explore.css", "text/css"),
    "/explore.js": ("explore.js", "text/javascript"),
    "/api.js": ("api.js", "text/javascript"),
    "/elements.js": ("elements.js", "text/javascript"),
    "/map.js": ("map.js", "text/javascript"),
    "/results.js": ("results.js", "text/javascript"),
    "/check.js": ("check.js", "text/javascript"),
    "/vocabulary": ("vocabulary.html", "text/html"),
    **{
        f"/{name}": (name, "text/css" if name.endswith(".css") else "text/javascript")
        for name in VOCABULARY_FILES
    },
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
SUGGESTIONS = 6
COMPLETIONS = 8
BODY_SECONDS = 30.0

Answer = TypeVar("Answer")
WordAnswer = Callable[[Space, str, int, float, int], dict[str, Any]]


def require_web_packages() -> None:
    """Refuse, before any work, an installation that cannot serve a page."""
    require("starlette", "threadpoolctl", "uvicorn", feature="Exploring a run", extra="explore")


def make_service(explorer: Explorer, hosts: tuple[str, ...]) -> Guard:
    """The application for ``explorer``, which answers to the names ``hosts``."""
    from anyio import CapacityLimiter
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    # As many searches at once as there are processors; more would only slow each other down.
    limiter = CapacityLimiter(max(1, os.cpu_count() or 1))

    async def computed(function: Callable[..., Answer], *arguments: Any) -> Answer:
        from anyio import to_thread

        return await to_thread.run_sync(partial(function, *arguments), limiter=limiter)

    def answer(
        known: tuple[str, ...], answered: Callable[[QueryParameters], Awaitable[dict[str, Any]]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            _require_short(request)
            return JSONResponse(
                await answered(QueryParameters(request.query_params.multi_items(), known))
            )

        return endpoint

    def about_word(
        make: WordAnswer, most: int | None = None
    ) -> Callable[[QueryParameters], Awaitable[dict[str, Any]]]:
        async def answered(query: QueryParameters) -> dict[str, Any]:
            word, sides, position = query.word("word"), query.sides(), query.position()
            k = query.count() if most is None else query.count(most=most)
            space = explorer.view().space
            place = _place(space, word, sides)
            if place is None:
                close = await computed(answers.suggestions, explorer, word, SUGGESTIONS)
                raise _unknown(word, close)
            return await computed(make, space, *place, position, k)

        return answered

    async def about(query: QueryParameters) -> dict[str, Any]:
        return answers.about(explorer, explorer.view())

    async def schema(query: QueryParameters) -> dict[str, Any]:
        return SCHEMA

    async def words(query: QueryParameters) -> dict[str, Any]:
        prefix, k = query.word("prefix"), query.count(default=COMPLETIONS)
        return await computed(answers.completions, explorer, query.sides(), prefix, k)

    async def check(request: Request) -> Response:
        _require_short(request)
        QueryParameters(request.query_params.multi_items(), ())
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RefusedError(
                415, "bad-content-type", "The body must be of the type application/json."
            )
        side, lexicon = read_dictionary(await _body(request))
        return JSONResponse(await computed(answers.checked, explorer.view().space, side, lexicon))

    of_word = ("word", "side", "t", "k")
    routes = [
        Route("/api/about", answer((), about)),
        Route("/api/schema", answer((), schema)),
        Route("/api/words", answer(("prefix", "side", "k"), words)),
        Route("/api/translate", answer(of_word, about_word(answers.translate))),
        Route("/api/neighbours", answer(of_word, about_word(answers.neighbours))),
        Route("/api/map", answer(of_word, about_word(answers.mapped, MOST_POINTS))),
        Route("/api/vocabulary", answer((), partial(vocabulary_answer, explorer, computed))),
        Route("/api/check", check, methods=["POST"]),
        *(
            Route(address, _file(Response(content=content, media_type=kind)))
            for address, (content, kind) in _static_files().items()
        ),
    ]
    app = Starlette(routes=routes, exception_handlers=_exception_handlers())
    app.router.redirect_slashes = False
    return Guard(app, hosts)


_FAILURES = {
    404: ("not-found", "There is nothing at this address; see /api/schema."),
    405: ("bad-method", "This address does not take that method; see /api/schema."),
    500: ("failed", "The request could not be answered; the terminal of the server says why."),
}


def _exception_handlers() -> dict[Any, Any]:
    """Answer a refused request, and any failure, with one sentence."""
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect
    from starlette.responses import JSONResponse, Response

    async def gone(request: Request, error: Exception) -> Response:
        return Response(status_code=499)  # nobody is there to read it

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, RefusedError)
        return JSONResponse(error.as_dict(), error.status)

    async def failed(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        code, message = _FAILURES.get(status, _FAILURES[500])
        headers = error.headers if isinstance(error, HTTPException) else None
        return JSONResponse(RefusedError(status, code, message).as_dict(), status, headers)

    return {
        ClientDisconnect: gone,
        RefusedError: refused,
        HTTPException: failed,
        Exception: failed,
    }


def _place(space: Space, word: str, sides: tuple[str, ...]) -> tuple[str, int] | None:
    """The first language that knows the word, and its row there."""
    for spelling in spellings(word):
        for side in sides:
            row = space.row(side, spelling)
            if row is not None:
                return side, row
    return None


def _unknown(word: str, close: list[dict[str, str]]) -> RefusedError:
    perhaps = f"; perhaps {close[0]['word']!r} was meant." if close else "; check its spelling."
    return RefusedError(404, "unknown-word", f"The word {word!r} is not known{perhaps}", close)


def _require_short(request: Request) -> None:
    if len(request.scope["query_string"]) > LONGEST_QUERY:
        raise RefusedError(414, "too-long", "The address is too long; shorten what is asked for.")


async def _body(request: Request) -> bytes:
    """The body, unless it is too large or too slow; then the rest of it is not even read."""
    from anyio import fail_after

    body = b""
    try:
        with fail_after(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST_BODY:
                    raise RefusedError(
                        413, "too-large", f"The body may have {LARGEST_BODY // 1024} KB; send less."
                    )
    except TimeoutError:
        raise RefusedError(
            408, "too-slow", f"The body took more than {BODY_SECONDS:.0f} s; send it again."
        ) from None
    return body


def _file(response: Response) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return response

    return endpoint


def _static_files() -> dict[str, tuple[bytes, str]]:
    """All files of the page, read once: no request ever touches the disk."""
    home = files("lexalign.explore") / "static"
    return {address: ((home / name).read_bytes(), kind) for address, (name, kind) in STATIC.items()}
