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
    """Turn the vectors of IN into the format that the name of OUT asks for.

    The format of IN is recognised from its content. OUT may end in .vec or .txt (text; add .gz,
    .bz2 or .xz to compress), .bin (word2vec), .npz, or have no suffix for a Lexalign folder.
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
