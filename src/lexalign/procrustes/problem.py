"""The robust orthogonal Procrustes problem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lexalign.arrays import Array, is_numpy, namespace, to_numpy
from lexalign.errors import LexalignError
from lexalign.procrustes.losses import L1, Loss
from lexalign.procrustes.orthogonal import skew
from lexalign.threads import product, spread

PAIRS_AT_ONCE = 512


@dataclass(frozen=True)
class Problem:
    """min over orthogonal M of Σᵢ wᵢ loss(aᵢM − bᵢ), equation (3) of the paper for ℓ1.

    ``source`` A and ``target`` B have shape (n, d), row i for word pair i; ``weights`` w has shape
    (n,) or is None for all ones.
    """

    source: Array
    target: Array
    loss: Loss
    weights: Array | None = None

    def __post_init__(self) -> None:
        """Validate the matrices and weights."""
        shapes = tuple(self.source.shape), tuple(self.target.shape)
        if shapes[0] != shapes[1] or len(shapes[0]) != 2 or 0 in shapes[0]:
            raise LexalignError(
                "Procrustes needs two matrices of equal shape (pairs, dimension). Got "
                f"{shapes[0]} and {shapes[1]} instead."
            )
        for name, array in (("source", self.source), ("target", self.target)):
            if not bool(namespace(array).all(namespace(array).isfinite(array))):
                raise LexalignError(f"The {name} matrix of a Procrustes problem must be finite.")
        if self.weights is not None:
            weights = to_numpy(self.weights)
            if weights.shape != shapes[0][:1] or not (np.all(weights >= 0) and weights.sum() > 0):
                raise LexalignError(
                    f"Procrustes needs {shapes[0][0]} weights, none negative and not all zero. "
                    f"Got shape {weights.shape} with minimum {weights.min(initial=0):g} instead."
                )
            cast = namespace(self.weights).astype(self.weights, self.source.dtype)
            object.__setattr__(self, "weights", cast)

    @property
    def dimension(self) -> int:
        """The number of columns d."""
        return int(self.source.shape[1])

    def residual(self, rotation: Array) -> Array:
        """R = AM − B."""
        if not is_numpy(self.source):
            found = self.source @ rotation
            found -= self.target
            return found
        found = np.empty(self.source.shape, np.result_type(self.source, rotation))

        def subtract(rows: slice) -> None:
            np.matmul(self.source[rows], rotation, out=found[rows])
            found[rows] -= self.target[rows]

        spread(subtract, len(found), PAIRS_AT_ONCE)
        return found

    def total(self, residual: Array, loss: Loss | None = None) -> tuple[float, Array]:
        """The weighted loss of a residual and its influence."""
        per_pair, influence = _evaluated(loss or self.loss, residual)
        if self.weights is not None:
            per_pair, influence = per_pair * self.weights, influence * self.weights[:, None]
        return float(namespace(per_pair).sum(per_pair)), influence

    def ascent(self, rotation: Array, influence: Array) -> Array:
        """The direction Ω of steepest ascent at M in the group's Lie algebra.

        With ∇ = Aᵀ·influence the projected gradient of the paper's equation (6) is MΩ with
        Ω = ½(Mᵀ∇ − ∇ᵀM); on the group the term (I − MMᵀ)∇ vanishes.
        """
        return skew(product(rotation.T, self.gradient(influence)))

    def gradient(self, influence: Array) -> Array:
        """∇ = Aᵀ·influence."""
        return product(self.source.T, influence)

    def evaluate(self, rotation: Array) -> tuple[float, Array]:
        """The loss and the direction of steepest ascent at M."""
        loss, influence = self.total(self.residual(rotation))
        return loss, self.ascent(rotation, influence)

    @cached_property
    def gram(self) -> Array:
        """S = AᵀWA."""
        weighted = self.source if self.weights is None else self.source * self.weights[:, None]
        return product(self.source.T, weighted)

    @cached_property
    def spectral_norm(self) -> float:
        """An upper bound of the largest eigenvalue of S, within 9 % for d = 300.

        The bound is the p-th root of ‖Sᵖ‖ with p = 32, computed by five squarings. An eigenvalue
        solver would cost more than the whole descent on a GPU.
        """
        power, logarithm = self.gram, 0.0
        for squaring in range(6):
            norm = float(namespace(power).linalg.matrix_norm(power))
            if norm == 0.0:
                return 0.0
            logarithm += math.log(norm) / 2**squaring
            power = power / norm
            power = product(power, power)
        return math.exp(logarithm)


def _evaluated(loss: Loss, residual: Array) -> tuple[Array, Array]:
    """The loss of each pair and the influence, in blocks for ℓ1."""
    if not (is_numpy(residual) and isinstance(loss, L1)):
        return loss.evaluate(residual)
    per_pair, influence = np.empty(len(residual), residual.dtype), np.empty_like(residual)

    def evaluate(rows: slice) -> None:
        per_pair[rows], influence[rows] = loss.evaluate(residual[rows])

    spread(evaluate, len(residual), PAIRS_AT_ONCE)
    return per_pair, influence
