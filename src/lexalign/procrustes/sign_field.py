"""The ℓ1 loss and its gradient on the CPU, by what changed since the last time.

The gradient of ‖AM − B‖₁ is AᵀS with S = sgn(AM − B), and between two steps of a descent only some
0.3 % of the signs flip. Adding AᵀΔS for the sparse change ΔS replaces the second of the two large
products that an evaluation costs; the loss is then free as well, being ⟨AᵀS, M⟩ − ⟨S, B⟩.
"""

from __future__ import annotations

import numpy as np

from lexalign.procrustes.orthogonal import skew
from lexalign.procrustes.problem import Problem

DENSE_FROM = 0.05


class SignField:
    """Evaluates ℓ1 at one rotation after another; any order is right, a small step is fast."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._signs = np.zeros(problem.source.shape, dtype=np.int8)
        self._gradient = np.zeros((problem.dimension, problem.dimension))
        self._against_target = 0.0

    def evaluate(self, rotation: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss and the direction of steepest ascent at M, as ``Problem.evaluate`` has them."""
        residual = self._problem.residual(rotation)
        signs = (residual > 0).view(np.int8) - (residual < 0).view(np.int8)
        self._update(np.flatnonzero(signs != self._signs), signs)
        loss = float(np.vdot(self._gradient, rotation)) - self._against_target
        return loss, skew(rotation.T @ self._gradient.astype(rotation.dtype))

    def _update(self, flipped: np.ndarray, signs: np.ndarray) -> None:
        source, target = self._problem.source, self._problem.target
        if len(flipped) > DENSE_FROM * signs.size:
            dense = signs.astype(source.dtype)
            self._gradient = (source.T @ dense).astype(np.float64)
            self._against_target = float(np.einsum("ij,ij->", dense, target, dtype=np.float64))
        elif len(flipped):
            from scipy.sparse import csr_array

            change = (signs.ravel()[flipped] - self._signs.ravel()[flipped]).astype(source.dtype)
            pairs, columns = np.divmod(flipped, signs.shape[1])
            shape = signs.shape[1], signs.shape[0]
            self._gradient += (csr_array((change, (columns, pairs)), shape=shape) @ source).T
            self._against_target += float(np.dot(change, target.ravel()[flipped]))
        self._signs = signs
