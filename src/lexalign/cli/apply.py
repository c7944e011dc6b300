"""``lexalign apply MAP VECTORS --side source --output FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lexalign.cli.options import PATH, policy_from, policy_options
from lexalign.cli.printing import note, warn
from lexalign.spaces.linear_map import SIDES

WORDS = {
    "own": "this map is for the words of one language alone; those that both languages share have "
    "shared.map.safetensors in the same folder.",
    "shared": "this map is for the words that both languages share; the others have "
    "map.safetensors in the same folder.",
}
"""What to know about the maps of a joint run."""


@click.command("apply")
@click.argument("map_file", metavar="MAP", type=PATH)
@click.argument("vectors", type=PATH)
@click.option(
    "--side",
    type=click.Choice(SIDES),
    required=True,
    help="The language of VECTORS in the run that learned the map.",
)
@click.option("--output", required=True, type=PATH, metavar="FILE", help="File to write.")
@click.option("--limit", type=click.IntRange(1), help="Map only the first N rows.")
@click.option(
    "--words",
    "word_file",
    type=PATH,
    metavar="FILE",
    help="Map these words, one a line, of a fastText .bin; those it does not hold are composed.",
)
@policy_options
@click.option(
    "--force",
    is_flag=True,
    help="Map vectors that the map was not learned for; otherwise this is an error.",
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

    VECTORS are the original vectors of that language, whatever chain of runs lies behind the map,
    or others of the same model, of any length: they are read, mapped and written as a stream. The
    format of FILE follows from its name, as in convert.
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
