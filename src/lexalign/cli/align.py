"""``lexalign align METHOD SOURCE TARGET --lexicon FILE --output DIR``, also with a pivot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lexalign.aligners import ALIGNERS, Aligner
from lexalign.cli.completion import complete_files, complete_seeds
from lexalign.cli.joint import joint
from lexalign.cli.options import (
    parameter_options,
    policy_from,
    retry_options,
    run_options,
)
from lexalign.cli.wording import with_options
from lexalign.parameters import parameters_of


@click.group("align")
def command() -> None:
    """Align two embeddings by one of these methods, or train on two corpora and align."""


def _method(aligner: type[Aligner]) -> click.Command:
    @click.argument(
        "vectors",
        nargs=-1,
        required=True,
        metavar="SOURCE TARGET",
        type=str,
        shell_complete=complete_files,
    )
    @click.option(
        "--lexicon",
        "lexicons",
        multiple=True,
        metavar="FILE|identical|numerals",
        shell_complete=complete_seeds,
        help="Seed lexicon: a file, or identical words or numerals. Unsupervised methods use "
        "none. With --pivot: NAME=FILE for each other language, or one file name in which {} "
        "stands for the name of the language.",
    )
    @click.option(
        "--pivot",
        metavar="NAME",
        help="Name of the pivot language. Instead of SOURCE TARGET, give NAME=FILE for each "
        "language. All are mapped into the space of the pivot.",
    )
    @click.option(
        "--pivot-first",
        is_flag=True,
        help="The lexicons list the word of the pivot language first.",
    )
    @retry_options
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
            retries=Retries(restarts=restarts, fallback=fallback, strict=strict),
            progress=progress_for_humans(),
        )
        if pivot is None:
            if pivot_first:
                raise click.UsageError("--pivot-first needs --pivot NAME; name the pivot.")
            if len(vectors) != 2 or len(lexicons) > 1:
                raise click.UsageError(
                    "Give one SOURCE, one TARGET and at most one --lexicon, or use --pivot "
                    "for several languages."
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

    run = parameter_options(aligner)(run)
    description = with_options(aligner.__doc__ or "", parameters_of(aligner))
    return click.command(aligner.name, help=description, short_help=aligner.summary or None)(run)


def _named(argument: str) -> tuple[str, str]:
    """Split NAME=FILE; the name of a file alone is its name without suffix."""
    name, equals, path = argument.partition("=")
    return (name, path) if equals and "/" not in name else (Path(argument).stem, argument)


def _lexicons(given: tuple[str, ...], names: list[str]) -> dict[str, str | None]:
    """The lexicon of each language: its own NAME=FILE, or the one for all."""
    own = dict(entry for entry in map(_named, given) if entry[0] in names)
    common = [entry for entry in given if _named(entry)[0] not in names]
    if len(common) > 1:
        raise click.UsageError(
            f"Only one --lexicon can serve all languages, found {', '.join(common)}; write "
            "NAME=FILE for the others."
        )
    if given and not common and len(own) < len(names):
        missing = ", ".join(name for name in names if name not in own)
        raise click.UsageError(f"There is no --lexicon for {missing}; add one as NAME=FILE.")
    return {
        name: own.get(name, common[0].replace("{}", name) if common else None) for name in names
    }


for _aligner in ALIGNERS.values():
    command.add_command(_method(_aligner))
command.add_command(joint)
