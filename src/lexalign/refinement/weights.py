"""How much each mutual pair counts in a fit.

    equal    all the same, as in the paper;
    margin   by how much the pair's score exceeds that of the second choice;
    inlier   the probability that the pair is a translation, given its distance: distances are
             taken for a mixture of two normal distributions, near pairs and far ones, fitted by
             expectation and maximisation in turn.

Whichever it is, the mean weight is 1, so that a horizon means the same.
"""

from __future__ import annotations

import numpy as np

from lexalign.retrieval import MutualPairs
from lexalign.spaces.arrays import Array, to_numpy

WEIGHTS = ("equal", "margin", "inlier")
ITERATIONS = 100
SMALLEST_SPREAD = 1e-3
"""Of a component, as a share of the spread of all distances."""


def pair_weights(name: str, mutual: MutualPairs, a: Array, b: Array) -> np.ndarray | None:
    """The weights (n,), float32, of the pairs whose vectors are the rows of a and b; None if equal.

    ``name`` is one of ``WEIGHTS``.
    """
    if name == "equal":
        return None
    if name == "margin":
        weights = mutual.margins
    else:
        weights = inlier_probabilities(np.linalg.norm(to_numpy(a) - to_numpy(b), axis=1))
    mean = float(weights.mean())
    return None if mean <= 0 else (weights / mean).astype(np.float32)


def inlier_probabilities(distances: np.ndarray) -> np.ndarray:
    """The probability of each distance to come from the nearer of two normal distributions."""
    distances = distances.astype(np.float64)
    spread = float(distances.std())
    if spread == 0.0:
        return np.ones(len(distances))
    means = np.quantile(distances, (0.25, 0.75))
    deviations, shares = np.full(2, spread), np.full(2, 0.5)
    for _ in range(ITERATIONS):
        scores = (distances[:, None] - means) / deviations
        logarithms = np.log(shares / deviations) - 0.5 * scores**2
        found = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
        found /= found.sum(axis=1, keepdims=True)
        totals = np.maximum(found.sum(axis=0), 1e-9)
        shares = totals / len(distances)
        means = (found * distances[:, None]).sum(axis=0) / totals
        variances = (found * (distances[:, None] - means) ** 2).sum(axis=0) / totals
        deviations = np.sqrt(np.maximum(variances, (SMALLEST_SPREAD * spread) ** 2))
    near = found[:, int(means.argmin())]
    # A wide component also claims what is nearer than the near ones; nothing is nearer than near.
    return np.asarray(np.where(distances <= means.min(), near.max(), near))
