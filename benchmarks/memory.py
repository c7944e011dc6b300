"""Peak memory of ``lexalign refine``, whole process, at growing vocabularies.

With ``--stream ROWS`` also that of a file of so many words of which 50,000 are learned from.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import heading, row, table
from benchmarks.recorded_ratios import Ratios
from benchmarks.vocabularies import aligned_demo, enlarged
from lexalign.vectors import write

# The kernel's own count for this program; what wait4 reports includes the memory of the parent.
PROGRAM = """
import atexit, sys
from pathlib import Path

def report():
    lines = Path("/proc/self/status").read_text().split("\\n")
    sys.stderr.write(next(line for line in lines if line.startswith("VmHWM")) + "\\n")

atexit.register(report)
from lexalign.cli import main
main()
"""


def main() -> Ratios:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[50_000, 100_000, 200_000])
    parser.add_argument("--stream", type=int, metavar="ROWS", help="for example 2000000")
    arguments = parser.parse_args()
    heading("Memory of lexalign refine, whole process")
    table("words", "matrices learned from", "peak", "ratio", "seconds a stage")
    ratios: Ratios = {}
    for rows in arguments.rows:
        label = f"{rows:,} a side, text"
        ratios[f"memory of refine / matrices, {rows:,}"] = measure(label, rows, rows, rows, "vec")
    if arguments.stream:
        label = f"{arguments.stream:,} and 50,000, binary"
        measure(label, arguments.stream, 50_000, 50_000, "bin")
    return ratios


def measure(label: str, source_rows: int, target_rows: int, limit: int, kind: str) -> float:
    """Refine files of so many rows, print a row of the table, and return the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.{kind}" for name in ("source", "target")]
        sides = zip(aligned_demo(), (source_rows, target_rows), paths, strict=True)
        for seed, (side, rows, path) in enumerate(sides, start=1):
            write(enlarged(side, rows, seed), path)
        options = ["--limit", str(limit), "--format", kind]
        peak, summary = refine([*map(str, paths), "--output", f"{folder}/out", *options])
    matrices = 2 * limit * 300 * 4
    stages = ", ".join(f"{name} {value:.1f}" for name, value in summary["seconds"].items())
    sizes = f"{matrices / 1e6:.0f} MB", f"{peak / 1e6:.0f} MB", f"{peak / matrices:.2f}"
    row(label, *sizes, stages)
    return peak / matrices


def refine(arguments: list[str]) -> tuple[int, dict[str, dict[str, float]]]:
    """Run the command in a process of its own: its peak resident memory and its summary."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "refine", "--json", *arguments],
        capture_output=True,
        check=True,
    )
    peak = int(done.stderr.split()[-2]) * 1024
    return peak, json.loads(done.stdout)


if __name__ == "__main__":
    main()
