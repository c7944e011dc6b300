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
from lexalign.evaluate.significance import (
    FAILED_BELOW,
    Bootstrap,
    TTest,
    bootstrap,
    paired_t_test,
)

METRICS = ("p@1", "p@5", "p@10", "mrr")


class RunResult(NamedTuple):
    """One run: what was asked, and at which place every question was answered (0 for never)."""

    lexicon: str
    protocol: str
    questions: tuple[str, ...]
    ranks: np.ndarray

    def values(self, metric: str) -> np.ndarray:
        """The contribution of every question to ``metric``."""
        found = self.ranks > 0
        if metric == "mrr":
            return np.where(found, 1 / np.maximum(self.ranks, 1), 0.0)
        return (found & (self.ranks <= int(metric.removeprefix("p@")))).astype(np.float64)


@dataclass(frozen=True)
class SystemScore:
    """A system by itself: its mean over the runs that did not fail, with an interval."""

    name: str
    runs: int
    failed: int
    score: Bootstrap | None


@dataclass(frozen=True)
class Difference:
    """What a system gains over the first one, over the runs in which neither failed."""

    name: str
    runs: int
    difference: Bootstrap | None
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

    Runs with P@1 below ``failed_below`` have failed: they are counted and left out. The p-values
    of the t-tests are corrected for the number of systems compared with the first.
    """
    if metric not in METRICS:
        raise LexalignError(f"The 'metric' must be one of {METRICS}. Got {metric!r} instead.")
    if len(paths) < 2:
        raise LexalignError("A comparison needs the results of at least two systems.")
    systems = [read_results(path) for path in paths]
    for path, runs in zip(paths[1:], systems[1:], strict=True):
        _require_same_questions(paths[0], systems[0], path, runs)
    failed = [
        [float(run.values("p@1").mean()) < failed_below for run in system] for system in systems
    ]
    scores, differences = [], []
    for number, (path, runs) in enumerate(zip(paths, systems, strict=True)):
        name = str(path)
        good = [
            run.values(metric) for run, bad in zip(runs, failed[number], strict=True) if not bad
        ]
        score = bootstrap(good, resamples=resamples, seed=seed) if good else None
        scores.append(SystemScore(name, len(runs), sum(failed[number]), score))
        if number == 0:
            continue
        both = [
            (base.values(metric), run.values(metric))
            for base, run, *bad in zip(systems[0], runs, failed[0], failed[number], strict=True)
            if not any(bad)
        ]
        gains = [after - before for before, after in both]
        differences.append(
            Difference(
                name,
                len(both),
                bootstrap(gains, resamples=resamples, seed=seed) if gains else None,
                paired_t_test(
                    [float(before.mean()) for before, _ in both],
                    [float(after.mean()) for _, after in both],
                    comparisons=len(paths) - 1,
                ),
            )
        )
    return Comparison(metric, tuple(scores), tuple(differences))


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
    by_pair = result["rules"]["unit"] == "pair"
    questions = tuple(
        "\t".join((word, *references)) if by_pair else str(word)
        for word, references, _ in result["questions"]
    )
    places = np.array([int(place) for *_, place in result["questions"]], dtype=np.int64)
    if not len(places) or places.min() < 0:
        raise ValueError("a result without questions")
    name = Path(str(result.get("lexicon", "lexicon"))).name
    return RunResult(name, str(result["protocol"]), questions, places)


def _require_same_questions(
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
        if one.questions != other.questions:
            raise InputError(
                f"run {number} asked {len(other.questions)} questions of {other.lexicon} and that "
                f"of {first_path} {len(one.questions)} of {one.lexicon}, and they are not the same",
                path=path,
                remedy="evaluate both on the same lexicons in the same order, with the same words",
            )
