"""Weights of the mutual pairs in a fit.

    equal    all the same, as in the paper;
    margin   by how much the pair's score exceeds that of the second choice;
    inlier   the probability that the pair is one of the near ones, given its distance: distances
             are taken for a mixture of two normal distributions of one spread, near pairs and far
             ones, fitted by expectation and maximisation in turn.

The mean weight is always 1, so that a horizon has the same meaning.
"""

from __future__ import annotations

import numpy as np

from lexalign.arrays import Array, to_numpy
from lexalign.retrieval import MutualPairs

WEIGHTS = ("equal", "margin", "inlier")
ITERATIONS = 100


def pair_weights(name: str, mutual: MutualPairs, a: Array, b: Array) -> np.ndarray | None:
    """The weights (n,), float32, of pairs with the vectors a and b; None if equal.

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
    """The probability that each distance belongs to the nearer of two normal distributions.

    Both have the same spread, so the probability falls with the distance, 1/(1 + exp(s (δ − δ₀))).
    """
    distances = distances.astype(np.float64)
    if np.ptp(distances) == 0.0:
        return np.ones(len(distances))
    near = (distances - distances.min()) / np.ptp(distances)
    means, variance, share = np.quantile(near, (0.25, 0.75)), float(near.var()), 0.5
    found = np.full(len(near), 0.5)
    for _ in range(ITERATIONS):
        lead = ((near - means[1]) ** 2 - (near - means[0]) ** 2) / (2 * max(variance, 1e-9))
        found = 1 / (1 + (1 - share) / share * np.exp(-np.clip(lead, -500, 500)))
        share = float(np.clip(found.mean(), 1e-6, 1 - 1e-6))
        means = np.array([np.average(near, weights=w + 1e-12) for w in (found, 1 - found)])
        variance = float(
            (found * (near - means[0]) ** 2 + (1 - found) * (near - means[1]) ** 2).mean()
        )
    return found
