"""Exact search: the k keys of largest inner product, minus an optional penalty per key.

Every retrieval criterion of the package is one such search (see ``penalties``). A library finds a
few more candidates than required, block by block and without a queries × keys matrix. They are
scored again in double precision, always in the same order of operations. So equal vectors get equal
scores and the lower vocabulary rank wins ties, on the CPU and on the GPU.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexalign.arrays import Array, blocks, is_numpy, to_numpy
from lexalign.errors import LexalignError
from lexalign.progress import Advance, unseen
from lexalign.threads import product

SPARE_CANDIDATES = 4
ROUNDING = 4e-6
TIE = 1e-12
"""Scores of two calls that differ by less are equal: a GPU can sum in another order each time."""

RESCORED_AT_ONCE = 256
SCANNED_AT_ONCE = 32


class Neighbours(NamedTuple):
    """The best keys of each query, best first.

    Attributes
    ----------
    scores : ndarray of float64, shape (n, k)
    indices : ndarray of int64, shape (n, k)
    """

    scores: np.ndarray
    indices: np.ndarray


def top_k(
    queries: Array,
    keys: Array,
    k: int,
    penalty: np.ndarray | None = None,
    advance: Advance = unseen,
) -> Neighbours:
    """Return the k keys y with the largest score x·y − penalty(y) for every query x, exactly.

    On equal scores the lower index comes first.

    Parameters
    ----------
    queries, keys : float32 arrays, shapes (n, d) and (m, d)
        Both NumPy arrays or both torch tensors.
    k : int
        Number of keys per query, between 1 and m.
    penalty : ndarray, shape (m,), optional
        A number to subtract from the scores of each key (see ``retrieval.penalties``).
    advance : callable, optional
        Receives numbers of comparisons that are done, n·m in all.

    Returns
    -------
    Neighbours
        ``scores`` and ``indices``, both of shape (n, k), best key first.

    Raises
    ------
    LexalignError
        If ``k`` is out of range, or queries and keys have different dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> keys = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32)
    >>> scores, indices = top_k(np.array([[2, 1]], dtype=np.float32), keys, k=2)
    >>> indices.tolist(), scores.tolist()
    ([[2, 0]], [[3.0, 2.0]])
    """
    count = int(keys.shape[0])
    if not 1 <= k <= count:
        raise LexalignError(
            "The `k` of a nearest-neighbour search must be between 1 and the number of "
            f"candidates, {count}. Got {k} instead; lower k or use a larger vocabulary."
        )
    if queries.shape[1] != keys.shape[1]:
        raise LexalignError(
            f"Queries have {queries.shape[1]} dimensions and keys {keys.shape[1]}; "
            "they must be equal."
        )
    if queries.shape[0] == 0:
        return Neighbours(np.empty((0, k)), np.empty((0, k), dtype=np.int64))
    wanted = min(k + SPARE_CANDIDATES, count)
    found = candidates(queries, keys, wanted, penalty, advance)
    rough, indices = (to_numpy(part) for part in found)
    scores = _scores(queries, keys, indices, penalty)
    order = np.lexsort((indices, -scores))[:, :k]
    best = Neighbours(np.take_along_axis(scores, order, 1), np.take_along_axis(indices, order, 1))
    if wanted < count:
        _scan_doubtful(queries, keys, penalty, rough, best)
    return best


def mean_similarity_bound(
    queries: Array, keys: Array, k: int, advance: Advance = unseen
) -> np.ndarray:
    """A number just below the mean similarity of every query to its k nearest keys.

    It uses single precision and subtracts the possible rounding error, which is much cheaper than
    ``top_k`` for many queries and few keys.
    """
    rough = to_numpy(candidates(queries, keys, k, None, advance)[0])
    scale = lengths_of(queries) * lengths_of(keys).max()
    return np.asarray(rough.mean(axis=1, dtype=np.float64) - ROUNDING * scale)


def candidates(
    queries: Array,
    keys: Array,
    count: int,
    penalty: Array | None = None,
    advance: Advance = unseen,
) -> tuple[Array, Array]:
    """Scores (n, count) and indices of the best keys, best first, in single precision alone.

    They stay where the queries are. ``top_k`` looks again and settles ties; this does not.
    """
    if is_numpy(keys):
        from lexalign.retrieval import on_cpu

        return on_cpu.candidates(queries, keys, count, penalty, advance)
    from lexalign.retrieval import on_gpu

    return on_gpu.candidates(queries, keys, count, penalty, advance)


def similarities(queries: Array, keys: Array, indices: np.ndarray) -> np.ndarray:
    """x·y of every query and the keys at its row of ``indices``, in double precision."""
    scores = np.empty(indices.shape)
    for rows in blocks(len(indices), RESCORED_AT_ONCE):
        some, these = queries[rows], keys[indices[rows]]
        if is_numpy(keys):
            np.einsum("qd,qkd->qk", some, these, out=scores[rows], dtype=np.float64)
        else:
            scores[rows] = to_numpy((some.double()[:, None, :] * these.double()).sum(-1))
    return scores


def _scores(
    queries: Array, keys: Array, indices: np.ndarray, penalty: np.ndarray | None
) -> np.ndarray:
    found = similarities(queries, keys, indices)
    return found if penalty is None else found - penalty[indices]


def _scan_doubtful(
    queries: Array, keys: Array, penalty: np.ndarray | None, rough: np.ndarray, best: Neighbours
) -> None:
    """Search all keys again if a tie can reach beyond the candidates.

    No other key has a rough score above the last candidate. So a query is certain if its k-th score
    exceeds that score by more than the rounding error. All keys are equally similar to a zero
    query, so one result serves all zero queries.
    """
    k, count = best.scores.shape[1], int(keys.shape[0])
    lengths = lengths_of(queries)
    scale = lengths * lengths_of(keys).max() + (0 if penalty is None else np.abs(penalty).max())
    doubtful = best.scores[:, -1] <= rough.min(axis=1) + ROUNDING * scale
    nowhere = np.zeros(count) if penalty is None else -penalty
    winners = np.argsort(-nowhere, kind="stable")[:k]
    best.scores[lengths == 0], best.indices[lengths == 0] = nowhere[winners], winners
    doubtful_rows = np.flatnonzero(doubtful & (lengths > 0))
    floor = best.scores[:, -1] - 2 * ROUNDING * scale
    for some in blocks(len(doubtful_rows), SCANNED_AT_ONCE):
        rows = doubtful_rows[some]
        tile = to_numpy(product(queries[rows], keys.T)) - (0 if penalty is None else penalty)
        for row, scores in zip(rows, tile, strict=True):
            close = np.flatnonzero(scores >= floor[row])
            exact = _scores(queries[row : row + 1], keys, close[None, :], penalty)[0]
            order = np.argsort(-exact, kind="stable")[:k]
            best.scores[row], best.indices[row] = exact[order], close[order]


def lengths_of(rows: Array) -> np.ndarray:
    """The Euclidean length of every row."""
    if is_numpy(rows):
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
    return to_numpy(rows.norm(dim=1))
