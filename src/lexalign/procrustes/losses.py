"""Losses of a residual: ℓ1 and its robust relatives.

A loss maps the residual R = AM − B (one row per word pair) to one number per pair. Its influence is
the derivative ∂loss/∂R. The ℓ1 loss of the paper sums over coordinates. The other losses are
functions of a pair's distance δ = ‖r‖₂, so they do not depend on the coordinate basis:

    l1       Σ |rⱼ|
    l2       √d · δ²/2s
    l21      √d · δ
    huber    √d · (δ²/2s for δ ≤ s, else δ − s/2)
    welsch   √d · s/2 · (1 − exp(−δ²/s²))
    trimmed  √d · δ²/2s for the closest 80 % of the pairs, nothing for the rest

with s the median distance of the pairs at the start. The factor √d makes their slopes comparable
with ℓ1 (‖r‖₁ ≤ √d ‖r‖₂), so that one horizon means a similar path for all of them.

Sources: Peng, Lin & Stevenson 2021, equation (3), for ℓ1; Huber 1964; Dennis & Welsch 1978;
Rousseeuw 1984 for trimming.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from lexalign.arrays import Array, namespace, sign
from lexalign.errors import LexalignError
from lexalign.parameters import parameter


class Loss(Protocol):
    """The interface of a loss."""

    def fitted(self, residual: Array) -> Self:
        """The loss with its scale set by the residual at the start."""
        ...

    def evaluate(self, residual: Array) -> tuple[Array, Array]:
        """The loss of every pair, shape (n,), and the influence, shape (n, d)."""
        ...

    def curvature(self, residual: Array) -> float:
        """The mean second derivative in a coordinate: the rate at which the influence changes."""
        ...


@dataclass(frozen=True)
class L1:
    """The Manhattan loss Σ |rⱼ|, or with ``smoothing`` ε the smooth Σ √(rⱼ² + ε²) − ε."""

    smoothing: float = 0.0

    def fitted(self, residual: Array) -> L1:
        """ℓ1 has no scale."""
        return self

    def evaluate(self, residual: Array) -> tuple[Array, Array]:
        """Σ |rⱼ| and the sign field, or their smooth approximations."""
        xp = namespace(residual)
        if self.smoothing == 0.0:
            return xp.sum(abs(residual), axis=1), sign(residual)
        root = xp.sqrt(residual * residual + self.smoothing**2)
        return xp.sum(root, axis=1) - residual.shape[1] * self.smoothing, residual / root

    def curvature(self, residual: Array) -> float:
        """Twice the density of the residuals at zero: the rate at which signs flip."""
        xp = namespace(residual)
        if self.smoothing > 0.0:
            width = self.smoothing**2
            return float(xp.mean(width * (residual * residual + width) ** -1.5))
        size = abs(residual)
        width = 0.1 * float(xp.mean(size))
        inside = xp.mean(xp.astype(size < width, residual.dtype))
        return float(inside) / width if width > 0 else 0.0


@dataclass(frozen=True)
class PairLoss:
    """A loss of the distance δ between the two words of a pair, ``scale`` in units of δ."""

    scale: float = 1.0

    def fitted(self, residual: Array) -> Self:
        """Take the median distance as the scale."""
        xp = namespace(residual)
        ordered = xp.sort(distances(residual))
        return replace(self, scale=max(float(ordered[ordered.shape[0] // 2]), 1e-12))

    def weights(self, distance: Array) -> Array:
        """ρ'(δ)/δ: the weight of a pair in the least-squares problem that majorises the loss."""
        raise NotImplementedError

    def values(self, distance: Array) -> Array:
        """ρ(δ) for every pair."""
        raise NotImplementedError

    def evaluate(self, residual: Array) -> tuple[Array, Array]:
        """√d ρ(δ) and its derivative √d ρ'(δ)/δ · r."""
        distance, factor = distances(residual), math.sqrt(residual.shape[1])
        return factor * self.values(distance), factor * self.weights(distance)[:, None] * residual

    def curvature(self, residual: Array) -> float:
        """The mean weight, which bounds the second derivative of these losses.

        Distances below a tenth of the scale count as a tenth, because ℓ2,1 has a kink at 0.
        """
        xp = namespace(residual)
        weights = self.weights(xp.clip(distances(residual), min=0.1 * self.scale))
        return math.sqrt(residual.shape[1]) * float(namespace(weights).mean(weights))


class L2(PairLoss):
    """Least squares: the loss with the closed form."""

    def weights(self, distance: Array) -> Array:
        """1/s for every pair."""
        return namespace(distance).ones_like(distance) / self.scale

    def values(self, distance: Array) -> Array:
        """δ²/2s."""
        return distance**2 / (2 * self.scale)


class L21(PairLoss):
    """The sum of distances: ℓ1 over pairs, ℓ2 within a pair."""

    def weights(self, distance: Array) -> Array:
        """1/δ, bounded for pairs that coincide."""
        return 1.0 / namespace(distance).clip(distance, min=1e-6 * self.scale)

    def values(self, distance: Array) -> Array:
        """δ."""
        return distance


class Huber(PairLoss):
    """Squared for near pairs, linear for far ones."""

    def weights(self, distance: Array) -> Array:
        """1/max(δ, s)."""
        return 1.0 / namespace(distance).clip(distance, min=self.scale)

    def values(self, distance: Array) -> Array:
        """δ²/2s up to s, δ − s/2 beyond."""
        xp = namespace(distance)
        near = distance**2 / (2 * self.scale)
        return xp.where(distance <= self.scale, near, distance - 0.5 * self.scale)


class Welsch(PairLoss):
    """Squared for near pairs, and constant for far ones."""

    def weights(self, distance: Array) -> Array:
        """exp(−δ²/s²)/s."""
        return namespace(distance).exp(-((distance / self.scale) ** 2)) / self.scale

    def values(self, distance: Array) -> Array:
        """s/2 · (1 − exp(−δ²/s²))."""
        return -0.5 * self.scale * namespace(distance).expm1(-((distance / self.scale) ** 2))


@dataclass(frozen=True)
class Trimmed(PairLoss):
    """Least squares over the closest pairs; the farthest share of 1 − ``keep`` has no weight."""

    keep: float = 0.8

    def __post_init__(self) -> None:
        """Validate the share of pairs."""
        if not 0 < self.keep <= 1:
            raise LexalignError(
                f"The `keep` of the trimmed loss must be above 0 and at most 1. Got {self.keep} "
                "instead."
            )

    def kept(self, distance: Array) -> Array:
        """1 for the closest pairs, 0 for the others."""
        xp = namespace(distance)
        count = max(1, math.ceil(self.keep * distance.shape[0]))
        return xp.astype(distance <= xp.sort(distance)[count - 1], distance.dtype)

    def weights(self, distance: Array) -> Array:
        """1/s for the closest pairs."""
        return self.kept(distance) / self.scale

    def values(self, distance: Array) -> Array:
        """δ²/2s for the closest pairs."""
        return self.kept(distance) * distance**2 / (2 * self.scale)


LOSSES: dict[str, type[L1] | type[PairLoss]] = {
    "l1": L1,
    "l2": L2,
    "l21": L21,
    "huber": Huber,
    "welsch": Welsch,
    "trimmed": Trimmed,
}


def named_loss(name: str) -> L1 | PairLoss:
    """The loss of this name with its defaults."""
    if name not in LOSSES:
        raise LexalignError(f"The `loss` must be one of {tuple(LOSSES)}. Got {name!r} instead.")
    return LOSSES[name]()


def loss_parameter(default: str) -> Any:
    """Declare the loss of a Procrustes problem."""
    return parameter(default, choices=tuple(LOSSES), help="Loss of the Procrustes problem.")


def distances(residual: Array) -> Array:
    """‖r‖₂ of every row."""
    xp = namespace(residual)
    return xp.sqrt(xp.vecdot(residual, residual))
