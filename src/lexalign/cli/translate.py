"""``lexalign translate SOURCE TARGET WORD...``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexalign.cli.completion import complete_files
from lexalign.cli.options import (
    PATH,
    limit_option,
    names_option,
    parameter_options,
    ranking_option,
    table_options,
)
from lexalign.cli.printing import direction_names, note, show, show_json, warn
from lexalign.cli.progress import progress_for_humans
from lexalign.cli.wording import in_options
from lexalign.pipelines.translate import DIRECTIONS
from lexalign.retrieval.translator import Translator
from lexalign.table import Cell, Column, Table, decimals
from lexalign.vectors.lexicon_lines import LEXICON_FORMATS

if TYPE_CHECKING:
    from lexalign.atomic import Claim
    from lexalign.pipelines.translate import Translations


@click.command("translate")
@click.argument(
    "arguments",
    nargs=-1,
    required=True,
    metavar="SOURCE TARGET [WORD]...",
    shell_complete=complete_files,
)
@click.option("--file", "word_file", type=PATH, metavar="FILE", help="File of words, one per line.")
@click.option("--all", "all_words", is_flag=True, help="Translate every word.")
@click.option(
    "--mutual",
    is_flag=True,
    help=("List the mutual pairs: words that choose each other."),
)
@click.option(
    "--direction",
    type=click.Choice(list(DIRECTIONS)),
    default="forward",
    show_default=True,
    help="Translate from source to target (forward), back (backward), or both.",
)
@click.option(
    "-k",
    "k",
    type=click.IntRange(1),
    help=("Number of translations per word. [default: 5; with --all: 1]"),
)
@parameter_options(Translator)
@click.option(
    "--max-rank",
    type=click.IntRange(1),
    help="With --mutual: use only the N most frequent words per side.",
)
@click.option(
    "--min-margin",
    type=float,
    help="With --mutual: write only pairs with at least this margin over the second choice.",
)
@limit_option("Read the N most frequent words of each side.")
@click.option("--lowercase", is_flag=True, help="Change all words to lower case.")
@click.option("--output", type=PATH, metavar="FILE", help="Write a dictionary to this file.")
@click.option(
    "--format",
    "lexicon_format",
    type=click.Choice(list(LEXICON_FORMATS)),
    default="tsv",
    show_default=True,
    help="Format of --output: tsv keeps the scores; the others hold pairs only.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@ranking_option()
@names_option("none; the directions are called forward and backward")
@table_options
def command(
    arguments: tuple[str, ...],
    word_file: Path | None,
    all_words: bool,
    mutual: bool,
    direction: str,
    k: int | None,
    max_rank: int | None,
    min_margin: float | None,
    limit: int,
    lowercase: bool,
    output: Path | None,
    lexicon_format: str,
    overwrite: bool,
    ranking: str,
    names: tuple[str, str] | None,
    table_format: str,
    as_json: bool,
    **scoring: Any,
) -> None:
    """Translate words between SOURCE and TARGET, which share one space.

    Give words, --file or --all, or use --mutual to list the mutual pairs. Instead of
    SOURCE and TARGET, you can name the folder of a run.
    """
    from lexalign.pipelines.translate import TranslationRequest, translate_files, write_dictionary
    from lexalign.runs import aligned_pairs, is_run

    paths = 1 if is_run(Path(arguments[0])) else 2
    (pair,), words = aligned_pairs([Path(name) for name in arguments[:paths]]), arguments[paths:]
    if sum((bool(words), word_file is not None, all_words, mutual)) != 1:
        raise click.UsageError("Give only one of words, --file, --all and --mutual.")
    _check_mutual(mutual, direction, k, max_rank, min_margin)
    claim = _claimed(output, lexicon_format, overwrite)
    request = TranslationRequest(
        words=words,
        word_file=word_file,
        all_words=all_words,
        mutual=mutual,
        direction=direction,
        k=k,
        scoring=scoring,
        max_rank=max_rank,
        min_margin=min_margin,
        limit=limit,
        lowercase=lowercase,
        ranking=ranking,
    )
    found = translate_files(pair, request, progress=progress_for_humans())
    if found.warning:
        warn(in_options(found.warning))
    if claim is not None and found.any_known:
        written = write_dictionary(found, claim, format=lexicon_format)
        note(f"{output}: {written}")
    elif claim is not None:
        pass  # There is nothing to write, and the warning says why.
    elif as_json:
        show_json([entry.as_dict() for entry in found.entries])
    else:
        score = "margin" if mutual else found.score
        show(_dictionary_table(found, score, names), table_format)
    if not found.any_known:
        raise click.exceptions.Exit(1)


def _check_mutual(
    mutual: bool, direction: str, k: int | None, max_rank: int | None, min_margin: float | None
) -> None:
    """Raise if options of ``--mutual`` are given without it, or others with it."""
    if (min_margin is not None or max_rank is not None) and not mutual:
        raise click.UsageError("--min-margin and --max-rank need --mutual.")
    if mutual and (direction != "forward" or k is not None):
        raise click.UsageError(
            "--mutual covers both directions with one pair per word; leave out --direction and -k."
        )


def _claimed(output: Path | None, lexicon_format: str, overwrite: bool) -> Claim | None:
    """Claim the output; raise if it cannot be written, or its options are given without it."""
    from lexalign.atomic import claim_file

    if output is not None:
        return claim_file(output, overwrite=overwrite)
    if overwrite or lexicon_format != "tsv":
        raise click.UsageError("--format and --overwrite need --output.")
    return None


def _dictionary_table(dictionary: Translations, score: str, names: tuple[str, str] | None) -> Table:
    """One row per translation; an unknown word has an empty translation.

    With ``names`` of both languages, they head the columns of a table of one direction.
    """
    directions = direction_names(names)
    rows = list[list[Cell]]()
    for entry in dictionary.entries:
        direction = directions[entry.direction]
        if entry.translations is None:
            rows.append([direction, entry.word, None, None, None])
            continue
        rows += [
            [direction, entry.word, rank, found.word, found.score]
            for rank, found in enumerate(entry.translations, 1)
        ]
    mixed = len({entry.direction for entry in dictionary.entries}) > 1
    word, translation = "word", "translation"
    if names is not None and not mixed:
        backward = any(entry.backward for entry in dictionary.entries)
        word, translation = reversed(names) if backward else names
    columns = [
        Column("direction"),
        Column(word),
        Column("rank", is_number=True),
        Column(translation),
        Column(score, decimals, is_number=True),
    ]
    table = Table(columns, rows)
    return table if mixed else table.without("direction")
