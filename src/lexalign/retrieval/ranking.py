"""The rank of a given key among all keys, which is sufficient for evaluation.

P@k tests whether the rank is at most k, and the reciprocal rank is one over it. Similarities are
computed in tiles that are counted and discarded, so memory does not grow with the number of queries
or keys. ``ranks`` uses single precision first. Scores that are too close are computed again in
double precision, in the order of operations of ``top_k``. So the rank agrees with the list of
``top_k``, and on equal scores the lower index comes first.
"""

from __future__ import annotations

import numpy as np

from lexalign.arrays import Array, blocks, is_numpy, to_numpy
from lexalign.progress import Advance, unseen
from lexalign.retrieval.search import ROUNDING, TIE, lengths_of, similarities
from lexalign.threads import in_blocks, product

QUERIES_AT_ONCE = 512
KEYS_AT_ONCE = 8192
SORTED_AT_ONCE = 64
SLACK = 1e-6


def ranks(
    queries: Array,
    keys: Array,
    wanted: np.ndarray,
    penalty: np.ndarray | None = None,
    advance: Advance = unseen,
) -> np.ndarray:
    """Return the rank of one key for every query by the score x·y − penalty(y).

    On equal scores the lower index comes first, as in ``top_k``.

    Parameters
    ----------
    queries, keys : float32 arrays, shapes (n, d) and (m, d)
        Both NumPy arrays or both torch tensors.
    wanted : ndarray of int, shape (n,)
        The row of ``keys`` whose rank is computed, one per query.
    penalty : ndarray, shape (m,), optional
        A number to subtract from the scores of each key (see ``retrieval.penalties``).
    advance : callable, optional
        Receives numbers of comparisons that are done, n·m in all.

    Returns
    -------
    ndarray of int64, shape (n,)
        The rank of key ``wanted[i]`` for query i, counted from 1.

    Examples
    --------
    >>> import numpy as np
    >>> keys = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32)
    >>> queries = np.array([[2, 1], [0, 3]], dtype=np.float32)
    >>> ranks(queries, keys, wanted=np.array([0, 1])).tolist()
    [2, 1]
    """
    costs = np.zeros(int(keys.shape[0])) if penalty is None else penalty
    score = similarities(queries, keys, wanted[:, None])[:, 0] - costs[wanted]
    scale = lengths_of(queries) * lengths_of(keys).max() + np.abs(costs).max()
    slack = ROUNDING * scale
    places = np.ones(len(wanted), dtype=np.int64)

    def count(rows: slice) -> None:
        for columns in blocks(len(costs), KEYS_AT_ONCE):
            tile = _tile(queries[rows], keys[columns], costs[columns])
            above, close = _compare(tile, score[rows] - slack[rows], score[rows] + slack[rows])
            places[rows] += above
            advance(tile.shape[0] * tile.shape[1])
            for row, column in close:
                query, near = rows.start + row, columns.start + column
                here = queries[query : query + 1]
                exact = similarities(here, keys, near[None, :])[0] - costs[near]
                tied = np.abs(exact - score[query]) <= TIE * scale[query]
                before = np.where(tied, near < wanted[query], exact > score[query])
                places[query] += np.count_nonzero(before)

    in_blocks(count, keys, len(wanted), QUERIES_AT_ONCE)
    return places


def inverted_ranks(
    queries: np.ndarray,
    sources: Array,
    keys: Array,
    wanted: np.ndarray,
    advance: Advance = unseen,
) -> np.ndarray:
    """The rank of key ``wanted[i]`` for source ``queries[i]`` by inverted nearest neighbour.

    A key y is better if fewer sources x′ are nearer to it than the query x, with x′·y > x·y (Dinu,
    Lazaridou & Baroni 2015). On equal counts, the more similar key comes first, then the lower
    index. The similarities of all sources and keys are computed in tiles, in single precision;
    differences within the rounding count as equal. ``advance`` receives numbers of keys, each
    wanted one once and then all.
    """
    asked, asker = np.unique(queries, return_inverse=True)
    slack = SLACK * float(lengths_of(sources).max()) * float(lengths_of(keys).max())
    similarity = similarities(sources[queries], keys, wanted[:, None])[:, 0]
    distinct, row = np.unique(wanted, return_inverse=True)
    nearer = np.empty(len(wanted), dtype=np.int64)
    for some in blocks(len(distinct), SORTED_AT_ONCE):
        here = np.flatnonzero((row >= some.start) & (row < some.stop))
        counts, _ = _nearer_sources(keys[distinct[some]], sources, asked, slack)
        nearer[here] = counts[row[here] - some.start, asker[here]]
        advance(some.stop - some.start)
    places = np.ones(len(wanted), dtype=np.int64)
    for some in blocks(int(keys.shape[0]), SORTED_AT_ONCE):
        counts, tile = (
            side[:, asker] for side in _nearer_sources(keys[some], sources, asked, slack)
        )
        index = np.arange(some.start, some.stop)[:, None]
        equal = np.abs(tile - similarity) <= slack
        closer = np.where(equal, index < wanted, tile > similarity)
        before = (counts < nearer) | ((counts == nearer) & closer)
        places += np.count_nonzero(before & (index != wanted), axis=0)
        advance(some.stop - some.start)
    return places


def _nearer_sources(
    keys: Array, sources: Array, asked: np.ndarray, slack: float
) -> tuple[np.ndarray, np.ndarray]:
    """The number of sources that are nearer to each key than each query, and its similarity."""
    tile = product(keys, sources.T)
    here, count = tile[:, asked], tile.shape[1]
    if is_numpy(tile):
        tile.sort(axis=1)
        places = [
            np.searchsorted(line, found, side="right")
            for line, found in zip(tile, here + np.float32(slack), strict=True)
        ]
        return count - np.stack(places), here
    import torch

    places = torch.searchsorted(tile.sort(dim=1).values, (here + slack).contiguous(), right=True)
    return count - to_numpy(places), to_numpy(here)


def _tile(queries: Array, keys: Array, costs: np.ndarray) -> Array:
    tile = queries @ keys.T
    if is_numpy(tile):
        tile -= costs.astype(np.float32)
        return tile
    return tile - tile.new_tensor(costs)


def _compare(
    tile: Array, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, list[tuple[int, np.ndarray]]]:
    """How many scores of every row surely exceed ``high``, and which lie too close to call."""
    if is_numpy(tile):
        above = tile > high.astype(np.float32)[:, None]
        close = tile >= low.astype(np.float32)[:, None]
        counts, reach = (
            np.fromiter(map(np.count_nonzero, mask), dtype=np.int64, count=len(tile))
            for mask in (above, close)
        )
    else:
        above = tile > tile.new_tensor(high)[:, None]
        close = tile >= tile.new_tensor(low)[:, None]
        counts, reach = to_numpy(above.sum(1)), to_numpy(close.sum(1))
    near = [
        (int(row), np.flatnonzero(to_numpy(close[row] & ~above[row])))
        for row in np.flatnonzero(reach > counts)
    ]
    return counts, near
