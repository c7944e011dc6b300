"""Nearest neighbours among a few thousand words in single precision: for statistics, not for pairs.

The health check uses all similarities of two samples several times. Here each thread computes a
tile of similarities, uses it and discards it. This takes a third of the time of
``lexalign.retrieval``, which recomputes the best scores in double precision so that equal vectors
tie exactly. Shares and means over thousands of words do not need this precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexalign.threads import spread

ROWS_AT_ONCE = 512


class Neighbourhoods(NamedTuple):
    """The neighbourhood statistics of n words among m others.

    ``density`` (n,) is the mean similarity to the k nearest others, the r(x) of CSLS. ``near`` (m,)
    counts how often each of the others is among the k nearest. ``best`` (n,) is the row of the best
    CSLS match.
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
    """Return the row of the best CSLS match among ``others`` (m, d) for each word, shape (n,).

    ``density`` (m,) is the density of the others. The density of the word itself does not change
    the order.
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
    """Compute all neighbourhood statistics of ``words`` (n, d) among ``others`` (m, d) in one pass.

    ``density`` (m,) is the density of the others.
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
