"""The ℓ1 loss and its gradient on the CPU, updated from the last evaluation.

The gradient of ‖AM − B‖₁ is AᵀS with S = sgn(AM − B). Between two steps of a descent, less than one
per cent of the signs change. So an evaluation adds AᵀΔS for the sparse change ΔS instead of
computing the product AᵀS again. The loss then costs nothing more: it is ⟨AᵀS, M⟩ − ⟨S, B⟩.
"""

from __future__ import annotations

import numpy as np

from lexalign.procrustes.orthogonal import skew
from lexalign.procrustes.problem import PAIRS_AT_ONCE, Problem
from lexalign.threads import product, spread

DENSE_FROM = 0.05


class SignField:
    """Evaluates ℓ1 at a sequence of rotations; small steps are fast."""

    def __init__(self, problem: Problem) -> None:
        self._source, self._target = problem.source, problem.target
        self._signs = np.zeros(problem.source.shape, dtype=np.int8)
        self._spare = np.empty_like(self._signs)
        self._gradient = np.zeros((problem.dimension, problem.dimension))
        self._against_target = 0.0

    def evaluate(self, rotation: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss and the direction of steepest ascent at M, like ``Problem.evaluate``."""
        signs = self._spare

        def flipped(rows: slice) -> np.ndarray:
            mapped, target = self._source[rows] @ rotation, self._target[rows]
            above, below = mapped > target, mapped < target
            np.subtract(above.view(np.int8), below.view(np.int8), out=signs[rows])
            changed = np.flatnonzero(signs[rows] != self._signs[rows])
            return np.asarray(changed + rows.start * signs.shape[1])

        self._update(np.concatenate(spread(flipped, len(signs), PAIRS_AT_ONCE)), signs)
        self._signs, self._spare = signs, self._signs
        loss = float(np.vdot(self._gradient, rotation)) - self._against_target
        return loss, skew(product(rotation.T, self._gradient.astype(rotation.dtype)))

    def _update(self, flipped: np.ndarray, signs: np.ndarray) -> None:
        """Update AᵀS and ⟨S, B⟩; ``flipped`` are positions in the raveled signs."""
        if len(flipped) > DENSE_FROM * signs.size:
            dense = signs.astype(self._source.dtype)
            self._gradient = product(self._source.T, dense).astype(np.float64)
            self._against_target = float(
                np.einsum("ij,ij->", dense, self._target, dtype=np.float64)
            )
        elif len(flipped):
            from scipy.sparse import csr_array

            change = (signs.ravel()[flipped] - self._signs.ravel()[flipped]).astype(np.float32)
            pairs, columns = np.divmod(flipped, signs.shape[1])
            starts = np.searchsorted(pairs, np.arange(len(signs) + 1))
            sparse = csr_array((change, columns, starts), shape=signs.shape)
            self._gradient += (sparse.T @ self._source).T
            self._against_target += float(np.dot(change, self._target.ravel()[flipped]))
