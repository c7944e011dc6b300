"""``lexalign convert IN OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lexalign.cli.completion import complete_files
from lexalign.cli.options import PATH, policy_from, policy_options


@click.command("convert")
@click.argument("source", metavar="IN", type=PATH)
@click.argument("target", metavar="OUT", shell_complete=complete_files)
@click.option("--limit", type=click.IntRange(1), help="Keep only the first N rows.")
@policy_options
@click.option("--overwrite", is_flag=True, help="Replace OUT if it exists.")
def command(source: Path, target: str, limit: int | None, overwrite: bool, **options: Any) -> None:
    """Convert the vectors of IN to the format that the suffix of OUT names.

    The format of IN is detected from its content. OUT ends in .vec or .txt (text; add .gz, .bz2 or
    .xz to compress), .bin (word2vec) or .npz. Without a suffix, it is a Lexalign folder.
    """
    from lexalign.cli.printing import note
    from lexalign.cli.progress import progress_for_humans
    from lexalign.vectors import convert

    policy = policy_from(options)
    census = convert(
        source,
        target,
        limit=limit,
        policy=policy,
        overwrite=overwrite,
        progress=progress_for_humans(),
    )
    note(f"{target}: {census}")
