"""Run the benchmarks that need no data, on the CPU, the quick ones first: ``make bench``."""

from __future__ import annotations

import sys

from benchmarks import evaluation, memory, reading, retrieval, solvers, startup

for benchmark in (startup, reading, solvers, memory, retrieval, evaluation):
    sys.argv = [str(benchmark.__file__)]
    benchmark.main()
