"""The analysis of a run: accuracy, changes and outliers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.aligners.health import Health, examine
from lexalign.evaluation import find_outliers
from lexalign.evaluation.protocols import Protocol
from lexalign.procrustes import solve
from lexalign.progress import Progress, Stage
from lexalign.refinement import Refiner
from lexalign.report.answers import Answers, answers_of
from lexalign.report.before_after import BeforeAfter
from lexalign.report.dictionary_test import DictionaryTest, tested
from lexalign.report.distances import DistanceChange, changes_of_pairs
from lexalign.report.ranked_run import RankedRun
from lexalign.retrieval import mutual_pairs
from lexalign.vectors import Lexicon

FEWEST_PAIRS = 10
MOST_OUTLIERS = 30


@dataclass(frozen=True, eq=False)
class Analysis:
    """All parts of an analysis.

    ``distances`` are the distances of the pairs to which a refinement was fitted, or would be
    fitted. ``outliers`` are among the fitted pairs of the run, and ``answers`` are the translations
    word by word. ``ranked`` is None unless a learned ranking is compared with CSLS.
    """

    run: BeforeAfter
    health: Mapping[str, Any] | None
    distances: DistanceChange | None
    outliers: tuple[tuple[str, str, float], ...]
    outlier_count: int
    tests: tuple[DictionaryTest, ...]
    answers: Answers | None
    ranked: RankedRun | None = None

    @property
    def compared(self) -> tuple[str, str] | None:
        """The names of "before" and "after"; None if there is no "before"."""
        if self.ranked is not None:
            return "CSLS", "learned ranking"
        return None if self.run.before is None else ("before", "after")


def analyse(
    run: BeforeAfter,
    lexicons: Mapping[Path, Lexicon],
    protocol: Protocol,
    progress: Progress | None = None,
    *,
    exclude_seeds: bool = False,
    ranking: str = "auto",
) -> Analysis:
    """Analyse a run; its translations are tested on ``lexicons`` by the rules of ``protocol``.

    With ``exclude_seeds`` queries that are seeds of the run are left out. A learned ranking is
    compared with CSLS if the ``ranking`` is "learned", or if it is "auto" and the run has one.
    """
    progress = progress or Progress()
    ranked = RankedRun.of(run, protocol, ranking)
    with progress.stage("finding mutual pairs", unit="comparisons") as stage:
        distances = _distances(run, stage)
        outliers = _outliers(run)
    tests = list[DictionaryTest]()
    with progress.stage("testing translations", total=len(lexicons), unit="lexicons") as stage:
        for path, words in lexicons.items():
            tests.append(tested(run, ranked, path, words, protocol, exclude_seeds=exclude_seeds))
            stage()
    answers = None
    if run.before is not None or ranked is not None or lexicons:
        with progress.stage("comparing translations"):
            answers = answers_of(run, ranked, list(lexicons.values()), tuple(tests), protocol)
    return Analysis(run, _health(run), distances, *outliers, tuple(tests), answers, ranked)


def _health(run: BeforeAfter) -> Mapping[str, Any] | None:
    """The health check of the record, or a new one."""
    if (known := run.record.get("health")) is not None:
        found: Mapping[str, Any] = known
        return found
    made: Health | None = examine(
        (run.unrefined.matrix, run.target.matrix),
        (run.source.matrix, run.target.matrix),
        (run.source.index, run.target.index),
    )
    return None if made is None else made.as_dict()


def _pairs(run: BeforeAfter) -> np.ndarray:
    return run.lexicon.indices(run.source, run.target).pairs


def _distances(run: BeforeAfter, stage: Stage) -> DistanceChange | None:
    """The changes by the run's rotation and by least squares; or those by the paper's refinement.

    The latter is of the pairs that it would find, not of those that the run was fitted to.
    """
    if run.rotation is None:
        pairs = mutual_pairs(
            run.source.matrix, run.target.matrix, max_rank=Refiner().max_rank, stage=stage
        ).pairs
    else:
        pairs = _pairs(run)
    if len(pairs) < FEWEST_PAIRS:
        return None
    a, b = run.unrefined.matrix[pairs[:, 0]], run.target.matrix[pairs[:, 1]]
    rotations = dict[str, tuple[np.ndarray, str]]()
    if run.rotation is not None:
        loss = str(run.record["parameters"]["loss"])
        rotations[f"this run, {loss}"] = run.rotation.astype(np.float64), ""
    else:
        flow = solve(a, b, loss="l1")
        rotations["l1"] = flow.rotation, flow.message
    least = solve(a, b, loss="l2")
    rotations["l2"] = least.rotation, least.message
    words = [(run.source.words[i], run.target.words[j]) for i, j in pairs.tolist()]
    return changes_of_pairs(words, a, b, rotations)


def _outliers(run: BeforeAfter) -> tuple[tuple[tuple[str, str, float], ...], int]:
    if len(_pairs(run)) < FEWEST_PAIRS:
        return (), 0
    found = find_outliers(run.source, run.target, run.lexicon)
    listed = zip(found.outliers.pairs, found.distances.tolist(), strict=True)
    worst = [(source, target, distance) for (source, target), distance in listed]
    return tuple(worst[:MOST_OUTLIERS]), len(worst)
