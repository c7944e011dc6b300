"""Repeating, timing and printing, the same way in every benchmark."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path


@dataclass(frozen=True)
class Timing:
    """Wall-clock seconds of repeated runs."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"{self.median:.3g} s ({min(self.seconds):.3g}–{max(self.seconds):.3g})"


def timed(function: Callable[[], object], repeats: int = 5) -> Timing:
    """Run ``function`` several times."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - began)
    return Timing(tuple(seconds))


def interleaved(functions: dict[str, Callable[[], object]], repeats: int = 5) -> dict[str, Timing]:
    """Run several functions in turn, so that a noisy minute hits all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            seconds[name].extend(timed(function, 1).seconds)
    return {name: Timing(tuple(values)) for name, values in seconds.items()}


def heading(title: str) -> None:
    """The title of a benchmark with the date and the machine."""
    print(f"\n## {title}\n\n{date.today().isoformat()}, {machine()}\n", flush=True)


def machine() -> str:
    """Processor, cores and Python, in words."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().split("\n")
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        model = names[0] if names else model
    return f"{os.cpu_count()} × {model}, Python {platform.python_version()}"


def row(*cells: object) -> None:
    """One row of a Markdown table."""
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def table(*columns: str) -> None:
    """The head of a Markdown table."""
    row(*columns)
    row(*("---" for _ in columns))
