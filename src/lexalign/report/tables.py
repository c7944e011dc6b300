"""Summaries of figures as tables."""

from __future__ import annotations

from lexalign.report.distances import QUARTERS, DistanceChange
from lexalign.table import Cell, Column, Table, percent


def distance_table(changes: DistanceChange) -> Table:
    """One row for the pairs as they were, one for every loss."""
    columns = [
        Column("refinement"),
        Column("closer %", percent, is_number=True),
        *(
            Column(name, _signed, is_number=True)
            for name in ("mean", "median", *(f"quarter {1 + i}" for i in range(QUARTERS)))
        ),
        Column("sum of ℓ1", _sum, is_number=True),
        Column("sum of ℓ2²", _sum, is_number=True),
    ]
    unchanged: list[Cell] = ["none", *[None] * (len(columns) - 3)]
    rows = [[*unchanged, changes.before.l1, changes.before.l2]]
    for loss, change in changes.changes.items():
        figures = (change.closer, change.mean, change.median, *change.quarters)
        rows.append([loss, *figures, change.misfit.l1, change.misfit.l2])
    title = (
        f"Change of the distance of {len(changes):,} mutual pairs; the first quarter are the "
        "nearest, the fourth the farthest"
    )
    return Table(columns, rows, title=title)


def _signed(value: Cell) -> str:
    return "" if value is None else f"{float(value):+.3g}"


def _sum(value: Cell) -> str:
    return "" if value is None else f"{float(value):,.1f}"
