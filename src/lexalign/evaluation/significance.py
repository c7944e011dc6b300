"""Significance tests: a paired t-test over runs, and a bootstrap over queries.

The paper marks differences by "two-tailed t-tests with Bonferroni correction" and leaves out failed
runs (accuracy below 10 %). Here this is a paired test over runs, which needs several runs. The
paired bootstrap over queries (Efron & Tibshirani 1993; Koehn 2004) also works for a single run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lexalign.errors import LexalignError

FAILED_BELOW = 0.1
RESAMPLES = 10_000
CONFIDENCE = 0.95
RESAMPLED_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class TTest:
    """A two-tailed paired t-test: the statistic, the p-value, and the corrected p-value."""

    statistic: float
    p: float
    corrected_p: float
    runs: int


@dataclass(frozen=True)
class Bootstrap:
    """A mean over queries and its percentile interval.

    ``p`` is the smallest level at which such an interval excludes zero. It is meaningful only for
    differences, not for scores, which are never negative.
    """

    mean: float
    low: float
    high: float
    p: float


def paired_t_test(
    first: Sequence[float], second: Sequence[float], comparisons: int = 1
) -> TTest | None:
    """Test whether ``second`` differs from ``first``, run by run.

    None if a test is not possible: fewer than two runs, or the same difference in all runs.
    """
    if len(first) != len(second):
        raise LexalignError(
            f"A paired test needs the same number of runs for both systems. Got {len(first)} and "
            f"{len(second)} instead."
        )
    differences = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    if len(differences) < 2 or np.ptp(differences) <= 1e-12:
        return None
    from scipy.stats import ttest_rel

    test = ttest_rel(second, first)
    p = float(test.pvalue)
    return TTest(float(test.statistic), p, min(1.0, p * comparisons), len(differences))


def bootstrap(
    groups: Sequence[np.ndarray],
    weights: Sequence[float] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Bootstrap:
    """Bootstrap the weighted mean over groups of the mean over queries.

    A group holds one number per query: a score, or the difference of two systems. Runs with the
    same queries are not independent. Average them into one group first, with their number as its
    weight. By default, all weights are equal.
    """
    if not groups or any(len(values) == 0 for values in groups):
        raise LexalignError("A bootstrap needs at least one run with at least one query.")
    if resamples < 100:
        raise LexalignError(f"The `resamples` must be at least 100. Got {resamples} instead.")
    shares = np.asarray(weights if weights is not None else np.ones(len(groups)), dtype=np.float64)
    shares = shares / shares.sum()
    generator, means = np.random.default_rng(seed), np.zeros(resamples)
    for values, share in zip(groups, shares, strict=True):
        at_once = max(1, RESAMPLED_AT_ONCE // len(values))
        for start in range(0, resamples, at_once):
            shape = (min(at_once, resamples - start), len(values))
            drawn = generator.integers(0, len(values), shape)
            means[start : start + shape[0]] += share * values[drawn].mean(axis=1)
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(means, (tail, 100 - tail))
    mean = sum(share * float(values.mean()) for values, share in zip(groups, shares, strict=True))
    beyond = min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0))
    p = min(1.0, 2 * (1 + int(beyond)) / (1 + resamples))
    return Bootstrap(float(mean), float(low), float(high), p)
