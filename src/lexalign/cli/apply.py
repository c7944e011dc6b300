"""``lexalign apply MAP VECTORS --side source --output FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lexalign.cli.options import PATH, policy_from, policy_options
from lexalign.cli.printing import note, warn
from lexalign.spaces.linear_map import SIDES

WORDS = {
    "own": "this map is for words of one language only; shared.map.safetensors in the same "
    "folder maps the words that both languages share.",
    "shared": "this map is for words that both languages share; map.safetensors in the same folder "
    "maps the other words.",
}
"""Remarks on the two maps of a joint run."""


@click.command("apply")
@click.argument("map_file", metavar="MAP", type=PATH)
@click.argument("vectors", type=PATH)
@click.option(
    "--side",
    type=click.Choice(SIDES),
    required=True,
    help="Side of VECTORS in the run that learned the map.",
)
@click.option("--output", required=True, type=PATH, metavar="FILE", help="File to write.")
@click.option("--limit", type=click.IntRange(1), help="Map only the first N rows.")
@click.option(
    "--words",
    "word_file",
    type=PATH,
    metavar="FILE",
    help=(
        "Map the words in FILE, one per line, from a fastText .bin. Words outside its "
        "vocabulary are composed from subwords."
    ),
)
@policy_options
@click.option(
    "--force",
    is_flag=True,
    help=(
        "Apply the map even if it was learned for other vectors; without this option, that "
        "is an error."
    ),
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
def command(
    map_file: Path,
    vectors: Path,
    side: str,
    output: Path,
    limit: int | None,
    word_file: Path | None,
    force: bool,
    overwrite: bool,
    **options: Any,
) -> None:
    """Map VECTORS into the shared space of a run, by its map.safetensors.

    VECTORS are the original vectors of one language, before any run, or more vectors of the same
    model. They are streamed, so files of any length work. The suffix of FILE sets its format, as in
    'lexalign convert'.
    """
    from lexalign.cli.progress import progress_for_humans
    from lexalign.spaces import LinearMap
    from lexalign.spaces.mapping import map_file as apply_to_file
    from lexalign.spaces.mapping import map_words
    from lexalign.vectors.word_lists import read_words

    learned, policy = LinearMap.load(map_file), policy_from(options)
    chosen = learned.side(side)
    if learned.words is not None:
        warn(WORDS[learned.words])
    if word_file is not None:
        words = read_words(word_file)
        with progress_for_humans().stage("composing words"):
            map_words(vectors, words, chosen, output, force=force, overwrite=overwrite)
        note(f"{output}: {len(set(words)):,} words")
        return
    with progress_for_humans().stage("mapping", unit="words") as stage:
        census = apply_to_file(
            vectors,
            chosen,
            output,
            limit=limit,
            policy=policy,
            normalisation=chosen.steps,
            force=force,
            overwrite=overwrite,
            stage=stage,
        )
    note(f"{output}: {census}")
