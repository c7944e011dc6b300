"""Comparing systems on the results that ``lexalign evaluate --json`` wrote.

A file is a system, and the results in it are its runs: other seeds, languages or lexicons. The
runs of two systems belong together by their order, and must be of one lexicon and one protocol.
Results of different protocols, such as nearest neighbours and CSLS, are compared apart. Only a
learned ranking is compared with the CSLS of a system that has none.
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
    """A system by itself: its mean over the runs that did not fail, with an interval.

    ``leaked`` of its ``queries`` are seeds of its alignments, None if that is unknown. Its
    ``protocol`` is that of the comparison, or the one with CSLS if that is of a learned ranking and
    the system has none.
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
    """What a system gains over the first one, over the runs in which neither failed.

    ``corrected_p`` is the p-value of the bootstrap times the number of comparisons.
    """

    name: str
    runs: int
    difference: Bootstrap | None
    corrected_p: float | None
    t_test: TTest | None


@dataclass(frozen=True)
class Comparison:
    """All systems by one protocol, and all but the first against the first.

    ``excluded`` queries were left out of all systems, because they are seeds of any.
    """

    protocol: str
    metric: str
    excluded: int
    systems: tuple[SystemScore, ...]
    differences: tuple[Difference, ...]

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON."""
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
    """The metric and the bootstrap, which are the same for all systems."""

    metric: str
    resamples: int
    seed: int
    comparisons: int

    def score(self, system: _System) -> SystemScore:
        """The mean of a system over the runs that did not fail."""
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
        """What a system gains over the first one, over the runs in which neither failed."""
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
        """Bootstrap over queries; runs that asked the same ones share what is drawn."""
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
    """Compare the systems of these files with the first of them, once for each protocol.

    A learned ranking is compared with the CSLS results of systems that have none.

    Runs with P@1 below ``failed_below`` have failed: they are counted and left out. All p-values
    of differences are also given corrected for the number of systems compared with the first. With
    ``exclude_seeds`` queries that are seeds of any of the systems are left out of all of them.
    """
    _check_parameters(paths, metric, failed_below)
    results = [read_results(path) for path in paths]
    if exclude_seeds and all(run.leaked is None for runs in results for run in runs):
        raise LexalignError(
            "No result says which queries are seeds, so they cannot be left out; evaluate run "
            "folders, or name the seeds with `seeds` when you evaluate."
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
    """The runs of all systems without the queries that are seeds of any of them."""
    kept = list[list[RunResult]]()
    for same in zip(*systems, strict=True):
        leaked = {row for run in same for row in run.leaked or ()}
        if len(leaked) == len(same[0].queries):
            raise LexalignError(
                f"All {len(leaked):,} queries of {same[0].lexicon} are seeds, so nothing is left "
                "to compare; test on words that no alignment has seen."
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
            f"The `failed_below` must lie between 0 and 1. Got {failed_below} instead."
        )
    if len(paths) < 2:
        raise LexalignError("A comparison needs the results of at least two systems.")
