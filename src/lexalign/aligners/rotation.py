"""The rotation of word pairs, in any loss: the Procrustes step inside every aligner."""

from __future__ import annotations

import numpy as np

from lexalign.aligners.aligner import Pairs
from lexalign.procrustes import procrustes, solve


def rotation(source: np.ndarray, target: np.ndarray, pairs: Pairs, loss: str = "l2") -> np.ndarray:
    """The orthogonal M, float64, with source·M ≈ target over the pairs.

    Least squares has a closed form. A robust loss is minimised from there: the rotation that least
    squares finds comes first, so that the descent starts close to its end.
    """
    a = source[pairs.rows[:, 0]].astype(np.float64)
    b = target[pairs.rows[:, 1]].astype(np.float64)
    start = np.asarray(procrustes(a, b, pairs.weights))
    if loss == "l2":
        return start
    moved = (a @ start).astype(np.float32)
    correction = solve(
        moved, b.astype(np.float32), loss=loss, solver="exact", weights=pairs.weights
    )
    return np.asarray(start @ correction.rotation)
