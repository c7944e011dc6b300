"""Words that may spoil a choice: those whose score, known from above only, might be better.

All the other words have to be looked at for that, but by one product with the words that chose. It
bounds the neighbourhood of every other word from below, by the similarities to some of those that
chose, and with that its scores from above. A few words remain whose bound exceeds the score of a
choice; their neighbourhoods are computed, the most dangerous first, until the choice falls or
nothing is left that endangers it.
"""

from __future__ import annotations

import numpy as np

from lexalign.arrays import Array, is_numpy, like, namespace, to_numpy
from lexalign.progress import Advance, unseen
from lexalign.retrieval.penalties import Penalty
from lexalign.retrieval.search import (
    ROUNDING,
    TIE,
    lengths_of,
    mean_similarity_bound,
    similarities,
    top_k,
)
from lexalign.threads import in_blocks

SPOILERS = 8
KEYS_AT_ONCE = 512
KEYS_AT_ONCE_ON_GPU = 8192
GROUPS_A_NEIGHBOUR = 16


def unspoilt(
    queries: Array,
    keys: Array,
    chosen: np.ndarray,
    first: np.ndarray,
    rivals: np.ndarray,
    costs: Penalty,
    *,
    sample: Array,
    neighbours: int,
    advance: Advance = unseen,
) -> np.ndarray:
    """Which queries keep the key that they chose among some, against the others, their rivals.

    Parameters
    ----------
    queries, keys : float32 arrays, shapes (n, d) and (m, d)
    chosen : ndarray of int, shape (n,)
        The key of best score among those that are no rivals. On equal scores the lower one wins.
    first : ndarray of float64, shape (n,)
        That score.
    rivals : ndarray of bool, shape (m,)
    costs : Penalty
        Of the keys, exact for those that are no rivals. Bounds are raised, and some penalties are made exact.
    sample : float32 array, shape (s, d)
        Other queries, to bound penalties of suspicious keys by; at least ``neighbours``.
    neighbours : int
        The k of CSLS.
    advance : callable, optional
        Receives numbers of comparisons.
    """
    alive = np.ones(len(first), dtype=bool)
    if not len(first) or not rivals.any():
        return alive
    queried, keyed = _suspicious(queries, keys, first, rivals, costs, neighbours, advance)
    if len(queried):
        doubtful = keyed[~costs.known[keyed]]
        if len(doubtful):
            bound = mean_similarity_bound(keys[doubtful], sample, neighbours)
            costs.raise_to(doubtful, 0.5 * bound)
        alive[queried] = _withstand(
            queries[queried], keys[keyed], keyed, chosen[queried], first[queried], costs
        )
    return alive


def _suspicious(
    queries: Array,
    keys: Array,
    first: np.ndarray,
    rivals: np.ndarray,
    costs: Penalty,
    neighbours: int,
    advance: Advance,
) -> tuple[np.ndarray, np.ndarray]:
    """The queries whose choice some key may spoil, and the keys that may spoil one."""
    xp, count = namespace(keys), len(first)
    width = max(1, count // (GROUPS_A_NEIGHBOUR * neighbours))
    groups = count // width
    longest = float(lengths_of(queries).max())
    lengths = lengths_of(keys) * longest
    slack = ROUNDING * (lengths.max() + np.abs(costs.values).max())
    floor = like((first - slack).astype(np.float32), keys)
    endangered = np.zeros(count, dtype=bool)

    def look(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        tile = keys[rows] @ queries.T
        if groups >= neighbours and not costs.known[rows].all():
            parts = xp.reshape(tile[:, : groups * width], (tile.shape[0], width, groups))
            peaks = to_numpy(xp.sort(xp.max(parts, axis=1), axis=1))[:, -neighbours:]
            bound = peaks.mean(axis=1, dtype=np.float64) - ROUNDING * lengths[rows]
            costs.raise_to(rows, 0.5 * bound)
        tile -= floor
        advance(tile.shape[0] * count)
        values = costs.values[rows].astype(np.float32)
        close = (to_numpy(xp.max(tile, axis=1)) >= values) & rivals[rows]
        here = np.flatnonzero(close)
        above = tile[here] >= like(values[here], keys)[:, None]
        return rows.start + here, to_numpy(xp.any(above, axis=0))

    size = KEYS_AT_ONCE if is_numpy(keys) else KEYS_AT_ONCE_ON_GPU
    found = in_blocks(look, keys, int(keys.shape[0]), size)
    for _, columns in found:
        endangered |= columns
    return np.flatnonzero(endangered), np.concatenate([rows for rows, _ in found])


def _withstand(
    queries: Array,
    keys: Array,
    numbers: np.ndarray,
    chosen: np.ndarray,
    first: np.ndarray,
    costs: Penalty,
) -> np.ndarray:
    """Which queries keep their choice against ``keys``, whose places in ``costs`` are ``numbers``.

    A query with more spoilers than were asked for is searched again for more of them.
    """
    total, alive = len(numbers), np.ones(len(first), dtype=bool)
    unsettled, wanted = np.arange(len(first)), min(SPOILERS, total)
    while len(unsettled):
        found = top_k(queries[unsettled], keys, wanted, costs.values[numbers])
        similar = similarities(queries[unsettled], keys, found.indices)
        falls = _falls(similar, numbers[found.indices], chosen[unsettled], first[unsettled], costs)
        alive[unsettled[falls]] = False
        more = (found.scores[:, -1] >= first[unsettled] - TIE) & (wanted < total)
        unsettled = unsettled[~falls & more]
        wanted = min(4 * wanted, total)
    return alive


def _falls(
    similar: np.ndarray,
    indices: np.ndarray,
    chosen: np.ndarray,
    first: np.ndarray,
    costs: Penalty,
) -> np.ndarray:
    """Which choices one of the candidates at ``indices`` (n, k) beats, in its exact score."""
    falls = np.zeros(len(first), dtype=bool)
    while True:
        lead = similar - costs.values[indices] - first[:, None]
        beaten = (lead > TIE) | ((lead >= -TIE) & (indices < chosen[:, None]))
        falls |= (beaten & costs.known[indices]).any(axis=1)
        doubtful = beaten & ~costs.known[indices] & ~falls[:, None]
        rows = np.flatnonzero(doubtful.any(axis=1))
        if not len(rows):
            return falls
        worst = np.where(doubtful[rows], lead[rows], -np.inf).argmax(axis=1)
        costs.resolve(np.unique(indices[rows, worst]))
