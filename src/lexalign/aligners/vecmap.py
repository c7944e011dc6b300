"""VecMap's final map: whiten, rotate, re-weight, de-whiten, on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lexalign.aligners.aligner import Aligner, Learned, Pairs
from lexalign.errors import LexalignError
from lexalign.progress import Progress


@dataclass(frozen=True, kw_only=True)
class VecMap(Aligner):
    """Map both sides by the multi-step framework, once, from a seed lexicon.

    With X and Y the seeds' vectors, A = (XᵀX)^(−1/2) and B = (YᵀY)^(−1/2) the whitening of each
    side, and USVᵀ the SVD of (XA)ᵀ(YB), the maps are

        A · U · S^r · Uᵀ A⁻¹ U   and   B · V · S^r · Vᵀ B⁻¹ V

    that is whitening, the orthogonal map, re-weighting by the correlations S to the power r
    (``reweight``), and de-whitening in the rotated basis.

    Source: Artetxe, Labaka & Agirre 2018, the supervised preset of their program.
    """

    name: ClassVar[str] = "vecmap"
    citation: ClassVar[str] = (
        "Mikel Artetxe, Gorka Labaka and Eneko Agirre. 2018. Generalizing and Improving Bilingual "
        "Word Embedding Mappings with a Multi-Step Framework of Linear Transformations. AAAI 2018."
    )

    reweight: float = 0.5

    def __post_init__(self) -> None:
        """Refuse a power that is none, and losses that the whitened problem has no room for."""
        super().__post_init__()
        if not 0 <= self.reweight < np.inf:
            raise LexalignError(
                f"The 'reweight' must be finite and not negative. Got {self.reweight} instead."
            )
        if self.loss != "l2":
            raise LexalignError(
                "The map of vecmap comes from correlations, for which only the loss l2 is defined. "
                f"Got {self.loss!r} instead; use procrustes or procb for a robust loss."
            )

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Learned:
        """The closed form above."""
        with progress.stage("aligning"):
            maps = symmetric_maps(source, target, seeds, self.reweight)
        return Learned(*maps, seeds, ({"round": 0, "pairs": len(seeds)},))


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
    if len(vectors) < vectors.shape[1] or lengths[-1] < 1e-9 * lengths[0]:
        raise LexalignError(
            f"Whitening needs seeds that span all {vectors.shape[1]} dimensions, but the "
            f"{len(vectors)} known ones do not; give more seeds, or use procrustes or procb."
        )
    return (axes.T / lengths) @ axes, (axes.T * lengths) @ axes
