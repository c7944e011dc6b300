"""``lexalign evaluate SOURCE TARGET --lexicon FILE``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexalign.cli.options import VECTORS, device_option, table_options
from lexalign.evaluate.protocols import CHOICES, PROTOCOLS, named

if TYPE_CHECKING:
    from lexalign.evaluate.induction import Induction


@click.command("evaluate")
@click.argument("vectors", nargs=-1, required=True, type=VECTORS, metavar="SOURCE TARGET ...")
@click.option(
    "--lexicon",
    "lexicons",
    multiple=True,
    type=VECTORS,
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
@click.option(
    "--retrieval",
    type=click.Choice(CHOICES["retrieval"]),
    help="How translations are found. [default: that of the protocol]",
)
@click.option("--neighbours", type=int, help="The k of CSLS. [default: that of the protocol]")
@click.option("--beta", type=float, help="The inverse temperature of invsoftmax.")
@click.option("--unit", type=click.Choice(CHOICES["unit"]), help="What is counted.")
@click.option("--oov", type=click.Choice(CHOICES["oov"]), help="What becomes of unknown words.")
@click.option("--case", type=click.Choice(CHOICES["case"]), help="What is put into lower case.")
@click.option(
    "--duplicates",
    type=click.Choice(CHOICES["duplicates"]),
    help="Which row a repeated word stands for.",
)
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
    multiple=True,
    metavar="frequency|identical|FILE",
    help="Also by rank of the source word, by same spelling, or by the categories in FILE "
    "(word, tab, category).",
)
@click.option(
    "--similarity",
    "similarities",
    multiple=True,
    type=VECTORS,
    metavar="FILE",
    help="Word similarity: two words and a score a line, tabs between. With SOURCE alone "
    "both words are of one language.",
)
@click.option(
    "--gold",
    type=VECTORS,
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
    breakdown: tuple[str, ...],
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
    from lexalign.cli.progress import progress_for_humans
    from lexalign.cli.tables import show, show_json, tell_skipped
    from lexalign.evaluate.files import aligned_pairs, evaluate_files, similarity_files
    from lexalign.evaluate.tables import breakdowns, evaluation_table, similarity_table

    if not lexicons and not similarities:
        raise click.UsageError("Name a test dictionary with --lexicon, or a --similarity file.")
    progress, agreed = progress_for_humans(), named(protocol).but(**rules)
    pairs = aligned_pairs(vectors, monolingual=not lexicons)
    results = evaluate_files(
        pairs,
        lexicons,
        agreed,
        match=match,
        limit=limit,
        malformed="skip" if malformed == "skip" else "error",
        device=device,
        progress=progress,
    )
    alike = [
        result
        for path in similarities
        for result in similarity_files(pairs, path, gold, agreed, limit=limit, progress=progress)
    ]
    tell_skipped(results)
    groups = [breakdowns(evaluated.result, breakdown) for evaluated in results]
    if as_json:
        found = [
            evaluated.as_dict() | _breakdown(parts)
            for evaluated, parts in zip(results, groups, strict=True)
        ] + [evaluated.as_dict() for evaluated in alike]
        show_json(found[0] if len(found) == 1 else found)
        return
    if results:
        show(evaluation_table(results, groups), table_format)
    if alike:
        show(similarity_table(alike), table_format)


def _breakdown(parts: Mapping[str, Induction]) -> dict[str, Any]:
    return {"breakdown": {name: part.summary() for name, part in parts.items()}} if parts else {}
