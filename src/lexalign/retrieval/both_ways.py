"""The best partners of all words, both ways, asked for again and again while a map changes.

Both ways are two products of all words with all others, and on a CPU these are all the time that a
search takes. One is enough: with the penalties of both sides in it,

    x·z − penalty(x) − penalty(z),

a row orders the targets of a source and a column the sources of a target, for a word's own penalty
moves all of these alike. Of the product only what lies above a threshold, one for every word, is
ever sorted: somewhat more than is wanted, going by the search before. Words for which that was too
little are searched by themselves, so the result is exact whatever the thresholds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexalign.retrieval.search import blocks, candidates
from lexalign.spaces.arrays import Array, is_numpy

ENTRIES_AT_ONCE = 2**25
SPARE = 1.5
"""How many more than wanted shall lie above a threshold, as a factor."""


class Ranked(NamedTuple):
    """The best others of every word, best first, and the one at the rank asked for.

    ``scores`` and ``indices`` are (n, k), a score being x·y − penalty(y); ``asked`` is (n,).
    """

    scores: Array
    indices: Array
    asked: Array


def ranked(words: Array, others: Array, penalty: Array, count: int, ranks: np.ndarray) -> Ranked:
    """For every word the ``count`` best of the others, and the one of its rank, from 0 on."""
    scores, indices = candidates(words, others, count, penalty)
    asked = indices[np.arange(len(words)), np.minimum(ranks, count - 1)]
    deep = np.flatnonzero(ranks >= count)
    if len(deep):
        further = candidates(words[deep], others, int(ranks[deep].max()) + 1, penalty)[1]
        asked[deep] = further[np.arange(len(deep)), ranks[deep]]
    return Ranked(scores, indices, asked)


class BothWays:
    """The ``count`` best partners of all words of two sides, and those at ranks that vary.

    ``tails`` is what one search leaves to the next, on a CPU: for every word of either side the
    score at rank ``count``, and by how much scores fall there when the rank doubles, (2, n).
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.tails: tuple[np.ndarray, ...] = ()

    def search(
        self,
        sides: tuple[Array, Array],
        penalties: tuple[Array, Array],
        ranks: tuple[np.ndarray, np.ndarray],
    ) -> tuple[Ranked, Ranked]:
        """Those of the first side among the second, and those of the second among the first."""
        x, z = sides
        of_x, of_z = penalties
        if self.tails:
            forward, backward = self._by_one_product(sides, penalties, ranks)
        else:
            forward = ranked(x, z, of_z, self.count, ranks[0])
            backward = ranked(z, x, of_x, self.count, ranks[1])
        if is_numpy(x):
            self.tails = _tail(forward.scores), _tail(backward.scores)
        return forward, backward

    def _by_one_product(
        self,
        sides: tuple[np.ndarray, np.ndarray],
        penalties: tuple[np.ndarray, np.ndarray],
        ranks: tuple[np.ndarray, np.ndarray],
    ) -> tuple[Ranked, Ranked]:
        floors = tuple(
            _floor(tail, SPARE * np.maximum(1, (rank + 1) / self.count)) - penalty
            for tail, rank, penalty in zip(self.tails, ranks, penalties, strict=True)
        )
        rows, columns, scores = _entries_above(*sides, *penalties, *floors)
        return (
            self._ordered(rows, columns, scores, floors[0], sides, penalties, ranks[0]),
            self._ordered(columns, rows, scores, floors[1], sides[::-1], penalties[::-1], ranks[1]),
        )

    def _ordered(
        self,
        words: np.ndarray,
        others: np.ndarray,
        scores: np.ndarray,
        floor: np.ndarray,
        sides: tuple[np.ndarray, np.ndarray],
        penalties: tuple[np.ndarray, np.ndarray],
        ranks: np.ndarray,
    ) -> Ranked:
        """The entries above the floors of one side, in order, and exact searches for the rest."""
        enough = scores > floor[words]
        words, others, scores = words[enough], others[enough], scores[enough]
        order = np.argsort(_by_word_and_falling_score(words, scores))
        others, scores = others[order], scores[order]
        counts = np.bincount(words, minlength=len(floor))
        few = np.flatnonzero(counts < np.maximum(self.count, ranks + 1))
        if len(few) == len(floor):
            return ranked(*sides, penalties[1], self.count, ranks)
        starts = np.cumsum(counts) - counts
        first = np.minimum(starts[:, None] + np.arange(self.count), len(order) - 1)
        asked = np.minimum(starts + ranks, len(order) - 1)
        found = Ranked(scores[first] + penalties[0][:, None], others[first], others[asked])
        if len(few):
            again = ranked(sides[0][few], sides[1], penalties[1], self.count, ranks[few])
            for all_words, few_words in zip(found, again, strict=True):
                all_words[few] = few_words
        return found


def _entries_above(
    x: np.ndarray,
    z: np.ndarray,
    of_x: np.ndarray,
    of_z: np.ndarray,
    floor_x: np.ndarray,
    floor_z: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and score of all entries of the product above the floor of either word."""
    left = np.column_stack((x, np.ones_like(of_x), -of_x))
    right = np.ascontiguousarray(np.column_stack((z, -of_z, np.ones_like(of_z))).T)
    at_once = max(1, min(len(x), ENTRIES_AT_ONCE // len(z)))
    # Fresh memory for every tile would cost as much as a tenth of the product.
    tile = np.empty((at_once, len(z)), dtype=np.float32)
    masks = np.empty((2, at_once, len(z)), dtype=bool)
    found = []
    for rows in blocks(len(x), at_once):
        size = rows.stop - rows.start
        product = np.matmul(left[rows], right, out=tile[:size])
        either = np.greater(product, floor_x[rows, None], out=masks[0, :size])
        either |= np.greater(product, floor_z, out=masks[1, :size])
        places = np.flatnonzero(either)
        row, column = np.divmod(places, len(z))
        found.append((row + rows.start, column, product.reshape(-1)[places]))
    row, column, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return row, column, scores


def _tail(scores: np.ndarray) -> np.ndarray:
    last, half = scores[:, -1], scores[:, (scores.shape[1] - 1) // 2]
    return np.stack((last, half - last))


def _floor(tail: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The score that so many times as many reach, if scores fall with the logarithm of rank."""
    last, fall = tail
    return np.asarray(last - fall * np.log2(times), dtype=np.float32)


def _by_word_and_falling_score(words: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Integers in that order: the bits of floats are ordered like them, negative ones reversed."""
    bits = scores.view(np.int32)
    rising = bits ^ ((bits >> 31) & np.int32(0x7FFFFFFF))
    return np.asarray((words << 32) - rising)
