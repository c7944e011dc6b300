"""Lexicon pairs that lie far apart, as in the case study of the paper.

A pair is an outlier if the distance ‖x − y‖ of its unit vectors exceeds Q3 + 1.5·(Q3 − Q1). Q1 and
Q3 are the lower and upper quartile of the distances of all pairs. Many outliers are words with
several meanings, and least squares pulls the whole space towards them. A map fitted without them
shows their effect.
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

    ``threshold`` separates ``outliers`` and ``inliers``. ``outliers`` are sorted by ``distances``,
    farthest first. ``inliers`` keep the order and the weights of the lexicon.
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
    """Find the outliers of ``lexicon`` for two embeddings in one space."""
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
    """Rotate ``source`` onto ``target`` by least squares over the known pairs of ``lexicon``."""
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
            f"none of the {len(lexicon)} pairs of the lexicon has vectors on both sides",
            remedy="check the order of the languages and the case of the words",
        )
    return found
