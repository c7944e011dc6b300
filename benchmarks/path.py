"""Where refinement should stop: what every rule adds to, and takes from, aligned pairs.

Runs the grid ``path.toml`` twice, with translations by CSLS and by cosine, and sums up the changes
against the same alignment without refinement. Resumable, like every experiment.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from benchmarks.measure import heading, row, table
from lexalign.experiments import Inputs, plan, read_grid, read_results, run_plans
from lexalign.experiments.grid import Grid, Pair
from lexalign.experiments.results import Results

FIGURES = (("path-nn", "p@1"), ("path", "p@1"), ("path", "mrr"))
SHORT = ("nn", "csls", "MRR")
WEAK = 0.5
"""Alignments whose P@1 by CSLS is below this have columns of their own."""

ROBUST = ", robust"


def main() -> None:
    """Run what is not done yet, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--pairs", nargs="*", help="such as en-de news:en-ru")
    parser.add_argument("--only", nargs="*", default=(), help="labels of aligners")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--grid", type=Path, default=Path(__file__).with_name("path.toml"))
    arguments = parser.parse_args()
    only = tuple(arguments.only)
    grid, inputs = read_grid(arguments.grid), Inputs.read(arguments.inputs)
    if arguments.pairs:
        chosen = tuple(Pair.parse(text, grid.vectors) for text in arguments.pairs)
        grid = replace(grid, pairs=chosen)
    plans = [plan(one, inputs, arguments.device) for one in (_named(grid, ""), _by_cosine(grid))]
    outcome = run_plans(plans, arguments.output, workers=arguments.workers, only=only)
    for failed in outcome.failed:
        print(f"failed: {failed.job.title}: {failed.failure}")
    by_name = {name: read_results(arguments.output, name) for name in ("path", "path-nn")}
    heading("Changes by refinement, in points: mean (worst)")
    table("", "runs", "P@1 nn", "P@1 csls", "MRR csls", *(f"{one}, weak" for one in SHORT))
    rows = by_name["path"].rows
    aligners = [one for one, label in rows if not label and (one in only or not only)]
    for label in dict.fromkeys(label for _, label in rows if label):
        refined = [(one, (one, label)) for one in aligners if (one, label) in rows]
        _show(by_name, label, refined)
    robust = [(one, (f"{one}{ROBUST}", "")) for one in aligners if (f"{one}{ROBUST}", "") in rows]
    _show(by_name, "robust self-learning", robust)


def _named(grid: Grid, suffix: str) -> Grid:
    return replace(grid, name=f"path{suffix}")


def _by_cosine(grid: Grid) -> Grid:
    rules = {**grid.evaluation.parameters, "retrieval": "nn"}
    return _named(replace(grid, evaluation=replace(grid.evaluation, parameters=rules)), "-nn")


def _show(
    by_name: Mapping[str, Results], label: str, rows: list[tuple[str, tuple[str, str]]]
) -> None:
    """One line: what the second row of each of the ``rows`` changes about the aligner before it."""
    cells = list[str]()
    for below in (1.0, WEAK):
        for name, metric in FIGURES:
            found = _changes(by_name[name], by_name["path"], rows, metric, below)
            if not cells:
                cells.append(str(len(found)))
            cells.append(f"{fmean(found):+.2f} ({min(found):+.1f})" if found else "–")
    row(label, *cells)


def _changes(
    results: Results,
    by_csls: Results,
    rows: list[tuple[str, tuple[str, str]]],
    metric: str,
    below: float,
) -> list[float]:
    """In points, for every alignment that did not fail and whose P@1 by CSLS is below that."""
    changes = []
    for aligner, other in rows:
        for pair in results.pairs:
            bases, after = (results.entry(*one, pair).scores for one in ((aligner, ""), other))
            for seed, base in by_csls.entry(aligner, "", pair).scores.items():
                if base.failed or base.values["p@1"] >= below or seed not in after:
                    continue
                changes.append(100 * (after[seed].values[metric] - bases[seed].values[metric]))
    return changes


if __name__ == "__main__":
    main()
