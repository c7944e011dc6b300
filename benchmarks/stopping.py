"""Rules for the stopping point of a refinement, compared on the same paths.

Computes the path of every alignment that ``benchmarks.path`` has made for the pairs. Records at
each point the held-out accuracy, its z-score and the accuracy on a dictionary. Every rule then
chooses a stopping point. Alignments that their health check calls failed are left out. Resumable:
paths are kept in the folder ``stopping`` of the output.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.measure import heading, row, table
from benchmarks.path import ROBUST
from lexalign.arrays import like, to_device
from lexalign.atomic import atomic_file
from lexalign.evaluation import evaluate
from lexalign.experiments import Inputs, plan, read_grid
from lexalign.experiments.grid import Pair
from lexalign.experiments.jobs import Job
from lexalign.experiments.local import FILES
from lexalign.experiments.steps import space_of
from lexalign.procrustes import path_to_minimum
from lexalign.refinement import Refiner
from lexalign.runs import read_record
from lexalign.spaces import normalise
from lexalign.vectors import Lexicon

LOSSES = ("l1", "l2", "welsch")


@dataclass(frozen=True)
class Point:
    """A point of a path: held-out accuracy, z-score, and P@1 on a dictionary."""

    share: float
    accuracy: float
    z: float
    nn: float
    csls: float


Rule = Callable[[list[Point]], Point]


def with_z(required: float, *, farthest: bool = False) -> Rule:
    """The most accurate, or the last, of the points with the required z-score."""

    def choose(points: list[Point]) -> Point:
        better = [point for point in points if point.z >= required]
        if not better:
            return points[0]
        return better[-1] if farthest else max(better, key=lambda point: point.accuracy)

    return choose


RULES: dict[str, Rule] = {
    "to the minimum": lambda points: points[-1],
    "highest held-out accuracy": lambda points: max(points, key=lambda point: point.accuracy),
    **{f"z ≥ {required:g}": with_z(required) for required in (2, 2.25, 2.5, 2.75, 3, 4)},
    "z ≥ 3, the farthest": with_z(3, farthest=True),
    "by the dictionary itself": lambda points: max(points, key=lambda p: p.nn + p.csls),
}


def main() -> None:
    """Compute the paths that are missing, and print what the rules make of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", type=Path)
    parser.add_argument("output", type=Path, help="that of benchmarks.path")
    parser.add_argument("--pairs", nargs="+", required=True, help="such as en-it news:en-fr")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    grid = read_grid(Path(__file__).with_name("path.toml"))
    pairs = tuple(Pair.parse(text, grid.vectors) for text in arguments.pairs)
    planned = plan(replace(grid, pairs=pairs), Inputs.read(arguments.inputs), arguments.device)
    jobs = {
        cell.job.base.name: cell.job
        for cell in planned.cells
        if cell.job and not cell.refinement and not cell.aligner.endswith(ROBUST)
    }
    walks = [
        walked(job, arguments.output)
        for job in jobs.values()
        if job.base.is_done(arguments.output) and _is_matched(job.base, arguments.output)
    ]
    heading(f"What rules make of {len(walks)} alignments: points, mean (worst)")
    table("", *(f"{loss}: P@1 {by}" for loss in LOSSES for by in ("nn", "csls")), "lose > 0.3")
    for name, rule in RULES.items():
        cells, losing = list[str](), list[str]()
        for loss in LOSSES:
            changes = [_change(walk[loss], rule) for walk in walks]
            cells += [f"{fmean(by):+.2f} ({min(by):+.1f})" for by in zip(*changes, strict=True)]
            losing.append(str(sum(min(change) < -0.3 for change in changes)))
        row(name, *cells, ", ".join(losing))


def walked(job: Job, root: Path) -> dict[str, list[Point]]:
    """The points of the paths of an alignment by loss; ``job`` evaluates it without refinement."""
    kept = root / "stopping" / f"{job.base.name}.json"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        paths = {loss: [asdict(one) for one in points] for loss, points in _walk(job, root)}
        with atomic_file(kept) as file:
            file.write_text(json.dumps(paths), encoding="utf-8")
    paths = json.loads(kept.read_text("utf-8"))
    return {loss: [Point(**one) for one in points] for loss, points in paths.items()}


def _walk(job: Job, root: Path) -> Iterator[tuple[str, list[Point]]]:
    source, target = (normalise(side, "unit")[0] for side in space_of(job.base, root, FILES))
    lexicon = Lexicon.read(job.inputs["lexicon"], lowercase=job.settings["lowercase"])
    refiner = Refiner(device=job.device)
    moving, fixed = (to_device(side.matrix, job.device) for side in (source, target))
    held_out, pairs = refiner.held_out_words(source, target), refiner.mutual(moving, fixed).pairs
    assert held_out is not None
    ours, theirs = moving[like(pairs[:, 0], moving)], fixed[like(pairs[:, 1], fixed)]
    for loss in LOSSES:
        points = []
        for scored in held_out.score(moving, path_to_minimum(ours, theirs, loss=loss)):
            turned = source.with_matrix(source.matrix @ scored.rotation.astype(np.float32))
            right = {
                by: evaluate(turned, target, lexicon, retrieval=by, device=job.device).precision(1)
                for by in ("nn", "csls")
            }
            points.append(Point(scored.share, scored.accuracy, scored.z, **right))
        yield loss, points
    print(f"walked {job.base.title}", flush=True)


def _change(points: list[Point], rule: Rule) -> tuple[float, float]:
    """By cosine and by CSLS, in points."""
    before, after = points[0], rule(points)
    return 100 * (after.nn - before.nn), 100 * (after.csls - before.csls)


def _is_matched(job: Job, root: Path) -> bool:
    record = read_record(job.folder(root))
    return (record.get("health") or {}).get("matched") is not False


if __name__ == "__main__":
    main()
