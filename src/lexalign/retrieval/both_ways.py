"""The best partners of all words in both directions, for repeated searches with a changing map.

A search in both directions would need two products of all words, and most of its time goes into
these and into sorting. One product is enough: with the penalties of both sides,

    x·z − penalty(x) − penalty(z),

a row orders the targets of a source, and a column the sources of a target. A word's own penalty
does not change this order. Only entries above a threshold per word are sorted; the previous search
sets the thresholds. Words with too few entries are searched separately, so the result is exact for
any thresholds.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from lexalign.arrays import Array, is_numpy, like, namespace, to_numpy
from lexalign.retrieval.search import candidates
from lexalign.threads import in_blocks

ENTRIES_AT_ONCE = 2**23
ENTRIES_AT_ONCE_ON_GPU = 2**27
SPARE = 1.5
"""Number of entries above a threshold, as a factor of the required number."""


class Ranking(NamedTuple):
    """The best others of every word, best first, and the one at the rank asked for.

    ``scores`` and ``indices`` are (n, k), a score being x·y − penalty(y); ``asked`` is (n,).
    """

    scores: Array
    indices: Array
    asked: Array


def ranked(words: Array, others: Array, penalty: Array, count: int, ranks: np.ndarray) -> Ranking:
    """For every word the ``count`` best of the others, and the one of its rank, from 0 on."""
    scores, indices = candidates(words, others, count, penalty)
    asked = indices[np.arange(len(words)), np.minimum(ranks, count - 1)]
    deep = np.flatnonzero(ranks >= count)
    if len(deep):
        further = candidates(words[deep], others, int(ranks[deep].max()) + 1, penalty)[1]
        asked[deep] = further[np.arange(len(deep)), ranks[deep]]
    return Ranking(scores, indices, asked)


class BothWays:
    """The ``count`` best partners of all words of two sides, and those at ranks that vary.

    ``tails`` is the state between two searches, (2, n): the score of each word at rank ``count``,
    and the fall of the score there when the rank doubles.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.tails: tuple[Array, ...] = ()

    def search(
        self,
        sides: tuple[Array, Array],
        penalties: tuple[Array, Array],
        ranks: tuple[np.ndarray, np.ndarray],
    ) -> tuple[Ranking, Ranking]:
        """Search the first side among the second, and the second among the first."""
        x, z = sides
        of_x, of_z = penalties
        if self.tails:
            forward, backward = self._by_one_product(sides, penalties, ranks)
        else:
            forward = ranked(x, z, of_z, self.count, ranks[0])
            backward = ranked(z, x, of_x, self.count, ranks[1])
        self.tails = _tail(forward.scores), _tail(backward.scores)
        return forward, backward

    def _by_one_product(
        self,
        sides: tuple[Array, Array],
        penalties: tuple[Array, Array],
        ranks: tuple[np.ndarray, np.ndarray],
    ) -> tuple[Ranking, Ranking]:
        floors = tuple(
            _floor(tail, np.maximum(self.count, rank + 1) / self.count) - penalty
            for tail, rank, penalty in zip(self.tails, ranks, penalties, strict=True)
        )
        rows, columns, scores = _entries_above(*sides, *penalties, *floors)
        return (
            self._ordered(rows, columns, scores, floors[0], sides, penalties, ranks[0]),
            self._ordered(columns, rows, scores, floors[1], sides[::-1], penalties[::-1], ranks[1]),
        )

    def _ordered(
        self,
        words: Array,
        others: Array,
        scores: Array,
        floor: Array,
        sides: tuple[Array, Array],
        penalties: tuple[Array, Array],
        ranks: np.ndarray,
    ) -> Ranking:
        """The sorted entries above the floors of one side; exact searches for the other words."""
        xp = namespace(scores)
        enough = scores > floor[words]
        words, others, scores = words[enough], others[enough], scores[enough]
        order = _by_word_and_falling_score(words, scores).argsort()
        words, others, scores = words[order], others[order], scores[order]
        bounds = xp.searchsorted(words, like(np.arange(len(floor) + 1), words))
        counts = to_numpy(bounds[1:] - bounds[:-1])
        few = np.flatnonzero(counts < np.maximum(self.count, ranks + 1))
        if len(few) == len(floor):
            return ranked(*sides, penalties[1], self.count, ranks)
        starts, last = bounds[:-1], len(order) - 1
        first = xp.clip(starts[:, None] + like(np.arange(self.count), words), max=last)
        asked = xp.clip(starts + like(ranks, words), max=last)
        found = Ranking(scores[first] + penalties[0][:, None], others[first], others[asked])
        if len(few):
            again = ranked(sides[0][few], sides[1], penalties[1], self.count, ranks[few])
            for all_words, few_words in zip(found, again, strict=True):
                all_words[few] = few_words
        return found


def _entries_above(
    x: Array, z: Array, of_x: Array, of_z: Array, floor_x: Array, floor_z: Array
) -> tuple[Array, Array, Array]:
    """Row, column and score of all entries of the product above the floor of either word."""
    xp = namespace(x)
    left = xp.concat((x, xp.ones_like(of_x)[:, None], -of_x[:, None]), axis=1)
    right = xp.concat((z, -of_z[:, None], xp.ones_like(of_z)[:, None]), axis=1)
    right = xp.asarray(right.T, copy=True)
    entries = ENTRIES_AT_ONCE if is_numpy(x) else ENTRIES_AT_ONCE_ON_GPU
    at_once = max(1, min(len(x), entries // len(z)))
    memory = threading.local()

    def above(rows: slice) -> tuple[Array, Array, Array]:
        if not hasattr(memory, "tile"):  # fresh memory for every tile would cost a tenth of it
            memory.tile = xp.empty((at_once, len(z)), dtype=xp.float32, device=x.device)
            memory.masks = xp.empty((2, at_once, len(z)), dtype=xp.bool, device=x.device)
        size = rows.stop - rows.start
        product = xp.matmul(left[rows], right, out=memory.tile[:size])
        either = xp.greater(product, floor_x[rows, None], out=memory.masks[0, :size])
        either |= xp.greater(product, floor_z[None, :], out=memory.masks[1, :size])
        places = xp.nonzero(xp.reshape(either, (-1,)))[0]
        row = places // len(z)
        return row + rows.start, places - row * len(z), xp.reshape(product, (-1,))[places]

    found = in_blocks(above, x, len(x), at_once)
    row, column, scores = (xp.concat(parts) for parts in zip(*found, strict=True))
    return row, column, scores


def _tail(scores: Array) -> Array:
    last, half = scores[:, -1], scores[:, (scores.shape[1] - 1) // 2]
    return namespace(scores).stack((last, half - last))


def _floor(tail: Array, times: np.ndarray) -> Array:
    """The floor for a multiple of the entries, if scores fall with the log of the rank."""
    last, fall = tail
    return last - fall * like(np.log2(SPARE * times).astype(np.float32), last)


def _by_word_and_falling_score(words: Array, scores: Array) -> Array:
    """Integers in that order: the bits of floats are ordered like them, negative ones reversed."""
    xp = namespace(scores)
    bits = scores.view(xp.int32)
    rising = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    return (words << 32) - rising
