"""Rankings from labels that were selected by the target: what correcting for it gains.

Wants the folder of ``benchmarks.aligners`` and the settings of ``benchmarks.settings``. For both
directions of every setting, P@1 and calibration error on test words of a ranking that knows

    all         all features, uncorrected
    without     no frequency
    offset      all features, with the coverage of the labels as an offset

and the calibration error of the last one without weights, and with weights of at most 3, 20 (the
default) and any times the median. A star marks the ranking that ``lexalign induce`` takes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.measure import heading
from benchmarks.ranking_problems import RankingProblem, ranking_problems
from benchmarks.settings import Setting
from lexalign.induction.calibration import (
    Calibration,
    expected_calibration_error,
    reliability,
)
from lexalign.induction.features import GROUPS
from lexalign.induction.ranker import Boosting

HEAVIEST = (None, 3.0, 20.0, np.inf)
WITHOUT = tuple(group for group in GROUPS if "frequency" not in group)


def main() -> None:
    """Print one row a setting and direction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("settings", nargs="+")
    arguments = parser.parse_args()
    heading("Labels that the target selected")
    for setting in arguments.settings:
        for problem in ranking_problems(Setting(arguments.data, setting)):
            print(f"| {problem.name} | {' | '.join(compared(problem))} |", flush=True)


def compared(problem: RankingProblem) -> list[str]:
    """The figures of every ranking, then those of every weighting."""
    table, test, coverage = problem.table, problem.test, problem.coverage
    found, selected = table.candidates, problem.target_selected
    figures = ["target" if selected else "source"]
    for name, groups, offsets in (
        ("all", GROUPS, None),
        ("without", WITHOUT, None),
        ("offset", GROUPS, problem.offsets()),
    ):
        values = table.features.only(groups).values
        ranker, seen = Boosting().fit(values, table.right, found.rows, table.folds, offsets)
        scores = ranker.scores(test.features.only(groups).values)
        star = "*" if name == ("offset" if selected else "all") else ""
        figures.append(f"{100 * test.precision(scores):.1f}{star}")
    for heaviest in HEAVIEST:
        weights = np.ones(len(found.words))
        if heaviest is not None:
            weights = coverage.weights(found.words, problem.labels, heaviest)
        weights = np.repeat(weights, found.counts)
        calibration = Calibration.fit(seen, found.rows, table.right, weights)
        first = test.first(scores)
        chances = calibration.probabilities(scores, test.found.rows)[first]
        error = expected_calibration_error(reliability(chances, test.right[first]))
        figures.append(f"{error:.3f}")
    return figures


if __name__ == "__main__":
    main()
