"""The pairs of a lexicon that lie far apart, as in the case study of the paper.

A pair is an outlier if its distance ‖x − y‖ exceeds Q3 + 1.5·(Q3 − Q1), where Q1 and Q3 are the
lower and upper quartile of the distances of all pairs. Many outliers are words with several
meanings; least squares bends the whole space towards them, so a map fitted without them tells how
much they cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexalign.errors import InputError
from lexalign.procrustes import procrustes
from lexalign.vectors import Embeddings, Lexicon

FENCE = 1.5


@dataclass(frozen=True, eq=False)
class Outliers:
    """The known pairs of a lexicon by distance.

    ``outliers`` and ``inliers`` split them at ``threshold``; the weights of both are the distances,
    the largest first.
    """

    outliers: Lexicon
    inliers: Lexicon
    lower_quartile: float
    upper_quartile: float
    threshold: float
    unknown: int

    def __len__(self) -> int:
        return len(self.outliers)


def find_outliers(source: Embeddings, target: Embeddings, lexicon: Lexicon) -> Outliers:
    """Measure the pairs of ``lexicon`` in two embeddings that lie in one space."""
    found = _known(source, target, lexicon)
    differences = source.matrix[found[:, 0]] - target.matrix[found[:, 1]]
    distances = np.linalg.norm(differences.astype(np.float64), axis=1)
    lower, upper = (float(quartile) for quartile in np.percentile(distances, (25, 75)))
    threshold = upper + FENCE * (upper - lower)
    order = np.lexsort((np.arange(len(distances)), -distances))
    pairs = [(source.words[found[row, 0]], target.words[found[row, 1]]) for row in order]
    split = int(np.count_nonzero(distances > threshold))
    ordered = distances[order]
    return Outliers(
        outliers=Lexicon(pairs[:split], ordered[:split]),
        inliers=Lexicon(pairs[split:], ordered[split:]),
        lower_quartile=lower,
        upper_quartile=upper,
        threshold=threshold,
        unknown=len(lexicon) - len(found),
    )


def refit(source: Embeddings, target: Embeddings, lexicon: Lexicon) -> Embeddings:
    """``source`` rotated onto ``target`` by least squares over the known pairs of ``lexicon``."""
    pairs = _known(source, target, lexicon)
    rotation = procrustes(
        source.matrix[pairs[:, 0]].astype(np.float64), target.matrix[pairs[:, 1]].astype(np.float64)
    )
    return source.with_matrix(source.matrix @ rotation.astype(np.float32))


def _known(source: Embeddings, target: Embeddings, lexicon: Lexicon) -> np.ndarray:
    if source.dimension != target.dimension:
        raise InputError(
            f"The source vectors have {source.dimension} dimensions and the target vectors "
            f"{target.dimension}",
            remedy="take two embeddings that were aligned into one space",
        )
    pairs = lexicon.indices(source, target).pairs
    if not len(pairs):
        raise InputError(
            f"source and target know none of the {len(lexicon)} pairs of the lexicon",
            remedy="check that the languages are in the right order and the case of the words",
        )
    return pairs
