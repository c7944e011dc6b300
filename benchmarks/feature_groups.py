"""What each group of features gains: groups added one by one, and each left out.

The settings of ``benchmarks.settings``; P@1 on test words, by the ranking that ``lexalign induce``
learns with a fixed aligner. ``--sizes`` compares numbers and sizes of trees instead.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import heading
from benchmarks.ranking_problems import RankingProblem, ranking_problems
from benchmarks.settings import Setting
from lexalign.induction.features import GROUPS
from lexalign.induction.ranker import Boosting

FREQUENCY = ("frequency", "relative frequency")
STEPS = (("vectors",), FREQUENCY, ("spelling",), ("letters",), ("endings",), ("neighbours",))
SIZES = {
    "200 trees, 15 leaves": Boosting(),
    "7 leaves": Boosting(leaves=7),
    "31 leaves": Boosting(leaves=31),
    "100 trees": Boosting(trees=100),
    "400 trees": Boosting(trees=400),
}


def main() -> None:
    """Print one row a setting and direction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("settings", nargs="+")
    parser.add_argument("--sizes", action="store_true", help="compare sizes of trees")
    arguments = parser.parse_args()
    heading("Sizes of trees" if arguments.sizes else "Groups of features")
    added = [" and ".join(step) for step in STEPS]
    columns = list(SIZES) if arguments.sizes else [*added, *(f"without {one}" for one in added[1:])]
    print(f"| setting | CSLS | {' | '.join(columns)} |")
    print(f"|{'---|' * (2 + len(columns))}")
    for setting in arguments.settings:
        for problem in ranking_problems(Setting(arguments.data, setting)):
            figures = of_sizes(problem) if arguments.sizes else of_groups(problem)
            cells = " | ".join(f"{100 * figure:.1f}" for figure in (csls(problem), *figures))
            print(f"| {problem.name} | {cells} |", flush=True)


def csls(problem: RankingProblem) -> float:
    """P@1 of CSLS by the aligner."""
    features = problem.test.features
    column = features.names.index(f"vectors: csls {features.views}")
    return problem.test.precision(features.values[:, column])


def of_groups(problem: RankingProblem) -> list[float]:
    """P@1 with more and more groups, then without each."""
    growing = [sum(STEPS[: count + 1], ()) for count in range(len(STEPS))]
    without = [tuple(one for one in GROUPS if one not in step) for step in STEPS[1:]]
    return [learned(problem, groups, Boosting()) for groups in (*growing, *without)]


def of_sizes(problem: RankingProblem) -> list[float]:
    """P@1 by rankers of other sizes."""
    return [learned(problem, GROUPS, size) for size in SIZES.values()]


def learned(problem: RankingProblem, groups: Sequence[str], boosting: Boosting) -> float:
    """P@1 of a ranker that knows some groups of features."""
    table = problem.table
    ranker, _ = boosting.fit(
        table.features.only(groups).values,
        table.right,
        table.candidates.rows,
        table.folds,
        problem.offsets() if problem.target_selected else None,
    )
    return problem.test.precision(ranker.scores(problem.test.features.only(groups).values))


if __name__ == "__main__":
    main()
