"""``lexalign figure SOURCE TARGET --output FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexalign.cli.options import (
    PATH,
    limit_option,
    parameter_options,
    policy_from,
    policy_options,
    table_options,
)
from lexalign.procrustes import LOSSES, PAPER_HORIZON
from lexalign.refinement import Refiner
from lexalign.table import Cell, Column, Table, percent

if TYPE_CHECKING:
    from lexalign.report import DistanceChange


@click.command("figure")
@click.argument("vectors", nargs=-1, required=True, type=PATH, metavar="SOURCE TARGET")
@click.option(
    "--output",
    "outputs",
    required=True,
    multiple=True,
    type=PATH,
    metavar="FILE",
    help=(
        "File to write; the suffix sets the format: .png, .svg, .pdf, or .csv for the data. "
        "Repeatable."
    ),
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@click.option("--uniform", is_flag=True, help="Use one scale for all panels.")
@click.option(
    "--loss",
    "losses",
    multiple=True,
    type=click.Choice(tuple(LOSSES)),
    default=["l1", "l2"],
    show_default=True,
    help="Draw one panel per loss, from top to bottom; repeatable.",
)
@parameter_options(
    Refiner,
    without=("loss", "rounds"),
    horizon={"default": PAPER_HORIZON, "show_default": True},
)
@limit_option("Read the N most frequent words of each side.")
@policy_options
@table_options
def command(
    vectors: tuple[Path, ...],
    outputs: tuple[Path, ...],
    losses: tuple[str, ...],
    uniform: bool,
    limit: int,
    overwrite: bool,
    table_format: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw how refinement changes the distance of every mutual pair of SOURCE and TARGET.

    Both share one space. Instead of both, you can name the folder of a run. Pairs are sorted by
    their distance before refinement; bars below zero came closer. This is Figure 1 of Peng, Lin &
    Stevenson 2021, or with --uniform the figure of their appendix.
    """
    from lexalign.cli.printing import note, show, show_json, warn
    from lexalign.cli.progress import progress_for_humans
    from lexalign.report import figure_files
    from lexalign.runs import aligned_pairs

    pairs = aligned_pairs(vectors)
    if len(pairs) != 1:
        raise click.UsageError("Name one SOURCE and one TARGET, or one folder of a run.")
    policy = policy_from(options)
    progress = progress_for_humans()
    changes = figure_files(
        pairs[0],
        outputs,
        Refiner(**options),
        losses=losses,
        uniform=uniform,
        limit=limit,
        policy=policy,
        overwrite=overwrite,
        progress=progress,
    )
    if changes.warning:
        warn(changes.warning)
    for output in outputs:
        note(f"{output}: {len(changes):,} pairs")
    if as_json:
        written = [str(output) for output in outputs]
        show_json({"outputs": written, **changes.as_dict(), "seconds": progress.seconds})
    else:
        show(_distance_table(changes), table_format)


def _distance_table(changes: DistanceChange) -> Table:
    """One row for the pairs before refinement, and one for each loss."""
    from lexalign.report.distances import QUARTERS

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
        f"Change in distance of {len(changes):,} mutual pairs; first quarter: nearest, fourth "
        "quarter: farthest"
    )
    return Table(columns, rows, title=title)


def _signed(value: Cell) -> str:
    return "" if value is None else f"{float(value):+.3g}"


def _sum(value: Cell) -> str:
    return "" if value is None else f"{float(value):,.1f}"
