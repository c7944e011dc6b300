"""``lexalign refine SOURCE TARGET --output DIR``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lexalign.cli.options import PATH, parameter_options, policy_from, run_options
from lexalign.refinement import Refiner


@click.command("refine")
@click.argument("vectors", nargs=-1, required=True, type=PATH, metavar="SOURCE TARGET")
@parameter_options(Refiner)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Recorded in run.json; refinement draws no random numbers.",
)
@run_options
def command(
    vectors: tuple[Path, ...],
    output: Path,
    limit: int,
    output_format: str,
    seed: int,
    overwrite: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Refine SOURCE and TARGET, two embeddings that already lie in one space.

    Instead of both, name the folder of a run, such as that of 'lexalign align'.

    Mutual translations are found between the two, and the source is rotated to bring them closer
    in the chosen loss (Peng, Lin & Stevenson 2021), to where that does other words good. DIR
    receives the refined source, the equally normalised target, map.safetensors, lexicon.tsv and
    run.json.
    """
    from lexalign.cli.printing import refinement_table
    from lexalign.cli.progress import progress_for_humans
    from lexalign.pipelines.refine import refine_files
    from lexalign.runs import aligned_pairs

    pairs = aligned_pairs(vectors)
    if len(pairs) != 1:
        raise click.UsageError("Name one SOURCE and one TARGET, or one folder of a run.")
    policy = policy_from(options)
    summary = refine_files(
        pairs[0].source,
        pairs[0].target,
        output,
        Refiner(**options),
        limit=limit,
        policy=policy,
        output_format=output_format,
        seed=seed,
        overwrite=overwrite,
        progress=progress_for_humans(),
    )
    if summary["warning"]:
        click.echo(f"lexalign: {summary['warning']}", err=True)
    if as_json:
        import json

        click.echo(json.dumps(summary, ensure_ascii=False))
    else:
        refinement_table(summary)
