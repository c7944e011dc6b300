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
    """Wall-clock seconds of repeated runs, and the processor seconds of all threads, if counted."""

    seconds: tuple[float, ...]
    processor: tuple[float, ...] = ()

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.seconds)

    def share_of(self, peer: Timing) -> float:
        """The processor time, as a ratio to that of a peer: other programs beside matter little."""
        return statistics.median(self.processor) / statistics.median(peer.processor)

    def __str__(self) -> str:
        return f"{self.median:.3g} s ({min(self.seconds):.3g}–{max(self.seconds):.3g})"


def timed(function: Callable[[], object], repeats: int = 5) -> Timing:
    """Run ``function`` several times."""
    seconds, processor = [], []
    for _ in range(repeats):
        began, worked = time.perf_counter(), time.process_time()
        function()
        seconds.append(time.perf_counter() - began)
        processor.append(time.process_time() - worked)
    return Timing(tuple(seconds), tuple(processor))


def interleaved(functions: dict[str, Callable[[], object]], repeats: int = 5) -> dict[str, Timing]:
    """Run several functions in turn, so that a noisy minute hits all of them."""
    runs: dict[str, list[Timing]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            runs[name].append(timed(function, 1))
    return {
        name: Timing(
            tuple(one.seconds[0] for one in several), tuple(one.processor[0] for one in several)
        )
        for name, several in runs.items()
    }


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
