"""Processor seconds of ``import lexalign`` and ``lexalign --help``."""

from __future__ import annotations

import os
import subprocess
import sys

from benchmarks.measure import Timing, heading, row, table
from benchmarks.recorded_ratios import Ratios

PROGRAMS = {
    "python -c pass": "pass",
    "import lexalign": "import lexalign",
    "lexalign --help": "from lexalign.cli import main; main(['--help'])",
}


def main() -> Ratios:
    """Measure."""
    heading("Starting")
    table("program", "CPU seconds, median (spread)")
    for name, program in PROGRAMS.items():
        seconds = []
        for _ in range(9):
            with subprocess.Popen(
                [sys.executable, "-c", program], stdout=subprocess.DEVNULL
            ) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            seconds.append(usage.ru_utime + usage.ru_stime)
        row(name, Timing(tuple(seconds)))
    return {}


if __name__ == "__main__":
    main()
