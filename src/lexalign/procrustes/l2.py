"""The classic: orthogonal Procrustes in the ℓ2 norm, solved in closed form."""

from __future__ import annotations

from lexalign.procrustes.orthogonal import polar
from lexalign.spaces.arrays import Array


def procrustes(source: Array, target: Array, weights: Array | None = None) -> Array:
    """The orthogonal M that minimises Σ wᵢ ‖aᵢM − bᵢ‖²: M = UVᵀ with UΣVᵀ = SVD(AᵀWB).

    Source: Schönemann 1966; equation (2) of Peng, Lin & Stevenson 2021.
    """
    weighted = target if weights is None else target * weights[:, None]
    return polar(source.T @ weighted)
