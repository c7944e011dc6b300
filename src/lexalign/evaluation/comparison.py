"""Comparing systems on the results that ``lexalign evaluate --json`` wrote.

A file is a system, and the results in it are its runs: other seeds, languages or lexicons. The
runs of two systems belong together by their order, and must be of one lexicon and one protocol.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lexalign.errors import InputError, LexalignError
from lexalign.evaluation.accuracy import METRICS, contributions
from lexalign.evaluation.significance import (
    FAILED_BELOW,
    Bootstrap,
    TTest,
    bootstrap,
    paired_t_test,
)


class RunResult(NamedTuple):
    """One run: what was asked, and at which place each query was answered (0 for never)."""

    lexicon: str
    protocol: str
    queries: tuple[tuple[str, ...], ...]
    ranks: np.ndarray


@dataclass(frozen=True)
class SystemScore:
    """A system by itself: its mean over the runs that did not fail, with an interval."""

    name: str
    runs: int
    failed: int
    score: Bootstrap | None


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
    """All systems, and all but the first against the first."""

    metric: str
    systems: tuple[SystemScore, ...]
    differences: tuple[Difference, ...]

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON."""
        return asdict(self)


def compare_files(
    paths: Sequence[Path],
    *,
    metric: str = "p@1",
    failed_below: float = FAILED_BELOW,
    resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare the systems of these files with the first of them.

    Runs with P@1 below ``failed_below`` have failed: they are counted and left out. All p-values
    of differences are also given corrected for the number of systems compared with the first.
    """
    if metric not in METRICS:
        raise LexalignError(f"The `metric` must be one of {METRICS}. Got {metric!r} instead.")
    if not 0 <= failed_below <= 1:
        raise LexalignError(
            f"The `failed_below` must lie between 0 and 1. Got {failed_below} instead."
        )
    if len(paths) < 2:
        raise LexalignError("A comparison needs the results of at least two systems.")
    systems = [read_results(path) for path in paths]
    for path, runs in zip(paths[1:], systems[1:], strict=True):
        _require_same_queries(paths[0], systems[0], path, runs)
    failed = [
        [float(contributions(run.ranks, "p@1").mean()) < failed_below for run in system]
        for system in systems
    ]

    def interval(runs: list[RunResult], values: list[np.ndarray]) -> Bootstrap | None:
        return _interval(runs, values, resamples, seed) if runs else None

    scores, differences = [], []
    for path, runs, bad in zip(paths, systems, failed, strict=True):
        good = [run for run, failure in zip(runs, bad, strict=True) if not failure]
        values = [contributions(run.ranks, metric) for run in good]
        scores.append(SystemScore(str(path), len(runs), sum(bad), interval(good, values)))
    for path, runs, bad in zip(paths[1:], systems[1:], failed[1:], strict=True):
        both = [
            (one, other)
            for one, other, *failures in zip(systems[0], runs, failed[0], bad, strict=True)
            if not any(failures)
        ]
        before, after = (
            [contributions(pair[side].ranks, metric) for pair in both] for side in (0, 1)
        )
        gains = [new - old for old, new in zip(before, after, strict=True)]
        gain = interval([other for _, other in both], gains)
        comparisons = len(paths) - 1
        differences.append(
            Difference(
                str(path),
                len(both),
                gain,
                None if gain is None else min(1.0, gain.p * comparisons),
                paired_t_test(
                    [float(values.mean()) for values in before],
                    [float(values.mean()) for values in after],
                    comparisons,
                ),
            )
        )
    return Comparison(metric, tuple(scores), tuple(differences))


def _interval(
    runs: list[RunResult], values: list[np.ndarray], resamples: int, seed: int
) -> Bootstrap:
    """Bootstrap over queries; runs that asked the same ones share what is drawn."""
    groups: dict[tuple[tuple[str, ...], ...], list[np.ndarray]] = {}
    for run, numbers in zip(runs, values, strict=True):
        groups.setdefault(run.queries, []).append(numbers)
    means = [np.mean(alike, axis=0) for alike in groups.values()]
    return bootstrap(
        means, [len(alike) for alike in groups.values()], resamples=resamples, seed=seed
    )


def read_results(path: Path) -> list[RunResult]:
    """The runs in a file that ``lexalign evaluate --json`` wrote."""
    remedy = "name a file that 'lexalign evaluate --json' wrote"
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"it cannot be read ({error.strerror})", path=path, remedy="check the name"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError("it is not JSON", path=path, remedy=remedy) from error
    results = content if isinstance(content, list) else [content]
    try:
        runs = [
            _run(result) for result in results if not isinstance(result, dict) or "p@1" in result
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            "it holds no result of a translation test", path=path, remedy=remedy
        ) from error
    if not runs:
        raise InputError("it holds no result of a translation test", path=path, remedy=remedy)
    return runs


def _run(result: dict[str, Any]) -> RunResult:
    rows = result["ranks"]
    if not rows or not all(type(place) is int and 0 <= place < 1 << 53 for *_, place in rows):
        raise ValueError("no queries, or places that are none")
    return RunResult(
        lexicon=Path(str(result.get("lexicon", "its lexicon"))).name,
        protocol=str(result["protocol"]),
        queries=tuple((str(word), *map(str, references)) for word, references, _ in rows),
        ranks=np.array([place for *_, place in rows], dtype=np.int64),
    )


def _require_same_queries(
    first_path: Path, first: list[RunResult], path: Path, runs: list[RunResult]
) -> None:
    if len(runs) != len(first):
        raise InputError(
            f"it holds {len(runs)} runs and {first_path} {len(first)}",
            path=path,
            remedy="evaluate both systems on the same pairs and lexicons, in the same order",
        )
    for number, (one, other) in enumerate(zip(first, runs, strict=True), 1):
        if one.protocol != other.protocol:
            raise InputError(
                f"run {number} is counted by {other.protocol!r} and that of {first_path} by "
                f"{one.protocol!r}",
                path=path,
                remedy="evaluate both with one protocol",
            )
        if one.queries != other.queries:
            raise InputError(
                f"run {number} asked {len(other.queries)} queries of {other.lexicon} and that of "
                f"{first_path} {len(one.queries)} of {one.lexicon}, and they are not the same",
                path=path,
                remedy="evaluate both on the same lexicons in the same order, with the same words",
            )
