"""Time and memory of whole commands as vocabularies grow, and how fast both grow.

Every command runs in a process of its own, on the demonstration vectors enlarged by made-up rare
words (see ``benchmarks.vocabularies``); so accuracy means nothing here. One line of JSON a command
and size is added to a file; what is there already is not run again. ``--table`` prints the file,
with the exponent b of seconds ≈ a · wordsᵇ, fitted by least squares of logarithms. ``--chart``
draws it, which needs the extra ``report``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import machine, row, table
from benchmarks.vocabularies import enlarged
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.vectors import write

SIZES = (25_000, 50_000, 100_000, 200_000)
COMMANDS = ("read", "align", "refine", "evaluate", "induce")
MEASURES = {"cpu": "CPU seconds", "peak": "peak memory, MB"}

# The kernel's own counts for this program, without those of its parent.
PROGRAM = """
import atexit, json, resource, sys
from pathlib import Path

def report():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    lines = Path("/proc/self/status").read_text().split("\\n")
    peak = next(line for line in lines if line.startswith("VmHWM")).split()[1]
    found = {"cpu": usage.ru_utime + usage.ru_stime, "peak": int(peak) / 1000}
    sys.stderr.write(json.dumps(found) + "\\n")

atexit.register(report)
if sys.argv[1] == "read":
    import lexalign
    lexalign.read(sys.argv[2])
else:
    from lexalign.cli import main
    main()
"""


def main() -> None:
    """Measure, print or draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="a file of JSON lines")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--chart", type=Path, help="a file such as growth.svg")
    arguments = parser.parse_args()
    if arguments.table or arguments.chart:
        found = read(arguments.output)
        if arguments.table:
            print_table(found)
        if arguments.chart:
            draw(found, arguments.chart)
        return
    for size in arguments.sizes:
        done = {one["command"] for one in read(arguments.output) if one["words"] == size}
        wanted = [command for command in arguments.commands if command not in done]
        if wanted:
            measure(size, wanted, arguments.output)


def read(path: Path) -> list[dict[str, Any]]:
    """The measurements so far."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def measure(size: int, wanted: Sequence[str], output: Path) -> None:
    """Run commands on vocabularies of one size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed, language in enumerate(("en", "de"), start=1):
            words = enlarged(demo_embeddings(language), size, seed)
            write(words, folder / language)
            if language == "en" and "read" in wanted:
                write(words, folder / "en.vec")
        for kind in ("seeds", "test"):
            demo_lexicon(kind).write(folder / f"{kind}.tsv")
        for command, options in command_lines(folder).items():
            needed = command in wanted or (
                command == "align" and {"refine", "evaluate"} & {*wanted}
            )
            if not needed:
                continue
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM, command, *options], capture_output=True, check=False
            )
            seconds = time.perf_counter() - began
            if done.returncode:
                raise SystemExit(done.stderr.decode())
            found = json.loads(done.stderr.splitlines()[-1])
            result = {"command": command, "words": size, "seconds": seconds, **found}
            result |= {"date": date.today().isoformat(), "machine": machine()}
            print(result, flush=True)
            if command in wanted:
                with output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")


def command_lines(folder: Path) -> dict[str, list[str]]:
    """The arguments of every command, in the order in which they need each other."""
    sides, seeds = (
        [str(folder / "en"), str(folder / "de")],
        ["--lexicon", str(folder / "seeds.tsv")],
    )
    written = ["--format", "folder", "--quiet", "--output"]
    method = ["--method", "procb --variant once --final vecmap", "--max-rank", "20000"]
    aligned, test = str(folder / "aligned"), ["--lexicon", str(folder / "test.tsv")]
    return {
        "read": [str(folder / "en.vec")],
        "align": ["vecmap", *sides, *seeds, *written, aligned],
        "refine": [aligned, *written, str(folder / "refined")],
        "evaluate": [aligned, *test, "--retrieval", "csls", "--quiet"],
        "induce": [*sides, *seeds, *method, *written, str(folder / "induced")],
    }


def series(results: Sequence[Mapping[str, Any]], measure: str) -> dict[str, np.ndarray]:
    """Words and a measure of every command, (n, 2), ascending."""
    found = dict[str, np.ndarray]()
    for command in COMMANDS:
        points = [(one["words"], one[measure]) for one in results if one["command"] == command]
        if points:
            found[command] = np.array(sorted(points))
    return found


def exponent(points: np.ndarray) -> float:
    """The b of y ≈ a · xᵇ, by least squares of logarithms; not a number for one point."""
    if len(points) < 2:
        return float("nan")
    words, measured = np.log(points).T
    return float(np.polyfit(words, measured, 1)[0])


def print_table(results: Sequence[Mapping[str, Any]]) -> None:
    """A row for every command and measure."""
    sizes = sorted({one["words"] for one in results})
    table("command", "measure", *(f"{size:,}" for size in sizes), "exponent")
    for measure, label in MEASURES.items():
        for command, points in series(results, measure).items():
            by_size = dict(points.tolist())
            cells = [f"{by_size[size]:,.0f}" if size in by_size else "" for size in sizes]
            row(f"`{command}`", label, *cells, f"{exponent(points):.2f}")


def draw(results: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Both measures against the number of words, on logarithmic axes."""
    from matplotlib.figure import Figure

    from lexalign.report.chart_style import MARKERS

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    for place, (measure, label) in enumerate(MEASURES.items(), start=1):
        axes = figure.add_subplot(1, 2, place)
        for (command, points), marker in zip(
            series(results, measure).items(), MARKERS, strict=False
        ):
            name = f"{command} (exponent {exponent(points):.1f})"
            axes.plot(*points.T, marker=marker, label=name)
        axes.set(xscale="log", yscale="log", xlabel="words of each side", ylabel=label)
        sizes = sorted({one["words"] for one in results})
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes], minor=False)
        axes.minorticks_off()
        axes.legend(fontsize=8)
    figure.savefig(path)


if __name__ == "__main__":
    main()
