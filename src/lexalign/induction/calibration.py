"""Calibration: from the score of a ranker to the probability that a translation is right.

A score only orders the candidates of a word. If s are the scores of its candidates, the evidence of
candidate i is

    zᵢ = (1, log (exp sᵢ / Σ_{j≠i} exp sⱼ), sᵢ, log rank i)   and   P(right) = 1 / (1 + exp(−w·zᵢ))

where w is fitted to candidates of out-of-fold words. They include words whose right translation is
not among the candidates. A small ridge penalty keeps w finite if all candidates are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexalign.induction.candidates import Candidates

FITTED_CANDIDATES = 5
RIDGE = 1e-2
NEWTON_STEPS = 50
BINS = 10


@dataclass(frozen=True)
class Calibration:
    """A logistic regression on the evidence."""

    weights: np.ndarray

    @classmethod
    def fit(
        cls,
        scores: np.ndarray,
        groups: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray | None = None,
    ) -> Calibration:
        """Fit to the first candidates of out-of-fold words.

        ``scores``, ``groups``, ``labels`` and ``weights`` have one entry per candidate; the
        candidates of a word are adjacent.
        """
        evidence, places = _evidence(scores, groups)
        chosen = places < FITTED_CANDIDATES
        if weights is None:
            weights = np.ones(len(scores))
        return cls(_logistic(evidence[chosen], labels[chosen], weights[chosen]))

    def probabilities(self, scores: np.ndarray, groups: np.ndarray) -> np.ndarray:
        """The probability that each candidate is right; it decreases with the rank."""
        evidence, places = _evidence(scores, groups)
        found = 1 / (1 + np.exp(-np.clip(evidence @ self.weights, -40, 40)))
        words = np.r_[False, groups[1:] != groups[:-1]][: len(groups)].cumsum()
        table = np.full((words.max(initial=0) + 1, places.max(initial=0) + 1), np.inf)
        table[words, places] = found
        return np.asarray(np.minimum.accumulate(table, axis=1)[words, places])


class ReliabilityBin(NamedTuple):
    """Translations of similar probability: number, mean probability, and share of right ones."""

    words: int
    probability: float
    right: float


def reliability(probabilities: np.ndarray, right: np.ndarray) -> list[ReliabilityBin]:
    """The reliability diagram: bins of equal width, without empty ones."""
    places = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    return [
        ReliabilityBin(
            int((places == place).sum()),
            float(probabilities[places == place].mean()),
            float(right[places == place].mean()),
        )
        for place in np.unique(places)
    ]


def expected_calibration_error(bins: Sequence[ReliabilityBin]) -> float:
    """ECE = Σ n_b/n · |right_b − probability_b|, over the bins of the reliability diagram."""
    total = sum(one.words for one in bins)
    if not total:
        return 0.0
    return sum(one.words * abs(one.right - one.probability) for one in bins) / total


def _evidence(scores: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The evidence of each candidate, and its place, counted from 0."""
    found = Candidates(groups, groups)
    places, highest = found.places(scores), found.highest(scores)
    weights = np.exp(scores - highest)
    others = np.maximum(found.total(weights) - weights, 1e-6)
    share = scores - highest - np.log(others)
    evidence = np.column_stack((np.ones(len(scores)), share, scores, np.log1p(places)))
    return evidence, places


def _logistic(evidence: np.ndarray, labels: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Fit the ridge-penalised logistic regression by Newton's method; ``counts`` are weights."""
    weights, target = np.zeros(evidence.shape[1]), labels.astype(np.float64)
    penalty = RIDGE * len(labels) * 1e-2 * np.eye(evidence.shape[1])
    penalty[0, 0] = 0
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(evidence @ weights, -40, 40)))
        gradient = evidence.T @ (counts * (chance - target)) + penalty @ weights
        curvature = (evidence * (counts * chance * (1 - chance))[:, None]).T @ evidence + penalty
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(weights)), gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights
