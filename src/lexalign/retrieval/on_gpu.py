"""Candidates on the GPU, or wherever a torch tensor lives: tiles of the product, running top-k."""

from __future__ import annotations

import numpy as np

from lexalign.retrieval.search import blocks
from lexalign.spaces.arrays import Array

QUERIES_AT_ONCE = 4096
KEYS_AT_ONCE = 65_536


def candidates(
    queries: Array, keys: Array, count: int, penalty: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` keys of largest x·y − penalty(y), with scores in single precision."""
    import torch

    cost = None if penalty is None else torch.tensor(penalty, dtype=keys.dtype, device=keys.device)
    scores = np.empty((len(queries), count), dtype=np.float32)
    indices = np.empty((len(queries), count), dtype=np.int64)
    for rows in blocks(len(queries), QUERIES_AT_ONCE):
        best_scores, best_indices = [], []
        for columns in blocks(len(keys), KEYS_AT_ONCE):
            tile = queries[rows] @ keys[columns].T
            if cost is not None:
                tile -= cost[columns]
            found = torch.topk(tile, min(count, tile.shape[1]))
            best_scores.append(found.values)
            best_indices.append(found.indices + columns.start)
        merged = torch.topk(torch.cat(best_scores, dim=1), count)
        scores[rows] = merged.values.cpu().numpy()
        indices[rows] = torch.cat(best_indices, dim=1).gather(1, merged.indices).cpu().numpy()
    return scores, indices
