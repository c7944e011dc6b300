"""Nearest neighbours among a few thousand words, in single precision: for figures, not for pairs.

The health check looks at all similarities of two samples several times. Here a tile of them is
computed by one thread, looked at, and thrown away, which takes a third of the time of the search of
``lexalign.retrieval``. That one computes the best scores again in double precision, so that equal
vectors tie exactly; shares and means over thousands of words do not need it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexalign.threads import spread

ROWS_AT_ONCE = 512


class Neighbourhoods(NamedTuple):
    """What n words see among m others.

    ``density`` (n,) is the mean similarity to the k nearest, the r(x) of CSLS; ``near`` (m,) is how
    often each of the others is one of them; ``best`` (n,) is the row of the best of the others by
    CSLS.
    """

    density: np.ndarray
    near: np.ndarray
    best: np.ndarray


def densities(words: np.ndarray, others: np.ndarray, k: int) -> np.ndarray:
    """Return the mean similarity of ``words`` (n, d) to their k nearest ``others``, float64."""
    found, last = np.empty(len(words)), len(others) - k

    def measure(rows: slice) -> None:
        tile = words[rows] @ others.T
        tile.partition(last, axis=1)
        found[rows] = tile[:, last:].mean(axis=1, dtype=np.float64)

    spread(measure, len(words), ROWS_AT_ONCE)
    return found


def best_others(words: np.ndarray, others: np.ndarray, density: np.ndarray) -> np.ndarray:
    """Return the row of the best of ``others`` (m, d) for every word by CSLS, shape (n,).

    ``density`` (m,) is that of the others. The density of a word itself does not change its order.
    """
    best, half = np.empty(len(words), dtype=np.int64), (density / 2).astype(np.float32)

    def choose(rows: slice) -> None:
        tile = words[rows] @ others.T
        tile -= half
        best[rows] = tile.argmax(axis=1)

    spread(choose, len(words), ROWS_AT_ONCE)
    return best


def neighbourhoods(
    words: np.ndarray, others: np.ndarray, density: np.ndarray, k: int
) -> Neighbourhoods:
    """Look at ``others`` (m, d) from all ``words`` (n, d) once, for everything there is to know.

    ``density`` (m,) is that of the others.
    """
    own, last = np.empty(len(words)), len(others) - k
    best, half = np.empty(len(words), dtype=np.int64), (density / 2).astype(np.float32)

    def look(rows: slice) -> np.ndarray:
        tile = words[rows] @ others.T
        nearest = np.partition(tile, last, axis=1)[:, last:]
        own[rows] = nearest.mean(axis=1, dtype=np.float64)
        near = np.count_nonzero(tile >= nearest[:, :1], axis=0)
        tile -= half
        best[rows] = tile.argmax(axis=1)
        return np.asarray(near)

    near = np.stack(spread(look, len(words), ROWS_AT_ONCE)).sum(axis=0)
    return Neighbourhoods(own, near, best)
