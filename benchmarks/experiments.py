"""The same grid by processes of this machine and by Ray: what the cluster costs."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Timing, heading, row, table
from lexalign.experiments import Inputs, plan, read_grid, read_results, run_plans

EXECUTORS = ("local", "ray")


def main() -> None:
    """Run a grid from scratch by each executor in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("grid")
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    made = plan(read_grid(arguments.grid), Inputs.read(arguments.inputs))
    heading(f"The grid {made.grid.name}, {len(made.jobs)} jobs, {arguments.workers} at a time")
    walls = {name: list[float]() for name in EXECUTORS}
    inside = {name: list[float]() for name in EXECUTORS}
    for _ in range(arguments.repeats):
        for name in EXECUTORS:
            with tempfile.TemporaryDirectory() as folder:
                began = time.perf_counter()
                outcome = run_plans([made], Path(folder), executor=name, workers=arguments.workers)
                walls[name].append(time.perf_counter() - began)
                if outcome.failed:
                    raise SystemExit(f"{outcome.failed[0].failure}")
                inside[name].append(read_results(Path(folder), made.grid.name).seconds)
    table("executor", "whole run", "inside jobs", "a job", "against local")
    local = Timing(tuple(walls["local"])).median
    for name in EXECUTORS:
        wall, jobs = Timing(tuple(walls[name])), Timing(tuple(inside[name]))
        each = f"{jobs.median / len(made.jobs):.1f} s"
        row(name, wall, jobs, each, f"{100 * (wall.median / local - 1):+.1f} %")


if __name__ == "__main__":
    main()
