"""``lexalign evaluate SOURCE TARGET --lexicon FILE``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexalign.cli.options import PATH, device_option, parameter_options, table_options
from lexalign.evaluation.protocols import PROTOCOLS, Protocol, named
from lexalign.parameters import parameters_of

if TYPE_CHECKING:
    from lexalign.evaluation.accuracy import Accuracy


RULES = {
    name: {"default": None, "show_default": "that of the protocol"}
    for name in parameters_of(Protocol)
}


@click.command("evaluate")
@click.argument("vectors", nargs=-1, required=True, type=PATH, metavar="SOURCE TARGET ...")
@click.option(
    "--lexicon",
    "lexicons",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Test dictionary: two words a line, a blank (MUSE, VecMap) or a tab (xling) "
    "between. Give several for several rows.",
)
@click.option(
    "--protocol",
    type=click.Choice(list(PROTOCOLS)),
    default="muse",
    show_default=True,
    help="Whose rules of counting.",
)
@parameter_options(Protocol, without=("similarity",), **RULES)
@click.option(
    "--match",
    is_flag=True,
    help="The first lexicon goes with the first pair, and so on, instead of all with all.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=200_000,
    show_default=True,
    help="Read the N most frequent words of each side.",
)
@click.option(
    "--malformed",
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="Refuse a lexicon with bad lines, or list and skip them.",
)
@click.option(
    "--breakdown",
    "breakdowns",
    multiple=True,
    metavar="frequency|identical|FILE",
    help="Also by rank of the source word, by same spelling, or by the categories in FILE "
    "(word, tab, category).",
)
@click.option(
    "--similarity",
    "similarities",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Word similarity: two words and a score a line, tabs between. With SOURCE alone "
    "both words are of one language.",
)
@click.option(
    "--gold",
    type=PATH,
    metavar="FILE",
    help="The scores of --similarity, line by line, if they are in a file of their own.",
)
@device_option
@table_options
def command(
    vectors: tuple[Path, ...],
    lexicons: tuple[Path, ...],
    protocol: str,
    similarities: tuple[Path, ...],
    gold: Path | None,
    breakdowns: tuple[str, ...],
    match: bool,
    limit: int,
    malformed: str,
    device: str,
    table_format: str,
    as_json: bool,
    **rules: Any,
) -> None:
    """Measure how well words translate between SOURCE and TARGET, which lie in one space.

    Instead of two files, name a folder that Lexalign wrote; give several pairs for several rows.
    The score is named by the protocol, and by every rule of it that you overruled.
    """
    from lexalign.cli.evaluation_tables import evaluation_table, similarity_table
    from lexalign.cli.printing import show, show_json, tell_low_coverage, tell_skipped
    from lexalign.cli.progress import progress_for_humans
    from lexalign.evaluation.breakdown import breakdown, read_categories
    from lexalign.pipelines.evaluate import evaluate_files
    from lexalign.runs import aligned_pairs

    if not lexicons and not similarities:
        raise click.UsageError("Name a test dictionary with --lexicon, or a --similarity file.")
    if gold is not None and len(similarities) != 1:
        raise click.UsageError("--gold belongs to exactly one --similarity file.")
    if (breakdowns or match) and not lexicons:
        raise click.UsageError("--breakdown and --match belong to --lexicon.")
    for kind in breakdowns:
        if kind not in ("frequency", "identical"):
            read_categories(kind)
    translated, alike = evaluate_files(
        aligned_pairs(vectors, monolingual=not lexicons),
        lexicons,
        named(protocol).but(**rules),
        similarities=similarities,
        gold=gold,
        match=match,
        limit=limit,
        malformed="skip" if malformed == "skip" else "error",
        device=device,
        progress=progress_for_humans(),
    )
    tell_skipped(translated)
    tell_low_coverage(translated)
    groups = [
        {name: part for kind in breakdowns for name, part in breakdown(one.result, kind).items()}
        for one in translated
    ]
    if as_json:
        found = [
            one.as_dict() | _breakdown(parts) for one, parts in zip(translated, groups, strict=True)
        ] + [one.as_dict() for one in alike]
        show_json(found[0] if len(found) == 1 else found)
        return
    if translated:
        show(evaluation_table(translated, groups), table_format, compact=True)
    if alike:
        show(similarity_table(alike), table_format, compact=True)


def _breakdown(parts: Mapping[str, Accuracy]) -> dict[str, Any]:
    return {"breakdown": {name: part.summary() for name, part in parts.items()}} if parts else {}
