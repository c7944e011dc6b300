"""The orthogonal group: tangent directions, projection onto it, distances, least squares."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from lexalign.arrays import Array, is_numpy, namespace
from lexalign.threads import product, single_threaded_products

POLAR_ERROR = 1e-12


def identity(like: Array, size: int) -> Array:
    """The size × size identity, of the kind, type and device of ``like``; read-only."""
    return _identity(namespace(like), size, like.dtype, None if is_numpy(like) else like.device)


@lru_cache(maxsize=4)
def _identity(xp: Any, size: int, dtype: Any, device: Any) -> Array:
    return xp.eye(size, dtype=dtype, device=device)


def skew(matrix: Array) -> Array:
    """The skew-symmetric part ½(X − Xᵀ): the tangent directions of the group at the identity."""
    return 0.5 * (matrix - matrix.T)


def rotate(rotation: Array, direction: Array) -> Array:
    """Move from M along the skew-symmetric ``direction`` W: M exp(−W), to second order in W.

    The Euler step M − MW leaves the group by WᵀW; one Newton–Schulz correction
    M ← M(3I − MᵀM)/2 brings it back and, as a bonus, supplies the term ½W² of the exponential.
    """
    return newton_schulz(rotation - product(rotation, direction))


def newton_schulz(matrix: Array) -> Array:
    """One Newton–Schulz step towards the nearest orthogonal matrix, M ← M(3I − MᵀM)/2.

    Converges quadratically while every singular value is below √3 (Björck & Bowie 1971).
    """
    return 1.5 * matrix - 0.5 * product(matrix, product(matrix.T, matrix))


def onto_group(matrix: Array) -> Array:
    """The orthogonal matrix near M, by Newton–Schulz to rounding.

    One step takes an error e to ¾e², so the step after an error of 1e-3 is the last.
    """
    for _ in range(8):
        error = orthogonality_error(matrix)
        matrix = newton_schulz(matrix)
        if error < 1e-3:
            break
    return matrix


def polar(matrix: Array) -> Array:
    """The orthogonal matrix nearest to a square one: UVᵀ, where USVᵀ is its SVD.

    On a GPU, Newton–Schulz steps from a norm below 1 are several times faster than the
    decomposition. Each step increases a singular value by half until it is near 1. So about thirty
    steps are enough, unless the matrix is close to singular.

    If the rank r is below d, the nearest matrix is not unique. With U₂ and V₂ the vectors of the
    singular values 0, all U₁V₁ᵀ + U₂QV₂ᵀ with an orthogonal Q are equally near. The one nearest to
    the identity, Q = polar(U₂ᵀV₂), is chosen, so that rounding does not decide.
    """
    xp = namespace(matrix)
    if not is_numpy(matrix) and matrix.device.type == "cuda":
        point = xp.astype(matrix, xp.float64)
        bound = xp.sqrt(xp.max(xp.sum(abs(point), axis=0)) * xp.max(xp.sum(abs(point), axis=1)))
        point = point / bound
        for _ in range(3):
            for _ in range(10):  # thirty steps leave what is 0 but for rounding to the SVD
                point = newton_schulz(point)
            if orthogonality_error(point) < POLAR_ERROR:
                return xp.astype(point, matrix.dtype)
    # Threads that share so small a decomposition mostly wait for each other.
    with single_threaded_products():
        left, values, right = xp.linalg.svd(matrix, full_matrices=False)
    size = matrix.shape[0]
    rank = int(xp.sum(values > size * xp.finfo(values.dtype).eps * values[0]))
    if rank == size or size != matrix.shape[1]:
        return left @ right
    free, onto = left[:, rank:], right[rank:]
    inner_left, _, inner_right = xp.linalg.svd(free.T @ onto.T, full_matrices=False)
    return left[:, :rank] @ right[:rank] + free @ (inner_left @ inner_right) @ onto


def orthogonality_error(matrix: Array) -> float:
    """The distance of M from the group: max |MᵀM − I|, equation (9) of the paper."""
    gram = product(matrix.T, matrix)
    return float(namespace(matrix).max(abs(gram - identity(matrix, matrix.shape[1]))))


@single_threaded_products()
def polish(matrix: np.ndarray) -> np.ndarray:
    """The orthogonal matrix nearest to a nearly orthogonal float64 matrix.

    Rounding the result to float32 leaves max |MᵀM − I| below 1e-6.
    """
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ right)


def procrustes(source: Array, target: Array, weights: Array | None = None) -> Array:
    """The orthogonal M that minimises Σ wᵢ ‖aᵢM − bᵢ‖²: M = UVᵀ with UΣVᵀ = SVD(AᵀWB).

    Source: Schönemann 1966; equation (2) of Peng, Lin & Stevenson 2021.
    """
    weighted = target if weights is None else target * weights[:, None]
    return polar(product(source.T, weighted))
