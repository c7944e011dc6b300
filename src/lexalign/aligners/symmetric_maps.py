"""The maps of VecMap for both sides: whiten, rotate, re-weight, de-whiten.

X and Y are the vectors of word pairs. A = (XᵀX)^(−1/2) and B = (YᵀY)^(−1/2) whiten the sides, and
USVᵀ is the SVD of (XA)ᵀ(YB). The maps are

    A · U · S^r · Uᵀ A⁻¹ U   and   B · V · S^r · Vᵀ B⁻¹ V

Source: Artetxe, Labaka & Agirre 2018a.

Examples
--------
>>> import numpy as np
>>> from lexalign.aligners.pairs import Pairs
>>> target = np.random.default_rng(0).normal(size=(20, 3))
>>> source, pairs = target[:, ::-1], Pairs(np.column_stack((np.arange(20), np.arange(20))))
>>> of_source, of_target = symmetric_maps(source, target, pairs, reweight=0.5)
>>> bool(np.allclose(source @ of_source, target @ of_target))
True
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lexalign.aligners.aligner import Aligner
from lexalign.aligners.pairs import Pairs
from lexalign.errors import LexalignError, ParameterError
from lexalign.parameters import parameter

ROTATION = '`final="rotation"`'


def reweight_parameter() -> Any:
    """Declare the exponent r of the re-weighting."""
    return parameter(
        0.5,
        at_least=0,
        help="Maps of VecMap: exponent r of the weight of a dimension, correlation ^ r.",
    )


def require_l2(aligner: Aligner, remedy: str = ROTATION) -> None:
    """Raise if the aligner has a robust loss; the symmetric maps minimise only l2."""
    if aligner.loss != "l2":
        raise ParameterError(
            f'The symmetric maps of {aligner.name} need `loss="l2"`. Got {aligner.loss!r} '
            f"instead; for another loss, set {remedy}."
        )


def require_full_spaces(aligner: Aligner) -> None:
    """Raise if the aligner would map between spaces of different dimension."""
    if aligner.unequal == "rectangular":
        raise ParameterError(
            f"The symmetric maps of {aligner.name} need spaces of equal dimension; set "
            f'`unequal="pca"` or {ROTATION}.'
        )


def symmetric_maps(
    source: np.ndarray, target: np.ndarray, pairs: Pairs, reweight: float
) -> tuple[np.ndarray, np.ndarray]:
    """The matrices of both sides, float64, (d, d)."""
    x = source[pairs.rows[:, 0]].astype(np.float64)
    y = target[pairs.rows[:, 1]].astype(np.float64)
    if pairs.weights is not None:
        root = np.sqrt(pairs.weights)[:, None]
        x, y = root * x, root * y
    whiten_x, unwhiten_x = _whitening(x)
    whiten_y, unwhiten_y = _whitening(y)
    left, correlations, right = np.linalg.svd((x @ whiten_x).T @ (y @ whiten_y))
    scale = correlations**reweight
    return (
        (whiten_x @ left * scale) @ left.T @ unwhiten_x @ left,
        (whiten_y @ right.T * scale) @ right @ unwhiten_y @ right.T,
    )


def _whitening(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(VᵀV)^(−1/2) and its inverse."""
    _, lengths, axes = np.linalg.svd(vectors, full_matrices=False)
    if len(vectors) < vectors.shape[1] or not lengths[-1] > 1e-9 * lengths[0]:
        raise LexalignError(
            f"Whitening needs pairs that span all {vectors.shape[1]} dimensions, but the "
            f"{len(vectors)} pairs do not; give more seeds, or set {ROTATION}."
        )
    return (axes.T / lengths) @ axes, (axes.T * lengths) @ axes
