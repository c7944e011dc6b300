"""The pairs of a lexicon that lie far apart, as in the case study of the paper.

A pair is an outlier if its distance ‖x − y‖, of vectors of unit length, exceeds
Q3 + 1.5·(Q3 − Q1), where Q1 and Q3 are the lower and upper quartile of the distances of all pairs.
Many outliers are words with several meanings; least squares bends the whole space towards them, so
a map fitted without them tells how much they cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexalign.errors import InputError
from lexalign.procrustes import procrustes
from lexalign.spaces import require_one_space
from lexalign.spaces.normalise import unit_rows
from lexalign.vectors import Embeddings, Lexicon, LexiconIndices

FENCE = 1.5


@dataclass(frozen=True, eq=False)
class Outliers:
    """The known pairs of a lexicon by distance.

    ``outliers``, the farthest first with their ``distances``, and ``inliers``, in the order of the
    lexicon and with its weights, are split at ``threshold``.
    """

    outliers: Lexicon
    distances: np.ndarray
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
    x = unit_rows(source.matrix[found.pairs[:, 0]]).astype(np.float64)
    y = unit_rows(target.matrix[found.pairs[:, 1]]).astype(np.float64)
    distances = np.linalg.norm(x - y, axis=1)
    lower, upper = (float(quartile) for quartile in np.percentile(distances, (25, 75)))
    threshold = upper + FENCE * (upper - lower)
    far = np.flatnonzero(distances > threshold)
    far = far[np.argsort(-distances[far], kind="stable")]
    near = np.flatnonzero(distances <= threshold)

    return Outliers(
        outliers=lexicon.take(found.rows[far]),
        distances=distances[far],
        inliers=lexicon.take(found.rows[near]),
        lower_quartile=lower,
        upper_quartile=upper,
        threshold=threshold,
        unknown=len(lexicon) - len(found),
    )


def refit(source: Embeddings, target: Embeddings, lexicon: Lexicon) -> Embeddings:
    """``source`` rotated onto ``target`` by least squares over the known pairs of ``lexicon``."""
    found = _known(source, target, lexicon)
    rotation = procrustes(
        source.matrix[found.pairs[:, 0]].astype(np.float64),
        target.matrix[found.pairs[:, 1]].astype(np.float64),
        found.weights,
    )
    return source.with_matrix(source.matrix @ rotation.astype(np.float32))


def _known(source: Embeddings, target: Embeddings, lexicon: Lexicon) -> LexiconIndices:
    require_one_space(source, target)
    found = lexicon.indices(source, target)
    if not len(found):
        raise InputError(
            f"source and target know none of the {len(lexicon)} pairs of the lexicon",
            remedy="check that the languages are in the right order and the case of the words",
        )
    return found
