"""Run the benchmarks that need no data, on the CPU, the quick ones first: ``make bench``.

Ends with an error if a ratio is more than a fifth worse than recorded (``recorded_ratios``). The
sizes are smaller than those of docs/results/speed.md.
"""

from __future__ import annotations

import sys

from benchmarks import evaluation, memory, reading, retrieval, solvers, startup
from benchmarks.measure import heading, row, table
from benchmarks.recorded_ratios import PAGE, Ratios, complaints, recorded_ratios

RUNS = (
    (startup, ""),
    (reading, "--rows 10000"),
    (solvers, "--outputs 30 --repeats 3"),
    (memory, "--rows 50000"),
    (retrieval, "--rows 50000 --repeats 3 --no-naive"),
    (evaluation, "--rows 30000 --repeats 3"),
)

measured: Ratios = {}
for benchmark, arguments in RUNS:
    sys.argv = [str(benchmark.__file__), *arguments.split()]
    measured |= benchmark.main()
recorded = recorded_ratios(PAGE.read_text(encoding="utf-8"))
heading("Ratios to peers, smaller is better")
table("name", "measured", "recorded")
for name, ratio in measured.items():
    row(name, f"{ratio:.3g}", f"{recorded[name]:.3g}" if name in recorded else "–")
if found := complaints(measured, recorded):
    sys.exit("\n" + "\n".join(found))
