"""What the stages cost on a machine that has other work, too: ``python -m benchmarks.busy``.

Every stage runs alone, beside one process that never rests, and beside two. The table shows seconds
by the clock and of the processor, as medians, and how many times as many as alone. Fair shares of
two cores would give 1.5 times as long beside one busy process, and 2 times beside two. The vectors
are those of the demonstration, or made-up ones of ``--words`` words.

``--against FOLDER`` measures another checkout beside this one, in turn.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.measure import heading, row, table

BESIDE = (0, 1, 2)


def main() -> None:
    """Print the table, or with --stages one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--only", default="", help="the stages whose names begin so")
    parser.add_argument("--against", type=Path, help="another checkout to measure in turn")
    parser.add_argument("--stages", action="store_true", help="for the other checkout")
    arguments = parser.parse_args()
    if arguments.stages:
        print(json.dumps(measured(arguments.words, arguments.repeats, arguments.only)))
        return
    heading("Stages beside busy processes")
    places = {"this": Path.cwd()}
    if arguments.against:
        places["other"] = arguments.against
    for name, place in places.items():
        figures = {}
        for count in BESIDE:
            with busy(count):
                figures[count] = in_folder(place, arguments)
        print(f"\n{name}\n")
        table("stage", "alone", "beside 1", "beside 2", "CPU alone", "beside 1", "beside 2")
        for stage in figures[0]:
            alone = figures[0][stage]
            cells = []
            for kind in ("clock", "cpu"):
                cells.append(f"{alone[kind]:.2f} s")
                for count in BESIDE[1:]:
                    seconds = figures[count][stage][kind]
                    cells.append(f"{seconds:.2f} s ({seconds / alone[kind]:.1f}×)")
            row(stage, *cells)


def in_folder(folder: Path, arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Measure the package of a checkout in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.busy", "--stages"]
    command += ["--words", str(arguments.words), "--repeats", str(arguments.repeats)]
    command += ["--only", arguments.only]
    path = os.pathsep.join((str(folder / "src"), str(Path.cwd())))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, dict[str, float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def measured(words: int, repeats: int, only: str) -> dict[str, dict[str, float]]:
    """The median seconds of every stage, by the clock and of the processor."""
    figures = {}
    chosen = {name: stage for name, stage in stages(words).items() if name.startswith(only)}
    for name, stage in chosen.items():
        stage()  # libraries are loaded, threads are started
        clock, cpu = list[float](), list[float]()
        for _ in range(repeats):
            began, used = time.perf_counter(), time.process_time()
            stage()
            clock.append(time.perf_counter() - began)
            cpu.append(time.process_time() - used)
        figures[name] = {"clock": statistics.median(clock), "cpu": statistics.median(cpu)}
    return figures


def stages(words: int) -> dict[str, Callable[[], object]]:
    """What is measured."""
    from benchmarks.solvers import demo_pairs
    from lexalign.aligners import Contrastive, Dlv, ProcB, Procrustes, Rcsls
    from lexalign.aligners.health import examine
    from lexalign.demo import demo_embeddings, demo_lexicon
    from lexalign.evaluation import evaluate
    from lexalign.induction import Inducer
    from lexalign.procrustes import solve
    from lexalign.retrieval import mutual_pairs, top_k

    a, b = demo_pairs()
    sides = demo_embeddings("en"), demo_embeddings("de")
    aligned = Procrustes().fit(*sides, demo_lexicon("seeds"))
    both = aligned.source.matrix, aligned.target.matrix
    names = aligned.source.index, aligned.target.index
    seeds = demo_lexicon("seeds")
    inducer = Inducer(method="procb --variant once --final vecmap", both_directions=False)
    generator = np.random.default_rng(0)
    x, z = (generator.standard_normal((words, 300)).astype(np.float32) for _ in range(2))
    return {
        "flow, the path of the paper": lambda: solve(a, b, solver="flow", horizon=5e-3),
        "minimum": lambda: solve(a, b, solver="minimum"),
        "mutual pairs of the demonstration": lambda: mutual_pairs(*both),
        f"ten nearest of 2,000 among {words:,}": lambda: top_k(x[:2000], z, 10),
        "evaluate the demonstration": lambda: evaluate(
            aligned.source, aligned.target, demo_lexicon("test")
        ),
        "health check of the demonstration": lambda: examine(both, both, names),
        "procrustes, five rounds": lambda: Procrustes(rounds=5).fit(*sides, seeds),
        "procb": lambda: ProcB(final="vecmap").fit(*sides, seeds),
        "rcsls": lambda: Rcsls().fit(*sides, seeds),
        "dlv": lambda: Dlv().fit(*sides, seeds),
        "contrastive": lambda: Contrastive(rounds=1).fit(*sides, seeds),
        "induce, 1,000 words": lambda: inducer.fit(*sides, seeds).dictionary(max_rank=1000),
    }


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Some processes that never rest."""
    others = [multiprocessing.Process(target=_count, daemon=True) for _ in range(count)]
    for other in others:
        other.start()
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.join()


def _count() -> None:
    number = 0
    while True:
        number += 1


if __name__ == "__main__":
    main()
