"""``lexalign export projector RUN --output DIR``."""

from __future__ import annotations

from pathlib import Path

import click

from lexalign.cli.options import LIKE_FILES, PATH, names_option
from lexalign.pipelines.export import PROJECTOR_WORDS


@click.group("export")
def command() -> None:
    """Write the words of a run for other programs."""


@command.command("projector")
@click.argument("folder", type=PATH, metavar="RUN")
@click.option("--output", required=True, type=PATH, metavar="DIR", help="Folder to write.")
@click.option(
    "--words",
    type=click.IntRange(1),
    default=PROJECTOR_WORDS,
    show_default=True,
    metavar="N",
    help="Take the N most frequent words of each side.",
)
@names_option(LIKE_FILES)
@click.option("--overwrite", is_flag=True, help="Replace DIR if an earlier export wrote it.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def projector(
    folder: Path,
    output: Path,
    words: int,
    names: tuple[str, str] | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write the words of RUN for the TensorFlow Embedding Projector.

    DIR receives vectors.tsv and metadata.tsv (word, language, rank). Load them at
    projector.tensorflow.org, or run: tensorboard --logdir DIR.
    """
    from lexalign.cli.printing import conclude, show_json, warn
    from lexalign.cli.progress import progress_for_humans
    from lexalign.pipelines.export import export_projector

    written = export_projector(
        folder,
        output,
        words=words,
        names=names,
        overwrite=overwrite,
        progress=progress_for_humans(),
    )
    if written.changed:
        warn(
            f"{written.changed:,} words contain tabs or line ends; metadata.tsv has blanks instead."
        )
    if as_json:
        show_json(written.as_dict())
    else:
        source, target = written.words.values()
        conclude(
            f"{output}: {source:,} source and {target:,} target words, "
            f"{written.dimension} dimensions"
        )
