"""Ratios to named peers, beside those that docs/results/performance.md records.

A ratio is the cost of Lexalign divided by that of a peer in the same run, so that it hardly depends
on the machine; smaller is better.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from benchmarks.measure import machine

Ratios = dict[str, float]

PAGE = Path(__file__).parent.parent / "docs" / "results" / "performance.md"
HEADING = "## Recorded ratios"
WORST = 1.2
"""By what factor a ratio may exceed the one recorded."""


def recorded_ratios(page: str) -> Ratios:
    """Read the table under the heading: name, ratio, date, machine."""
    if HEADING not in page:
        raise ValueError(f"{PAGE.name} has no section '{HEADING}'; it holds a row for every ratio.")
    section = page.split(HEADING, 1)[1].split("\n## ", 1)[0]
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in section.splitlines()
        if line.lstrip().startswith("|")
    ]
    found: Ratios = {}
    for name, ratio, *_ in rows[2:]:
        if name in found:
            raise ValueError(f"{PAGE.name} records '{name}' twice; keep one row.")
        found[name] = float(ratio)
    return found


def complaints(measured: Mapping[str, float], recorded: Mapping[str, float]) -> list[str]:
    """What is worse than recorded, not recorded, or no longer measured, in one sentence each."""
    found = []
    for name, ratio in measured.items():
        if name not in recorded:
            found.append(
                f"'{name}' is not recorded; add this row to {PAGE.name}: {row_of(name, ratio)}"
            )
        elif not ratio <= WORST * recorded[name]:
            found.append(
                f"'{name}' is {ratio:.3g}, {ratio / recorded[name] - 1:.0%} above the "
                f"{recorded[name]:.3g} recorded; measure again on a quiet machine, or find why."
            )
    found += [
        f"'{name}' is recorded but was not measured; remove its row from {PAGE.name}."
        for name in recorded
        if name not in measured
    ]
    return found


def row_of(name: str, ratio: float) -> str:
    """The row to record a ratio by."""
    return f"| {name} | {ratio:.3g} | {date.today().isoformat()} | {machine()} |"
