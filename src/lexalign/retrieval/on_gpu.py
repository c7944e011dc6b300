"""Candidates on the GPU, or the device of any torch tensor: tiles of the product, running top-k."""

from __future__ import annotations

from lexalign.arrays import Array, blocks
from lexalign.progress import Advance, unseen

QUERIES_AT_ONCE = 4096
KEYS_AT_ONCE = 65_536
GROUP = 128


def candidates(
    queries: Array,
    keys: Array,
    count: int,
    penalty: Array | None,
    advance: Advance = unseen,
) -> tuple[Array, Array]:
    """The ``count`` keys of largest x·y − penalty(y), with scores in single precision."""
    import torch

    cost = None
    if penalty is not None:
        cost = torch.as_tensor(penalty, dtype=keys.dtype, device=keys.device)
    scores, indices = [], []
    for rows in blocks(len(queries), QUERIES_AT_ONCE):
        best_scores, best_indices = [], []
        for columns in blocks(len(keys), KEYS_AT_ONCE):
            tile = queries[rows] @ keys[columns].T
            if cost is not None:
                tile -= cost[columns]
            found, places = _largest(tile, min(count, tile.shape[1]))
            best_scores.append(found)
            best_indices.append(places + columns.start)
        merged = torch.topk(torch.cat(best_scores, dim=1), count)
        scores.append(merged.values)
        indices.append(torch.cat(best_indices, dim=1).gather(1, merged.indices))
        advance((rows.stop - rows.start) * len(keys))
    return torch.cat(scores), torch.cat(indices)


def _largest(tile: Array, count: int) -> tuple[Array, Array]:
    """The largest entries of every row and their columns, best first.

    They are in the groups of columns with the largest maxima. Searching only these groups is much
    faster than torch's selection over whole rows.
    """
    import torch

    rows, width = tile.shape
    groups = width // GROUP
    if groups < 2 * count:
        found = torch.topk(tile, count)
        return found.values, found.indices
    grouped = tile[:, : groups * GROUP].unflatten(1, (groups, GROUP))
    best = torch.topk(grouped.amax(2), count).indices
    columns = (best[:, :, None] * GROUP + torch.arange(GROUP, device=tile.device)).flatten(1)
    rest = torch.arange(groups * GROUP, width, device=tile.device).expand(rows, -1)
    columns = torch.cat((columns, rest), dim=1)
    found = torch.topk(tile.gather(1, columns), count)
    return found.values, columns.gather(1, found.indices)
