"""A dictionary held against the space: at which rank every reference comes, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lexalign.explore.space import OTHER, Space
from lexalign.explore.suggestions import spellings
from lexalign.retrieval import ranks
from lexalign.retrieval.search import blocks

MOST_PAIRS = 1_000
WORDS_AT_ONCE, PAIRS_AT_ONCE = 8192, 128


class Pair(NamedTuple):
    """A line of a pasted dictionary, counted from one, with its word and the reference."""

    line: int
    word: str
    reference: str


class Skipped(NamedTuple):
    """A line that is no pair, and why."""

    line: int
    problem: str


class PairCheck(NamedTuple):
    """A pair, and for either end of the path the rank of the reference and the first choice.

    All are None if the space does not know the ``word`` or the ``reference``; ``missing`` says
    which.
    """

    pair: Pair
    missing: tuple[str, ...]
    rank_before: int | None = None
    rank_after: int | None = None
    first_before: str | None = None
    first_after: str | None = None


def parse_pairs(text: str) -> tuple[list[Pair], list[Skipped]]:
    """The pairs of a text, one a line: at a tab, else at blanks; empty lines are passed over."""
    pairs, skipped = list[Pair](), list[Skipped]()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        words = [word.strip() for word in line.split("\t")] if "\t" in line else line.split()
        if len(words) < 2 or not (words[0] and words[1]):
            skipped.append(Skipped(number, "two words are wanted"))
        elif len(words) > 2 and "\t" not in line:
            skipped.append(Skipped(number, "more than two words; put a tab between them"))
        else:
            pairs.append(Pair(number, words[0], words[1]))
    return pairs, skipped


def check(space: Space, side: str, pairs: Sequence[Pair]) -> list[PairCheck]:
    """Look every pair up, its word in ``side`` and its reference in the other language.

    The rank is that among all words of the other language, from 1, by CSLS, or by the cosine as
    long as CSLS is not known.
    """
    other = OTHER[side]
    rows = [(_row(space, side, pair.word), _row(space, other, pair.reference)) for pair in pairs]
    known = [place for place, found in enumerate(rows) if None not in found]
    asked = np.array([rows[place] for place in known], dtype=np.int64).reshape(-1, 2)
    before = _at(space, side, asked, 0)
    after = before if len(space.path) == 1 else _at(space, side, asked, len(space.path) - 1)
    results = [PairCheck(pair, _missing(found)) for pair, found in zip(pairs, rows, strict=True)]
    words = space.sides[other].words
    for number, place in enumerate(known):
        results[place] = results[place]._replace(
            rank_before=int(before.ranks[number]),
            rank_after=int(after.ranks[number]),
            first_before=words[before.first[number]],
            first_after=words[after.first[number]],
        )
    return results


class Summary(NamedTuple):
    """Questions are different words; of several references to one, the best rank counts."""

    questions: int
    precision_at_1: float
    precision_at_5: float
    mean_reciprocal_rank: float


def summary(checked: Sequence[PairCheck], end: str) -> Summary | None:
    """P@1, P@5 and MRR at the end "before" or "after"; None if no pair is known."""
    best: dict[str, int] = {}
    for entry in checked:
        rank = entry.rank_before if end == "before" else entry.rank_after
        if rank is not None:
            best[entry.pair.word] = min(rank, best.get(entry.pair.word, rank))
    if not best:
        return None
    places = np.array(list(best.values()))
    return Summary(
        len(places),
        float((places <= 1).mean()),
        float((places <= 5).mean()),
        float((1 / places).mean()),
    )


def _row(space: Space, side: str, word: str) -> int | None:
    rows = (space.row(side, spelling) for spelling in spellings(word))
    return next((row for row in rows if row is not None), None)


def _missing(rows: tuple[int | None, int | None]) -> tuple[str, ...]:
    names = ("word", "reference")
    return tuple(name for name, row in zip(names, rows, strict=True) if row is None)


class _End(NamedTuple):
    """At one end of the path: ranks of the references, and rows of the first choices."""

    ranks: np.ndarray
    first: np.ndarray


def _at(space: Space, side: str, asked: np.ndarray, stop: int) -> _End:
    if len(asked) == 0:
        return _End(asked[:, 0], asked[:, 0])
    other = OTHER[side]
    queries, keys = space.seen(side, asked[:, 0], stop), space.sides[other].matrix
    penalty = np.zeros(len(keys))
    if space.neighbourhoods is not None:
        around = space.neighbourhoods.estimate(other, space.path.shares[stop])
        penalty = 0.5 * around.astype(np.float64)
    parts = [
        _End(
            ranks(queries[some], keys, asked[some, 1], penalty),
            _first(queries[some], keys, penalty),
        )
        for some in blocks(len(queries), PAIRS_AT_ONCE)
    ]
    return _End(*(np.concatenate(found) for found in zip(*parts, strict=True)))


def _first(queries: np.ndarray, keys: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    """The best key of every query, block by block; on equal scores the lower one."""
    best = np.full(len(queries), -np.inf, dtype=np.float32)
    first = np.zeros(len(queries), dtype=np.int64)
    for rows in blocks(len(keys), WORDS_AT_ONCE):
        scores = queries @ keys[rows].T - penalty[rows].astype(np.float32)
        place = scores.argmax(axis=1)
        score = scores[np.arange(len(queries)), place]
        better = score > best
        first[better], best[better] = rows.start + place[better], score[better]
    return first
