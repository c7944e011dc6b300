"""Is one system better than another? A t-test over runs and a bootstrap over questions.

The paper compares scores before and after refinement by a two-tailed paired t-test over runs, with
Bonferroni's correction for the number of comparisons, and leaves out runs that failed (accuracy
below 10 %). A single run has no such test; a paired bootstrap over its questions (Efron &
Tibshirani 1993; Koehn 2004) gives an interval all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lexalign.errors import LexalignError

FAILED_BELOW = 0.1
CONFIDENCE = 0.95
RESAMPLED_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class TTest:
    """A two-tailed paired t-test: the statistic, its p-value, and that times the comparisons."""

    statistic: float
    p: float
    corrected_p: float
    runs: int


@dataclass(frozen=True)
class Bootstrap:
    """A mean over questions with an interval, and how likely chance alone makes it as far from 0.

    ``p`` is two-sided: twice the share of resamples on the other side of zero.
    """

    mean: float
    low: float
    high: float
    p: float


def paired_t_test(
    first: Sequence[float], second: Sequence[float], comparisons: int = 1
) -> TTest | None:
    """Whether ``second`` differs from ``first``, run by run; None with fewer than two runs."""
    if len(first) != len(second):
        raise LexalignError(
            f"A paired test needs as many runs of both systems. Got {len(first)} and "
            f"{len(second)} instead."
        )
    differences = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    runs = len(differences)
    if runs < 2:
        return None
    deviation = differences.std(ddof=1)
    if deviation <= 1e-12 * max(1.0, float(np.abs(differences).max())):
        # All runs differ by the same: no chance at all, or no difference at all.
        certain = bool(differences[0] != 0)
        statistic = float(np.copysign(np.inf, differences[0])) if certain else 0.0
        p = 0.0 if certain else 1.0
    else:
        from scipy.stats import ttest_rel

        test = ttest_rel(second, first)
        statistic, p = float(test.statistic), float(test.pvalue)
    return TTest(statistic, p, min(1.0, p * comparisons), runs)


def bootstrap(runs: Sequence[np.ndarray], *, resamples: int = 10_000, seed: int = 0) -> Bootstrap:
    """The mean over runs of the mean over questions, every run's questions drawn anew.

    ``runs`` holds one number a question for every run: a score for the interval of a system, or the
    difference of two systems on the same question for their comparison.
    """
    if not runs or any(len(values) == 0 for values in runs):
        raise LexalignError("A bootstrap needs at least one run with at least one question.")
    if resamples < 100:
        raise LexalignError(f"The 'resamples' must be at least 100. Got {resamples} instead.")
    generator = np.random.default_rng(seed)
    means = np.zeros(resamples)
    for values in runs:
        at_once = max(1, RESAMPLED_AT_ONCE // len(values))
        for start in range(0, resamples, at_once):
            shape = (min(at_once, resamples - start), len(values))
            drawn = generator.integers(0, len(values), shape)
            means[start : start + shape[0]] += values[drawn].mean(axis=1) / len(runs)
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(means, (tail, 100 - tail))
    mean = float(np.mean([values.mean() for values in runs]))
    beyond = min(float(np.mean(means <= 0)), float(np.mean(means >= 0)))
    return Bootstrap(mean, float(low), float(high), min(1.0, 2 * beyond))
