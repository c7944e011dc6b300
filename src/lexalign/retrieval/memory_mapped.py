"""Search over memory-mapped vectors, which stay on disk: no function copies the matrix.

A search for one word is a single product with all vectors. Searches for several words go over the
matrix block by block. Rows are spread over threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lexalign.arrays import blocks
from lexalign.retrieval.search import ROUNDING, similarities, top_k
from lexalign.threads import processors, spread

ROWS_AT_ONCE = 8192
ROWS_WORTH_A_THREAD = 20_000
MOST_TIES = 4096


class RankedWords(NamedTuple):
    """The best words, best first: their rows, their cosines, and CSLS if it was known."""

    rows: np.ndarray
    cosines: np.ndarray
    csls: np.ndarray | None = None

    def first(self, count: int) -> RankedWords:
        """The best of them."""
        csls = None if self.csls is None else self.csls[:count]
        return RankedWords(self.rows[:count], self.cosines[:count], csls)


def front(scores: np.ndarray, count: int) -> np.ndarray:
    """The indices of the ``count`` largest scores, and of those that rounding may have put behind.

    If more than a few thousand scores are equal, those of lower index are used.
    """
    if count >= len(scores):
        return np.arange(len(scores))
    border = np.partition(scores, len(scores) - count)[len(scores) - count]
    surely = np.flatnonzero(scores > border + ROUNDING)
    perhaps = np.flatnonzero(np.abs(scores - border) <= ROUNDING)[:MOST_TIES]
    return np.concatenate((surely, perhaps))


def by_cosine(vector: np.ndarray, matrix: np.ndarray, rough: np.ndarray, count: int) -> RankedWords:
    """The rows of ``matrix`` nearest to ``vector``; ``rough`` are all products, float32."""
    rows = front(rough, count)
    cosines = cosines_of(vector, matrix, rows)
    order = np.lexsort((rows, -cosines))[:count]
    return RankedWords(rows[order], cosines[order])


def cosines_of(vector: np.ndarray, matrix: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The cosines of some rows in double precision, always summed in the same order."""
    return np.asarray(similarities(vector[None], matrix, rows[None])[0])


def products(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The products of all rows with one vector, float32."""
    return np.concatenate(_in_parts(len(matrix), lambda rows: matrix[rows] @ vector))


def mean_of_nearest(vectors: np.ndarray, matrix: np.ndarray, k: int) -> np.ndarray:
    """The r of CSLS for some vectors, (n, d): their mean product with the k nearest rows.

    All vectors are compared with the matrix block by block. Values below the k-th best so far are
    skipped, so little is sorted after the first block.
    """
    columns = np.ascontiguousarray(vectors.T)

    def best_of(part: slice) -> np.ndarray:
        best = np.full((k, len(vectors)), -np.inf, dtype=np.float32)
        for rows in blocks(part.stop - part.start, ROWS_AT_ONCE):
            product = matrix[part][rows] @ columns
            better = product[(product > best[0]).any(axis=1)]
            if len(better):
                best = _largest(np.concatenate((best, better)), k)
        return best

    best = _largest(np.concatenate(_in_parts(len(matrix), best_of)), k)
    return np.asarray(best.mean(axis=0, dtype=np.float64))


def first_choices(
    queries: np.ndarray, matrix: np.ndarray, penalty: np.ndarray | None = None
) -> np.ndarray:
    """Return the row of largest score x·y − penalty(y) for every query, (n,), exactly.

    As ``top_k`` with k = 1, but over one block of rows at a time. On equal scores the lower row
    wins.
    """
    best, first = np.full(len(queries), -np.inf), np.zeros(len(queries), dtype=np.int64)
    for rows in blocks(len(matrix), ROWS_AT_ONCE):
        found = top_k(queries, matrix[rows], 1, None if penalty is None else penalty[rows])
        score, place = found.scores[:, 0], found.indices[:, 0]
        better = score > best
        first[better], best[better] = rows.start + place[better], score[better]
    return first


def _largest(values: np.ndarray, k: int) -> np.ndarray:
    """The k largest of every column, in rising order."""
    return np.sort(np.partition(values, len(values) - k, axis=0)[-k:], axis=0)


def _in_parts(count: int, function: Callable[[slice], np.ndarray]) -> list[np.ndarray]:
    """Apply a function to one part of the rows for every processor, all at once."""
    parts = max(1, min(processors(), count // ROWS_WORTH_A_THREAD))
    return spread(function, count, -(-count // parts))
