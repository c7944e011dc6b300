"""The results of the jobs of a grid so far, cell by cell."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from lexalign.errors import InputError
from lexalign.evaluation.accuracy import METRICS
from lexalign.evaluation.significance import FAILED_BELOW, TTest, paired_t_test
from lexalign.experiments.jobs import FAILURES, JOBS
from lexalign.experiments.plan import FORMAT, SUFFIX
from lexalign.runs import is_run, read_record

LONGEST_JOB = 200
CHANCE = 1 / 3
"""The accuracy of guessing in natural language inference; a run without a better one has failed."""


@dataclass(frozen=True)
class RunScore:
    """One run: its scores by metric, whether it failed, and the time of all its jobs."""

    values: Mapping[str, float]
    queries: int
    failed: bool
    seconds: float


@dataclass(frozen=True)
class ResultCell:
    """The runs of one cell by seed; ``reasons`` explain missing runs.

    A method without random numbers has one run, under the first seed.
    """

    scores: Mapping[int, RunScore]
    reasons: tuple[str, ...]

    @property
    def good(self) -> tuple[RunScore, ...]:
        """The runs that did not fail; all runs if all failed."""
        found = tuple(score for score in self.scores.values() if not score.failed)
        return found or tuple(self.scores.values())

    @property
    def failed(self) -> int:
        """The number of failed runs."""
        return sum(score.failed for score in self.scores.values())

    @property
    def has_only_failed(self) -> bool:
        """Whether all runs failed."""
        return self.failed == len(self.scores)

    @property
    def is_partial(self) -> bool:
        """Whether the mean leaves out failed or missing runs."""
        return bool(self.scores) and (self.failed > 0 or bool(self.reasons))

    def mean(self, metric: str) -> float | None:
        """The mean over the good runs; None if there are none."""
        return mean(score.values[metric] for score in self.good) if self.scores else None

    def spread(self, metric: str) -> float | None:
        """The standard deviation over the good runs; None for a single run."""
        values = [score.values[metric] for score in self.good]
        return stdev(values) if len(values) > 1 else None


@dataclass(frozen=True)
class Results:
    """The table of a grid, as far as it is complete; ``seconds`` is the total time of its jobs."""

    grid: Mapping[str, Any]
    titles: Mapping[str, str]
    entries: Mapping[tuple[str, str, str], ResultCell]
    seconds: float

    @property
    def metric(self) -> str:
        """The metric in the table."""
        return str(self.grid["metric"])

    @property
    def metrics(self) -> tuple[str, ...]:
        """All available metrics."""
        scores = (score for entry in self.entries.values() for score in entry.scores.values())
        return tuple(next(scores).values) if any(e.scores for e in self.entries.values()) else ()

    @property
    def pairs(self) -> tuple[str, ...]:
        """Its columns, as "vectors:source-target"."""
        return tuple(dict.fromkeys(pair for _, _, pair in self.entries))

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The rows: aligner and refinement ("" for none)."""
        return tuple(dict.fromkeys((aligner, label) for aligner, label, _ in self.entries))

    def entry(self, aligner: str, refinement: str, pair: str) -> ResultCell:
        """The runs of one cell."""
        return self.entries[aligner, refinement, pair]

    def published(self, aligner: str, refinement: str, pair: str, metric: str) -> float | None:
        """The published figure in percent, if there is one for the cell."""
        vectors, _, languages = pair.partition(":")
        if metric != self.metric or vectors != self.grid["vectors"]:
            return None
        row = self.grid["published"].get(f"{aligner}-{refinement}" if refinement else aligner, {})
        found: float | None = row.get(languages)
        return found

    def gain(self, aligner: str, refinement: str, pair: str, metric: str) -> float | None:
        """The gain by refinement, over runs that succeeded both without and with it."""
        both = _matched(self.entry(aligner, "", pair), self.entry(aligner, refinement, pair))
        return mean(new.values[metric] - old.values[metric] for old, new in both) if both else None

    def test(self, aligner: str, refinement: str, metric: str) -> TTest | None:
        """Test whether refinement changes the scores of an aligner: a t-test over language pairs.

        The test is two-tailed and paired, without failed runs, and Bonferroni-corrected for all
        refined rows of the table, as in the paper. Runs of one pair with different seeds are not
        independent, so a pair counts once, with the mean of its runs.
        """
        both = [
            (
                mean(old.values[metric] for old, _ in scores),
                mean(new.values[metric] for _, new in scores),
            )
            for pair in self.pairs
            if (
                scores := _matched(
                    self.entry(aligner, "", pair), self.entry(aligner, refinement, pair)
                )
            )
        ]
        return paired_t_test(
            [old for old, _ in both],
            [new for _, new in both],
            comparisons=sum(1 for _, label in self.rows if label),
        )


def _matched(base: ResultCell, refined: ResultCell) -> list[tuple[RunScore, RunScore]]:
    """The runs of both by seed, where both succeeded."""
    return [
        (base.scores[seed], score)
        for seed, score in refined.scores.items()
        if seed in base.scores and not (base.scores[seed].failed or score.failed)
    ]


def read_results(root: Path, name: str) -> Results:
    """The results of a grid in the folder of an experiment."""
    path = root / f"{name}{SUFFIX}"
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        known = ", ".join(grids_in(root)) or "there is none yet"
        raise InputError(
            f"there is no grid called {name} in this folder",
            path=root,
            remedy=f"run it with 'lexalign experiment run', or name one of {known}",
        ) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(path, error) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _damaged(path, "it has another format")
    try:
        _require_plan(content)
        return _results(root, content)
    except (
        AttributeError, KeyError, TypeError, IndexError, OverflowError, ValueError,
    ) as error:  # fmt: skip
        raise _damaged(path, f"{type(error).__name__} {error}") from error


def grids_in(root: Path) -> tuple[str, ...]:
    """The grids that were run in this folder."""
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in root.glob(f"*{SUFFIX}")))


def _damaged(path: Path, why: object) -> InputError:
    return InputError(
        f"this is not an experiment of Lexalign, or it is damaged ({why})",
        path=path,
        remedy="run the grid again",
    )


def _require_plan(content: Mapping[str, Any]) -> None:
    """Raise ValueError, KeyError or TypeError unless this is a plan that ``Plan.write`` wrote."""
    grid, titles = content["grid"], content["titles"]
    texts = [grid[name] for name in ("name", "title", "vectors", "metric", "source")]
    texts += [text for entry in titles.items() for text in entry]
    numbers = [number for row in grid["published"].values() for number in row.values()]
    for cell in content["cells"]:
        texts += [cell["aligner"], cell["refinement"], cell["pair"], cell["missing"], *cell["job"]]
        numbers.append(cell["seed"])
        if any(len(job) > LONGEST_JOB or Path(job).name != job for job in cell["job"]):
            raise ValueError("the name of a job has the wrong form")
        if not cell["job"] and not cell["missing"]:
            raise ValueError("a cell has no job")
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a text has the wrong type")
    _require_numbers(numbers)


def _require_numbers(values: Iterable[Any]) -> None:
    for value in values:
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"expected a finite number, found {type(value).__name__}")


def _results(root: Path, content: Mapping[str, Any]) -> Results:
    runs = dict[tuple[str, str, str], dict[str, tuple[int, RunScore]]]()
    reasons = dict[tuple[str, str, str], dict[str, None]]()
    jobs = set[str]()
    rows = {(cell["aligner"], cell["refinement"]) for cell in content["cells"]}
    pairs = {cell["pair"] for cell in content["cells"]}
    for cell in content["cells"]:
        key = cell["aligner"], cell["refinement"], cell["pair"]
        scores, why = runs.setdefault(key, {}), reasons.setdefault(key, {})
        jobs.update(cell["job"])
        if cell["missing"]:
            why[cell["missing"]] = None
        elif (score := _score(root, cell["job"])) is not None:
            # Runs that draw no random numbers are one job, and count once.
            scores.setdefault(cell["job"][-1], (cell["seed"], score))
        else:
            why[_why_not(root, cell["job"])] = None
    if len(runs) < len(rows) * len(pairs):
        raise ValueError("a cell is missing")
    return Results(
        content["grid"],
        content["titles"],
        {key: ResultCell(dict(runs[key].values()), tuple(reasons[key])) for key in runs},
        sum(_seconds(root, job) for job in jobs),
    )


def _record(root: Path, job: str) -> dict[str, Any] | None:
    folder = root / JOBS / job
    return read_record(folder) if is_run(folder) else None


def _score(root: Path, chain: list[str]) -> RunScore | None:
    record = _record(root, chain[-1])
    if record is None:
        return None
    first = record["scores"][0]
    _require_numbers(first.get(name, 0) for name in (*METRICS, "accuracy", "pairs", "queries"))
    by_inference = record["kind"] == "nli"
    failed = first["accuracy"] <= CHANCE if by_inference else first["p@1"] < FAILED_BELOW
    names = ("accuracy",) if by_inference else METRICS
    queries = first["pairs"] if by_inference else first["queries"]
    seconds = sum(_seconds(root, job) for job in chain)
    return RunScore({name: first[name] for name in names}, queries, failed, seconds)


def _why_not(root: Path, chain: list[str]) -> str:
    """The reason of the first failed job in the chain."""
    for job in chain:
        try:
            failure = json.loads((root / FAILURES / f"{job}.json").read_text("utf-8"))
            return str(failure["sentence"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
    return "not run yet"


def _seconds(root: Path, job: str) -> float:
    record = _record(root, job)
    if record is None:
        return 0.0
    _require_numbers([record["seconds"]["all"]])
    return float(record["seconds"]["all"])
