"""What is answered at each address of the interface."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from lexalign.explore import answers
from lexalign.explore.checks import SORTS as CHECK_SORTS
from lexalign.explore.checks import Checks
from lexalign.explore.explorer import Explorer
from lexalign.explore.requests import (
    LARGEST_BODY,
    LARGEST_DICTIONARY,
    LONGEST_QUERY,
    MOST_POINTS,
    ORDERS,
    SIDES,
    QueryParameters,
    RefusedError,
    read_changes,
    read_dictionary,
)
from lexalign.explore.run_dictionary import SORTS, STATES, Selection
from lexalign.explore.schema import SCHEMA
from lexalign.explore.space import Space
from lexalign.explore.vocabulary_answer import drawn, require_vocabulary
from lexalign.explore.word_search import find_word
from lexalign.explore.workbench import SEEDS_FILE, Workbench

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

SUGGESTIONS = 6
COMPLETIONS = 8
ENTRIES = 50
CHECK_FILE = "checked.tsv"
BODY_SECONDS = 30.0

Answer = TypeVar("Answer")
WordAnswer = Callable[[Space, str, int, float, int], dict[str, Any]]


class Endpoints:
    """The addresses of one or several runs; ``?run=2`` asks the second."""

    def __init__(self, explorers: Sequence[Explorer]) -> None:
        from anyio import CapacityLimiter

        self._explorers, self._checks = explorers, Checks()
        # As many searches at once as there are processors; more would only slow each other down.
        self._limiter = CapacityLimiter(max(1, os.cpu_count() or 1))

    async def about(self, request: Request) -> Response:
        """The run, and how far the preparation is."""
        explorer, _ = self._asked(request)
        return _json({**answers.about(explorer, explorer.view()), "runs": len(self._explorers)})

    async def schema(self, request: Request) -> Response:
        """The interface itself."""
        self._asked(request)
        return _json(SCHEMA)

    async def words(self, request: Request) -> Response:
        """Completions of what was typed."""
        explorer, query = self._asked(request, "prefix", "side", "k")
        prefix, k = query.word("prefix"), query.count(default=COMPLETIONS)
        return _json(await self._computed(answers.completions, explorer, query.sides(), prefix, k))

    async def translate(self, request: Request) -> Response:
        """Translations of a word."""
        return await self._about_word(request, answers.translate)

    async def neighbours(self, request: Request) -> Response:
        """The nearest words of both languages."""
        return await self._about_word(request, answers.neighbours)

    async def map(self, request: Request) -> Response:
        """The neighbourhood of a word on a plane."""
        return await self._about_word(request, answers.mapped, MOST_POINTS)

    async def vocabulary(self, request: Request) -> Response:
        """The map of the vocabulary."""
        explorer, _ = self._asked(request)
        return _json(await self._computed(drawn, require_vocabulary(explorer.view())))

    async def dictionary(self, request: Request) -> Response:
        """A part of the induced dictionary."""
        known = ("sort", "order", "state", "text", "low", "high", "offset", "k")
        explorer, query = self._asked(request, *known)
        explorer.view()
        selection = Selection(
            query.choice("sort", SORTS),
            query.choice("order", ORDERS) == "descending",
            query.choice("state", STATES),
            query.text("text"),
            query.share("low", "0"),
            query.share("high", "1"),
        )
        bench, k = _workbench(explorer), query.count(default=ENTRIES)
        return _json(await self._computed(bench.browse, selection, query.offset(), k))

    async def review(self, request: Request) -> Response:
        """Keep decisions about pairs."""
        explorer, _ = self._asked(request)
        changes = read_changes(await _json_body(request))
        return _json(await self._computed(_workbench(explorer).decide, changes))

    async def seeds(self, request: Request) -> Response:
        """The reviewed pairs as a file of seeds."""
        explorer, query = self._asked(request, "old")
        with_old = query.choice("old", ("yes", "no")) == "yes"
        seeds = partial(_workbench(explorer).seeds, with_old=with_old)
        return _download(await self._computed(seeds), SEEDS_FILE)

    async def start_check(self, request: Request) -> Response:
        """Begin to check a dictionary."""
        explorer, _ = self._asked(request)
        body = await _json_body(request, LARGEST_DICTIONARY)
        side, lexicon = await self._computed(read_dictionary, body)
        number = self._checks.start(explorer.view().space, side, lexicon)
        return _json(self._checks.page(number, "line", False, 0, ENTRIES))

    async def check(self, request: Request) -> Response:
        """How far a check is, and a part of its result."""
        _, query = self._asked(request, "id", "sort", "order", "offset", "k")
        sort, descending = query.choice("sort", CHECK_SORTS), query.choice("order", ORDERS)
        return _json(
            await self._computed(
                self._checks.page,
                query.word("id"),
                sort,
                descending == "descending",
                query.offset(),
                query.count(default=ENTRIES),
            )
        )

    async def check_table(self, request: Request) -> Response:
        """The whole result of a check as a file."""
        _, query = self._asked(request, "id")
        return _download(await self._computed(self._checks.table, query.word("id")), CHECK_FILE)

    async def _about_word(
        self, request: Request, make: WordAnswer, most: int | None = None
    ) -> Response:
        explorer, query = self._asked(request, "word", "side", "t", "k")
        word, sides, position = query.word("word"), query.sides(), query.position()
        k = query.count() if most is None else query.count(most=most)
        space = explorer.view().space
        place = find_word(explorer, space, word, sides)
        if place is None:
            elsewhere = find_word(explorer, space, word, SIDES)
            close = await self._computed(answers.suggestions, explorer, word, SUGGESTIONS)
            raise _unknown(explorer, space, word, elsewhere, close)
        return _json(await self._computed_unless_gone(request, make, space, *place, position, k))

    def _asked(self, request: Request, *known: str) -> tuple[Explorer, QueryParameters]:
        """The run that a request is about, and its parameters."""
        if len(request.scope["query_string"]) > LONGEST_QUERY:
            raise RefusedError(414, "too-long", "The address is too long; shorten the request.")
        query = QueryParameters(request.query_params.multi_items(), (*known, "run"))
        return self._explorers[query.run(len(self._explorers))], query

    async def _computed_unless_gone(
        self, request: Request, function: Callable[..., Answer], *arguments: Any
    ) -> Answer:
        """Compute when it is its turn, unless the reader has gone on to another word by then."""
        from anyio import to_thread
        from starlette.requests import ClientDisconnect

        async with self._limiter:
            if await request.is_disconnected():
                raise ClientDisconnect
            return await to_thread.run_sync(partial(function, *arguments))

    async def _computed(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        from anyio import to_thread

        return await to_thread.run_sync(partial(function, *arguments), limiter=self._limiter)


def _json(content: dict[str, Any]) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse(content)


def _download(text: str, name: str) -> Response:
    """A tab-separated table that the browser saves."""
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(
        text,
        headers={"content-disposition": f'attachment; filename="{name}"'},
        media_type="text/tab-separated-values",
    )


def _workbench(explorer: Explorer) -> Workbench:
    if explorer.workbench is None:
        raise RefusedError(
            404, "no-dictionary", "This run has no dictionary; `lexalign induce` makes one."
        )
    return explorer.workbench


def _unknown(
    explorer: Explorer,
    space: Space,
    word: str,
    elsewhere: tuple[str, int] | None,
    close: list[dict[str, str]],
) -> RefusedError:
    """Say that a word is of the other language, or name words that were probably meant."""
    if elsewhere is not None:
        side, row = elsewhere
        found = space.sides[side].words[row]
        message = f"{word!r} is a word of the other language, {explorer.names[side]}."
        return RefusedError(404, "other-language", message, [{"word": found, "side": side}])
    perhaps = f"; did you mean {close[0]['word']!r}?" if close else "; check its spelling."
    return RefusedError(404, "unknown-word", f"The word {word!r} is not known{perhaps}", close)


async def _json_body(request: Request, largest: int = LARGEST_BODY) -> bytes:
    """The body, unless it is not JSON, too large or too slow; then the rest is not even read."""
    from anyio import fail_after

    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(
            415, "bad-content-type", "The body must be of the type application/json."
        )
    body = b""
    try:
        with fail_after(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > largest:
                    raise RefusedError(
                        413,
                        "too-large",
                        f"The body can have at most {largest // 1024:,} KB; send less.",
                    )
    except TimeoutError:
        raise RefusedError(
            408, "too-slow", f"The body took more than {BODY_SECONDS:.0f} s; send it again."
        ) from None
    return body
