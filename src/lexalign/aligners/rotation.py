"""The rotation of word pairs, in any loss: the Procrustes step inside every aligner."""

from __future__ import annotations

import numpy as np

from lexalign.aligners.pairs import Pairs
from lexalign.procrustes import procrustes, solve
from lexalign.spaces.arrays import Array, namespace


def rotation(source: np.ndarray, target: np.ndarray, pairs: Pairs, loss: str = "l2") -> np.ndarray:
    """The orthogonal M, float64, with source·M ≈ target over the pairs."""
    a = source[pairs.rows[:, 0]].astype(np.float64)
    b = target[pairs.rows[:, 1]].astype(np.float64)
    return np.asarray(fitted_rotation(a, b, loss, pairs.weights))


def fitted_rotation(a: Array, b: Array, loss: str, weights: Array | None = None) -> Array:
    """The orthogonal M with aM ≈ b, row by row (n, d), of the type of ``a`` and where it is.

    Least squares has a closed form. A robust loss is minimised from there: the rotation that least
    squares finds comes first, so that the descent starts close to its end.
    """
    start = procrustes(a, b, weights)
    if loss == "l2":
        return start
    xp = namespace(a)
    moved, wanted = (xp.astype(rows, xp.float32) for rows in (a @ start, b))
    correction = solve(moved, wanted, loss=loss, solver="exact", weights=weights).rotation
    return start @ xp.asarray(correction, dtype=a.dtype, device=start.device)
