"""Compare systems by the results that ``lexalign evaluate --json`` wrote.

Each file is a system, and its results are runs with different seeds, languages or lexicons. The
runs of two systems are paired by order, and must have the same lexicon and protocol. Each protocol,
such as nearest neighbours or CSLS, is compared separately. A learned ranking is compared with CSLS
if a system has no learned ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.errors import LexalignError
from lexalign.evaluation.accuracy import METRICS, contributions
from lexalign.evaluation.matched_results import matched_results
from lexalign.evaluation.run_results import RunResult, read_results
from lexalign.evaluation.significance import (
    FAILED_BELOW,
    RESAMPLES,
    Bootstrap,
    TTest,
    bootstrap,
    paired_t_test,
)


@dataclass(frozen=True)
class SystemScore:
    """The mean score of one system over its successful runs, with an interval.

    ``leaked`` counts the ``queries`` that are seeds of its alignments; None if unknown.
    ``protocol`` is the protocol of the comparison. It is the one with CSLS if the comparison is
    about a learned ranking and the system has none.
    """

    name: str
    protocol: str
    runs: int
    failed: int
    score: Bootstrap | None
    queries: int
    leaked: int | None


@dataclass(frozen=True)
class Difference:
    """The gain of a system over the first one, over runs in which both succeeded.

    ``corrected_p`` is the p-value of the bootstrap times the number of comparisons.
    """

    name: str
    runs: int
    difference: Bootstrap | None
    corrected_p: float | None
    t_test: TTest | None


@dataclass(frozen=True)
class Comparison:
    """The comparison of all systems by one protocol.

    ``excluded`` counts the queries that were left out because they are seeds of any system.
    """

    protocol: str
    metric: str
    excluded: int
    systems: tuple[SystemScore, ...]
    differences: tuple[Difference, ...]

    def as_dict(self) -> dict[str, Any]:
        """The comparison in JSON types."""
        return asdict(self)


@dataclass(frozen=True)
class _System:
    """The runs of one file, and which of them failed."""

    name: str
    runs: list[RunResult]
    failed: list[bool]

    @classmethod
    def of(cls, path: Path, runs: list[RunResult], failed_below: float) -> _System:
        failed = [float(contributions(run.ranks, "p@1").mean()) < failed_below for run in runs]
        return cls(str(path), runs, failed)


@dataclass(frozen=True)
class _Comparer:
    """The metric and the bootstrap of a comparison."""

    metric: str
    resamples: int
    seed: int
    comparisons: int

    def score(self, system: _System) -> SystemScore:
        """The mean score of a system over its successful runs."""
        good = [run for run, bad in zip(system.runs, system.failed, strict=True) if not bad]
        interval = self._interval(good, [self._values(run) for run in good])
        leaked = [len(run.leaked) for run in system.runs if run.leaked is not None]
        return SystemScore(
            system.name,
            system.runs[0].protocol,
            len(system.runs),
            sum(system.failed),
            interval,
            sum(len(run.queries) for run in system.runs),
            sum(leaked) if leaked else None,
        )

    def difference(self, first: _System, other: _System) -> Difference:
        """The gain of a system over the first one, over runs in which both succeeded."""
        failures = map(any, zip(first.failed, other.failed, strict=True))
        both = [
            pair
            for pair, bad in zip(zip(first.runs, other.runs, strict=True), failures, strict=True)
            if not bad
        ]
        before = [self._values(one) for one, _ in both]
        after = [self._values(two) for _, two in both]
        gains = [new - old for old, new in zip(before, after, strict=True)]
        gain = self._interval([two for _, two in both], gains)
        return Difference(
            other.name,
            len(both),
            gain,
            None if gain is None else min(1.0, gain.p * self.comparisons),
            paired_t_test(_means(before), _means(after), self.comparisons),
        )

    def _values(self, run: RunResult) -> np.ndarray:
        return contributions(run.ranks, self.metric)

    def _interval(self, runs: list[RunResult], values: list[np.ndarray]) -> Bootstrap | None:
        """The bootstrap over queries; runs with the same queries share the samples."""
        if not runs:
            return None
        groups: dict[tuple[tuple[str, ...], ...], list[np.ndarray]] = {}
        for run, numbers in zip(runs, values, strict=True):
            groups.setdefault(run.queries, []).append(numbers)
        means = [np.mean(alike, axis=0) for alike in groups.values()]
        weights = [len(alike) for alike in groups.values()]
        return bootstrap(means, weights, resamples=self.resamples, seed=self.seed)


def compare_files(
    paths: Sequence[Path],
    *,
    metric: str = "p@1",
    failed_below: float = FAILED_BELOW,
    resamples: int = RESAMPLES,
    seed: int = 0,
    exclude_seeds: bool = False,
) -> list[Comparison]:
    """Compare the systems of several files with the first one, once per protocol.

    A learned ranking is compared with CSLS if a system has no learned ranking.

    Runs with P@1 below ``failed_below`` count as failed and are left out. All p-values are also
    corrected for the number of systems compared with the first one. With ``exclude_seeds``, queries
    that are seeds of any system are left out of all systems.
    """
    _check_parameters(paths, metric, failed_below)
    results = [read_results(path) for path in paths]
    if exclude_seeds and all(run.leaked is None for runs in results for run in runs):
        raise LexalignError(
            "The results do not record which queries are seeds; evaluate run folders, or name "
            "the seeds with `seeds` in the evaluation."
        )
    comparer, found = _Comparer(metric, resamples, seed, len(paths) - 1), list[Comparison]()
    for protocol, matched in matched_results(paths, results).items():
        runs = _without_seeds(matched) if exclude_seeds else matched
        first, *others = (
            _System.of(path, own, failed_below) for path, own in zip(paths, runs, strict=True)
        )
        found.append(
            Comparison(
                protocol,
                metric,
                sum(run.excluded for run in first.runs),
                tuple(map(comparer.score, (first, *others))),
                tuple(comparer.difference(first, other) for other in others),
            )
        )
    return found


def _without_seeds(systems: list[list[RunResult]]) -> list[list[RunResult]]:
    """The runs of all systems without queries that are seeds of any system."""
    kept = list[list[RunResult]]()
    for same in zip(*systems, strict=True):
        leaked = {row for run in same for row in run.leaked or ()}
        if len(leaked) == len(same[0].queries):
            raise LexalignError(
                f"All {len(leaked):,} queries of {same[0].lexicon} are seeds, so nothing is left "
                "to compare; test on words that are not seeds."
            )
        kept.append([run.without(leaked) for run in same])
    return [list(runs) for runs in zip(*kept, strict=True)]


def _means(values: list[np.ndarray]) -> list[float]:
    return [float(numbers.mean()) for numbers in values]


def _check_parameters(paths: Sequence[Path], metric: str, failed_below: float) -> None:
    """Validate parameters."""
    if metric not in METRICS:
        raise LexalignError(f"The `metric` must be one of {METRICS}. Got {metric!r} instead.")
    if not 0 <= failed_below <= 1:
        raise LexalignError(
            f"The `failed_below` must be between 0 and 1. Got {failed_below} instead."
        )
    if len(paths) < 2:
        raise LexalignError("A comparison needs the results of at least two systems.")
