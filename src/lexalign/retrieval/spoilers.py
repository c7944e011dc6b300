"""Words that may spoil a choice: their score, of which only an upper bound is known, may be better.

One product compares all other words with the words that chose. The similarities are a lower bound
of the neighbourhood of every other word, and so an upper bound of its scores. The bounds of few
words exceed the score of a choice. Their neighbourhoods are computed, the most dangerous word
first, until the choice falls or no word endangers it.
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
PARTS_A_NEIGHBOUR = 8


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

    ``chosen`` (n,) is the best of the keys (m, d) that are no ``rivals`` (m,), and ``first`` (n,)
    its exact score; on equal scores the key of lower index wins. The penalties of keys that are no
    rivals are known; those of rivals are raised or made exact as needed. ``sample`` (s, d), at
    least ``neighbours`` other queries, bounds those of suspicious keys once more.
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
    longest = float(lengths_of(queries).max())
    lengths = lengths_of(keys) * longest
    slack = ROUNDING * (lengths.max() + np.abs(costs.values).max())
    floor = like((first - slack).astype(np.float32), keys)
    endangered = np.zeros(count, dtype=bool)

    def look(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        tile = keys[rows] @ queries.T
        if count >= neighbours and not costs.known[rows].all():
            peaks = to_numpy(_peaks(tile, PARTS_A_NEIGHBOUR * neighbours))
            nearest = np.partition(peaks, -neighbours, axis=1)[:, -neighbours:]
            nearest = nearest.mean(axis=1, dtype=np.float64)
            costs.raise_to(rows, 0.5 * (nearest - ROUNDING * lengths[rows]))
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


def _peaks(tile: Array, fewest: int) -> Array:
    """The largest numbers of disjoint parts of every row: ``fewest`` parts or more, or all numbers.

    Their k largest are k different numbers of the row, and nearly always its k largest.
    """
    while tile.shape[1] >= 2 * fewest:
        half = tile.shape[1] // 2
        tile = namespace(tile).maximum(tile[:, :half], tile[:, half : 2 * half])
    return tile


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
