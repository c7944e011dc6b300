"""``lexalign align METHOD SOURCE TARGET --lexicon FILE --output DIR``."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import click

from lexalign.aligners import ALIGNERS, Aligner, procb, vecmap
from lexalign.cli.options import PATH, policy_from, run_options
from lexalign.procrustes import LOSSES
from lexalign.spaces import UNEQUAL
from lexalign.spaces.arrays import DEVICES

HELP = {
    "normalise": "none, unit, or a list like unit,centre,unit.",
    "loss": "What a misfit costs, where the method solves a Procrustes problem.",
    "rounds": "Refits to mutual pairs after the seeds.",
    "neighbours": "The k of CSLS.",
    "max_rank": "Mutual pairs are sought among the N most frequent words of each side.",
    "variant": "once: seeds and mutual pairs, one refit; growing: round by round.",
    "max_pairs": "The dictionary grows up to so many pairs.",
    "growth": "By at most this factor a round (variant growing).",
    "iterations": "Steps of gradient descent.",
    "learning_rate": "Length of a step; halved when the loss rises.",
    "max_negatives": "Neighbours are sought among the N most frequent words.",
    "spectral": "Keep the map within norm 1, which makes the problem convex.",
    "vocabulary": "Match the N most frequent words.",
    "candidates": "Partners considered for each word.",
    "max_iterations": "Give up after so many rounds.",
    "reweight": "Power of the correlations by which dimensions are weighted.",
    "preset": "Pairs are the seeds, or self-learned from them, or from nothing.",
    "start_words": "Without seeds: compare the N most frequent words.",
    "final": "Maps of both sides, or the rotation of the source alone.",
    "keep": "Share of the similarities that survive the dropout of the first rounds.",
    "patience": "Rounds without improvement before the dropout is halved, or the end.",
    "unequal": "What to do about spaces of different dimension.",
    "seed": "Starts the random numbers, if the method draws any.",
    "device": "Where to compute.",
}
CHOICES = {
    "loss": tuple(LOSSES),
    "variant": procb.VARIANTS,
    "preset": vecmap.PRESETS,
    "final": vecmap.FINALS,
    "unequal": UNEQUAL,
    "device": DEVICES,
}


@click.group("align")
def command() -> None:
    """Align two monolingual embeddings by one of these methods."""


def _method(aligner: type[Aligner]) -> click.Command:
    @click.argument("source", type=PATH)
    @click.argument("target", type=PATH)
    @click.option(
        "--lexicon",
        metavar="FILE|identical|numerals",
        help="Seeds: a dictionary, or words spelled the same. Unsupervised methods take none.",
    )
    @run_options
    def run(
        source: Path,
        target: Path,
        lexicon: str | None,
        output: Path,
        limit: int,
        output_format: str,
        overwrite: bool,
        as_json: bool,
        **options: Any,
    ) -> None:
        from lexalign.aligners.files import align_files
        from lexalign.cli.progress import progress_for_humans
        from lexalign.cli.tables import alignment_table, show_json

        policy = policy_from(options)
        summary = align_files(
            aligner(**options),
            source,
            target,
            lexicon,
            output,
            limit=limit,
            policy=policy,
            output_format=output_format,
            overwrite=overwrite,
            progress=progress_for_humans(),
        )
        if as_json:
            show_json(summary)
        else:
            alignment_table(summary)

    for parameter in reversed(fields(aligner)):
        run = _option(parameter.name, parameter.default)(run)
    description = (aligner.__doc__ or "").replace("``", "")
    return click.command(aligner.name, help=description)(run)


def _option(name: str, default: Any) -> Any:
    """The option of one parameter of an aligner, named, typed and defaulted like it."""
    flag = f"--{name.replace('_', '-')}"
    if default is MISSING:
        raise TypeError(f"the parameter {name!r} of an aligner needs a default")
    if isinstance(default, bool):
        return click.option(flag, name, is_flag=True, default=default, help=HELP[name])
    kind = click.Choice(CHOICES[name]) if name in CHOICES else type(default)
    return click.option(flag, name, type=kind, default=default, show_default=True, help=HELP[name])


for _aligner in ALIGNERS.values():
    command.add_command(_method(_aligner))
