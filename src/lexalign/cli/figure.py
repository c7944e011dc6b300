"""``lexalign figure SOURCE TARGET --output FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lexalign.cli.options import (
    PATH,
    parameter_options,
    policy_from,
    policy_options,
    table_options,
)
from lexalign.procrustes import LOSSES, PAPER_HORIZON
from lexalign.refinement import Refiner


@click.command("figure")
@click.argument("vectors", nargs=-1, required=True, type=PATH, metavar="SOURCE TARGET")
@click.option(
    "--output",
    "outputs",
    required=True,
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="What to write, by its suffix: .png, .svg or .pdf, or .csv for the data; may be repeated.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@click.option("--uniform", is_flag=True, help="One scale for all panels.")
@click.option(
    "--loss",
    "losses",
    multiple=True,
    type=click.Choice(tuple(LOSSES)),
    default=["l1", "l2"],
    show_default=True,
    help="One panel for each, from top to bottom; may be repeated.",
)
@parameter_options(
    Refiner,
    without=("loss", "rounds"),
    horizon={"default": PAPER_HORIZON, "show_default": True},
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=200_000,
    show_default=True,
    help="Read the N most frequent words of each side.",
)
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

    Both lie in one space; instead of both, name the folder of a run, such as that of 'lexalign
    align'. Pairs are ordered by their original distance, bars below zero came closer (Peng, Lin &
    Stevenson 2021, Figure 1; with --uniform, the figure of their appendix).
    """
    from lexalign.cli.printing import show, show_json
    from lexalign.cli.progress import progress_for_humans
    from lexalign.report import figure_files
    from lexalign.report.tables import distance_table
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
        click.echo(f"lexalign: {changes.warning}", err=True)
    for output in outputs:
        click.echo(f"{output}: {len(changes):,} pairs", err=True)
    if as_json:
        written = [str(output) for output in outputs]
        show_json({"outputs": written, **changes.as_dict(), "seconds": progress.seconds})
    else:
        show(distance_table(changes), table_format)
