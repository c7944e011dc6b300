"""Check a pasted dictionary: the rank of every reference, before and after the refinement.

Ranks and accuracy are those of ``Evaluator``, with the CSLS neighbourhoods that the explorer has in
its cache. Only the vectors of the words to check are moved; the other side stays on disk. Of a run
with a learned ranking, CSLS stands for before, and the ranking for after.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexalign.evaluation.accuracy import Accuracy
from lexalign.evaluation.evaluator import Evaluator
from lexalign.evaluation.protocols import Protocol
from lexalign.evaluation.queries import Vocabulary
from lexalign.explore.space import OTHER, Space
from lexalign.explore.suggestions import spellings
from lexalign.pipelines.ranked_accuracy import accuracy_of_candidates
from lexalign.retrieval.memory_mapped import first_choices
from lexalign.vectors import Lexicon

RULES = Protocol(
    base="explorer",
    unit="pair",
    oov="wrong",
    case="as-is",
    duplicates="first",
    retrieval="csls",
    similarity="dot",
)
"""Every pair counts, words are taken as they are, and vectors have unit length already."""

MOST_RANKED = 400_000_000
"""Words to check times words of the other side, half a minute of ranking: CSLS ranks more."""


class PairCheck(NamedTuple):
    """A pair, and for both ends of the path the rank of the reference and the first choice.

    ``missing`` says which of "word" and "reference" the space does not know. If any is missing,
    the ranks and the first choices are None.
    """

    line: int
    word: str
    reference: str
    missing: tuple[str, ...]
    rank_before: int | None = None
    rank_after: int | None = None
    first_before: str | None = None
    first_after: str | None = None


class DictionaryCheck(NamedTuple):
    """The pairs of a dictionary, and the accuracy by word; None if no pair is known.

    ``is_learned`` says that a learned ranking stands for after.
    """

    pairs: list[PairCheck]
    before: Accuracy | None
    after: Accuracy | None
    is_learned: bool = False


def check(
    space: Space, side: str, lexicon: Lexicon, *, ranked: bool | None = None
) -> DictionaryCheck:
    """Look up every pair of a parsed lexicon, its word in ``side``, its reference in the other.

    The rank is that among all words of the other language, from 1, by CSLS, or by cosine as long
    as CSLS is not known. ``ranked`` says whether a learned ranking stands for after; by default it
    does if ``can_be_ranked``.
    """
    rows = _rows(space, side, lexicon)
    results = [
        PairCheck(line, *pair, _missing(found))
        for line, pair, found in zip(lexicon.lines, lexicon, rows, strict=True)
    ]
    known = [number for number, result in enumerate(results) if not result.missing]
    if not known:
        return DictionaryCheck(results, None, None)
    pairs = np.array([rows[number] for number in known], dtype=np.int64)
    before = _at(space, side, pairs, 0)
    after = before if len(space.path) == 1 else _at(space, side, pairs, len(space.path) - 1)
    is_learned = can_be_ranked(space, side, lexicon) if ranked is None else ranked
    if is_learned:
        after = _ranked(space, side, pairs[:, 0], before.accuracy)
    for place, number in enumerate(known):
        results[number] = results[number]._replace(
            rank_before=int(before.accuracy.ranks[place]),
            rank_after=int(after.accuracy.ranks[place]),
            first_before=before.first[place],
            first_after=after.first[place],
        )
    accuracies = before.accuracy.by_word(), after.accuracy.by_word()
    return DictionaryCheck(results, *accuracies, is_learned)


class _PairsAtPoint(NamedTuple):
    """The accuracy by pair at a point of the path, and the first choice for every pair."""

    accuracy: Accuracy
    first: list[str]


def _at(space: Space, side: str, pairs: np.ndarray, point: int) -> _PairsAtPoint:
    """Evaluate pairs of rows, (n, 2), at a point of the path."""
    words, others = space.sides[side].words, space.sides[OTHER[side]]
    rows, place = np.unique(pairs[:, 0], return_inverse=True)
    queries = space.seen(side, rows, point)
    source = Vocabulary(
        tuple(words[row] for row in rows),
        queries,
        {words[row]: number for number, row in enumerate(rows)},
    )
    target = Vocabulary(tuple(others.words), others.matrix, others.index)
    penalties = space.penalties(OTHER[side], point)
    rules = RULES.but(retrieval="nn" if penalties is None else "csls")
    lexicon = Lexicon([(words[row], others.words[reference]) for row, reference in pairs])
    accuracy = Evaluator(source, target, rules, penalties=penalties).evaluate(lexicon)
    first = first_choices(queries, others.matrix, penalties)
    return _PairsAtPoint(accuracy, [others.words[row] for row in first[place]])


def can_be_ranked(space: Space, side: str, lexicon: Lexicon) -> bool:
    """Whether a learned ranking knows the words of a lexicon, and is fast enough for them."""
    found = {word for word, _ in _rows(space, side, lexicon)} - {None}
    rows, ranking = np.array(list(found), dtype=np.int64), space.ranking
    return (
        ranking is not None
        and ranking.is_learned(side)
        and ranking.knows(side, rows)
        and len(rows) * len(space.sides[OTHER[side]]) <= MOST_RANKED
    )


def _ranked(space: Space, side: str, rows: np.ndarray, by_csls: Accuracy) -> _PairsAtPoint:
    """The same pairs by the learned ranking."""
    assert space.ranking is not None
    words, others = space.sides[side], space.sides[OTHER[side]]
    found = space.ranking.rank(side, rows)
    best = dict(zip(found.rows[::-1].tolist(), found.keys[::-1].tolist(), strict=True))
    accuracy = accuracy_of_candidates(by_csls, found, words, others)
    return _PairsAtPoint(accuracy, [others.words[best[row]] for row in rows.tolist()])


def _rows(space: Space, side: str, lexicon: Lexicon) -> list[tuple[int | None, int | None]]:
    """The rows of both words of every pair, None for a word that is not known."""
    other = OTHER[side]
    return [(_row(space, side, word), _row(space, other, reference)) for word, reference in lexicon]


def _row(space: Space, side: str, word: str) -> int | None:
    rows = (space.row(side, spelling) for spelling in spellings(word))
    return next((row for row in rows if row is not None), None)


def _missing(rows: tuple[int | None, int | None]) -> tuple[str, ...]:
    names = ("word", "reference")
    return tuple(name for name, row in zip(names, rows, strict=True) if row is None)
