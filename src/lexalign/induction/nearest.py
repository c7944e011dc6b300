"""The nearest words of words, computed when they are first needed, then kept."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lexalign.arrays import Array, blocks, is_numpy, to_numpy
from lexalign.retrieval.search import candidates
from lexalign.threads import spread

WORDS_AT_ONCE = 8192
FEW_WORDS = 256
"""So few words are one block of a search, so they are shared out among threads here."""

WORDS_WORTH_A_THREAD = 32


class NearestWords:
    """The ``count`` keys with the largest inner product for each query.

    A few queries cost little; all queries cost one product of both matrices.

    Parameters
    ----------
    queries, keys : float32 arrays, shapes (n, d) and (m, d)
    count : int
        Number of keys per query, at most m.

    Examples
    --------
    >>> matrix = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    >>> nearest = NearestWords(matrix, matrix, 2)
    >>> nearest.rows(np.array([0, 2])).tolist()
    [[0, 1], [2, 1]]
    >>> nearest.scores(np.array([2])).astype(float).round(1).tolist()
    [[1.0, 0.6]]
    """

    def __init__(self, queries: Array, keys: Array, count: int) -> None:
        self._queries, self._keys = queries, keys
        self.count = min(count, int(keys.shape[0]))

    def rows(self, queries: np.ndarray) -> np.ndarray:
        """The keys of some queries, (len(queries), count), nearest first."""
        self._find(queries)
        return np.asarray(self._lists[0][queries])

    def scores(self, queries: np.ndarray) -> np.ndarray:
        """The inner products of these keys."""
        self._find(queries)
        return np.asarray(self._lists[1][queries])

    @cached_property
    def _known(self) -> np.ndarray:
        return np.zeros(int(self._queries.shape[0]), dtype=bool)

    @cached_property
    def _lists(self) -> tuple[np.ndarray, np.ndarray]:
        shape = int(self._queries.shape[0]), self.count
        return np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.float32)

    def _find(self, queries: np.ndarray) -> None:
        missing = np.unique(queries[~self._known[queries]])
        lists = self._lists

        def search(some: slice) -> None:
            words = missing[some]
            scores, rows = candidates(self._queries[words], self._keys, self.count)
            lists[0][words], lists[1][words] = to_numpy(rows), to_numpy(scores)

        if is_numpy(self._keys) and len(missing) <= FEW_WORDS:
            spread(search, len(missing), WORDS_WORTH_A_THREAD)
        else:
            for some in blocks(len(missing), WORDS_AT_ONCE):
                search(some)
        self._known[missing] = True
