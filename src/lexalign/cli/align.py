"""``lexalign align METHOD SOURCE TARGET --lexicon FILE --output DIR``, and with a pivot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lexalign.aligners import ALIGNERS, Aligner, gwa, procb, vecmap
from lexalign.arrays import DEVICES
from lexalign.cli.joint import joint
from lexalign.cli.options import (
    parameter_options,
    persistence_options,
    policy_from,
    run_options,
)
from lexalign.procrustes import LOSSES
from lexalign.spaces import UNEQUAL

HELP = {
    "normalise": "none, unit, or a list like unit,centre,unit.",
    "loss": "What a misfit costs, where the method solves a Procrustes problem.",
    "rounds": "Refits to mutual pairs at the end.",
    "neighbours": "The k of CSLS.",
    "max_rank": "Mutual pairs are sought among the N most frequent words of each side.",
    "variant": "once: seeds and mutual pairs, one refit; growing: round by round.",
    "max_pairs": "The dictionary grows up to so many pairs.",
    "growth": "By at most this factor a round (variant growing).",
    "iterations": "Steps of gradient descent.",
    "learning_rate": "Length of a step at first; halved when it does not help.",
    "max_negatives": "Neighbours are sought among the N most frequent words.",
    "spectral": "Keep the map within norm 1, which makes the problem convex.",
    "vocabulary": "Learn from the N most frequent words.",
    "candidates": "Partners considered for each word.",
    "max_iterations": "Give up after so many rounds.",
    "reweight": "Power of the correlations by which dimensions are weighted.",
    "preset": "Pairs are the seeds, or self-learned from them, or from nothing.",
    "start_words": "Without seeds: start from the N most frequent words.",
    "final": "Maps of both sides, or the rotation of the source alone.",
    "final_pairs": "Pairs of self-learning for the final maps: chosen both ways, or either way.",
    "explore_words": "Self-learning: look at the N most frequent words first.",
    "keep": "Share of the similarities that survive the dropout of the first rounds.",
    "patience": "Rounds without improvement before the dropout is halved, or the end.",
    "unequal": "What to do about spaces of different dimension.",
    "seed": "Starts the random numbers, if the method draws any.",
    "device": "Where to compute.",
    "epochs": "Epochs at most: of adversarial training, or of each start of icp.",
    "epoch_size": "Source words shown to the map in an epoch.",
    "hidden": "Units in each of the discriminator's two hidden layers.",
    "batch": "Words of each side in a step.",
    "discriminator_steps": "Updates of the discriminator for each update of the map.",
    "beta": "How strongly the map is drawn towards a rotation after each step.",
    "words": "Lay the clouds of the N most frequent words onto each other.",
    "components": "Principal components to do so in.",
    "starts": "Different starts, of which the closest fit wins.",
    "fine_words": "Mutual pairs at the end are sought among the N most frequent words.",
    "epsilon": "Weight of the entropy in the end; small is sharp.",
    "start_epsilon": "Weight of the entropy at first.",
    "stages": "From the one to the other in so many stages.",
    "tolerance": "A stage ends when the coupling moves less.",
    "marginals": "Weights of the words: all alike, or falling with their rank.",
    "checkpoint": "Folder that keeps the state of long work; it goes on from there after a stop.",
}
CHOICES = {
    "loss": tuple(LOSSES),
    "variant": procb.VARIANTS,
    "preset": vecmap.PRESETS,
    "final": vecmap.FINALS,
    "final_pairs": vecmap.FINAL_PAIRS,
    "unequal": UNEQUAL,
    "device": DEVICES,
    "marginals": gwa.MARGINALS,
}


@click.group("align")
def command() -> None:
    """Align two monolingual embeddings, or two corpora, by one of these methods."""


def _method(aligner: type[Aligner]) -> click.Command:
    @click.argument("vectors", nargs=-1, required=True, metavar="SOURCE TARGET", type=str)
    @click.option(
        "--lexicon",
        "lexicons",
        multiple=True,
        metavar="FILE|identical|numerals",
        help="Seeds: a dictionary, or words spelled the same. Unsupervised methods take none. "
        "With --pivot: NAME=FILE for every language, or one for all in which {} is the name.",
    )
    @click.option(
        "--pivot",
        metavar="NAME",
        help="Bring several languages, NAME=FILE each, into the space of this one.",
    )
    @click.option("--pivot-first", is_flag=True, help="Lexicons list the word of the pivot first.")
    @persistence_options
    @run_options
    def run(
        vectors: tuple[str, ...],
        lexicons: tuple[str, ...],
        pivot: str | None,
        pivot_first: bool,
        restarts: int,
        fallback: bool,
        strict: bool,
        output: Path,
        limit: int,
        output_format: str,
        overwrite: bool,
        as_json: bool,
        **options: Any,
    ) -> None:
        from lexalign.aligners.retries import Retries
        from lexalign.cli.alignment_table import alignment_table, warn_about_alignment
        from lexalign.cli.printing import show_json
        from lexalign.cli.progress import progress_for_humans
        from lexalign.pipelines.align import FileAlignment

        policy = policy_from(options)
        work = FileAlignment(
            aligner(**options),
            limit=limit,
            policy=policy,
            output_format=output_format,
            overwrite=overwrite,
            retries=Retries(restarts, fallback, strict),
            progress=progress_for_humans(),
        )
        if pivot is None:
            if len(vectors) != 2 or len(lexicons) > 1 or pivot_first:
                raise click.UsageError(
                    "Give one SOURCE, one TARGET and at most one --lexicon, or a --pivot for more."
                )
            source, target = map(Path, vectors)
            summary = work.align(source, target, lexicons[0] if lexicons else None, output)
        else:
            files = {name: Path(path) for name, path in map(_named, vectors)}
            if len(files) < len(vectors):
                raise click.UsageError("Two files have the same name; write NAME=FILE for each.")
            seeds = _lexicons(lexicons, [name for name in files if name != pivot])
            summary = work.align_to_pivot(files, pivot, seeds, output, pivot_first=pivot_first)
        if as_json:
            show_json(summary)
        else:
            alignment_table(summary)
        warn_about_alignment(summary)

    run = parameter_options(aligner, HELP, CHOICES)(run)
    description = (aligner.__doc__ or "").replace("``", "")
    return click.command(aligner.name, help=description)(run)


def _named(argument: str) -> tuple[str, str]:
    """The name and the file of NAME=FILE; a file alone is called by its name up to the suffix."""
    name, equals, path = argument.partition("=")
    return (name, path) if equals and "/" not in name else (Path(argument).stem, argument)


def _lexicons(given: tuple[str, ...], names: list[str]) -> dict[str, str | None]:
    """The lexicon of every language: its own NAME=FILE, or the one for all."""
    own = dict(entry for entry in map(_named, given) if entry[0] in names)
    common = [entry for entry in given if _named(entry)[0] not in names]
    if len(common) > 1:
        raise click.UsageError(f"Of these lexicons only one can be for all: {', '.join(common)}.")
    if given and not common and len(own) < len(names):
        missing = ", ".join(name for name in names if name not in own)
        raise click.UsageError(f"There is no --lexicon for {missing}.")
    return {
        name: own.get(name, common[0].replace("{}", name) if common else None) for name in names
    }


for _aligner in ALIGNERS.values():
    command.add_command(_method(_aligner))
command.add_command(joint)
