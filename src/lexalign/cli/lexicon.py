"""``lexalign lexicon split``, ``lexalign lexicon swap`` and ``lexalign lexicon check``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexalign.cli.options import PATH, limit_option, names_option, parameter_options, table_options
from lexalign.cli.printing import conclude, show, show_json, warn, warn_low_coverage
from lexalign.table import Cell, Column, Table
from lexalign.vectors.lexicon_split import LexiconSplit

if TYPE_CHECKING:
    from lexalign.vectors.lexicon_check import LexiconCheck

_IN_WORDS = {
    "pairs": "pairs",
    "source_words": "{0} words",
    "target_words": "{1} words",
    "repeated_pairs": "pairs that repeat an earlier one",
    "repeated_ignoring_case": "pairs that repeat one in another case",
    "one_to_many": "{0} words with several translations",
    "many_to_one": "{1} words with several sources",
    "identical_pairs": "pairs of identical words",
    "identical_ignoring_case": "pairs of words that differ by case only",
    "known_pairs": "pairs with vectors",
    "known_ignoring_case": "more pairs with vectors if case is ignored",
    "known_swapped": "pairs with vectors if the words are swapped",
    "unknown_source": "{0} words without a vector",
    "unknown_source_by_case": "{0} words with a vector only in another case",
    "unknown_target": "{1} words without a vector",
    "unknown_target_by_case": "{1} words with a vector only in another case",
}


@click.group("lexicon")
def command() -> None:
    """Split, swap or check a file of word pairs.

    FILE has one pair per line, separated by a blank (MUSE, VecMap) or a tab (xling). A weight or a
    word class can follow a second tab. Written files have the format of FILE.
    """


@command.command("split")
@click.argument("file", type=PATH, metavar="FILE")
@click.option("--train", required=True, type=PATH, metavar="FILE", help="Training part to write.")
@click.option("--test", required=True, type=PATH, metavar="FILE", help="Test part to write.")
@parameter_options(LexiconSplit)
@click.option("--overwrite", is_flag=True, help="Replace the files of --train and --test.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def split(
    file: Path, train: Path, test: Path, overwrite: bool, as_json: bool, **settings: Any
) -> None:
    """Split FILE into a training and a test part.

    The source words of the test part are drawn at random. All pairs of a source word go to the same
    part. Source words that differ only in case count as one word.
    """
    from lexalign.pipelines.lexicon import split_lexicon

    parts = split_lexicon(file, train, test, LexiconSplit(**settings), overwrite=overwrite)
    if as_json:
        show_json(parts)
        return
    for part in parts.values():
        conclude(_sentence(part))


@command.command("swap")
@click.argument("file", type=PATH, metavar="FILE")
@click.argument("output", type=PATH, metavar="OUTPUT")
@click.option("--overwrite", is_flag=True, help="Replace OUTPUT if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def swap(file: Path, output: Path, overwrite: bool, as_json: bool) -> None:
    """Write FILE to OUTPUT in the other direction.

    Pairs keep their weights or word classes.
    """
    from lexalign.pipelines.lexicon import swap_lexicon

    written = swap_lexicon(file, output, overwrite=overwrite)
    if as_json:
        show_json(written)
    else:
        conclude(_sentence(written))


@command.command("check")
@click.argument("file", type=PATH, metavar="FILE")
@click.argument("vectors", nargs=-1, type=PATH, metavar="[SOURCE TARGET | RUN]")
@limit_option("Read the N most frequent words of each side.")
@names_option("source and target")
@table_options
def check(
    file: Path,
    vectors: tuple[Path, ...],
    limit: int,
    names: tuple[str, str] | None,
    table_format: str,
    as_json: bool,
) -> None:
    """Count the pairs and words in FILE, and the words without vectors.

    The table counts pairs, words, repeated pairs, words with several translations, and pairs of
    identical words. With SOURCE and TARGET, or the folder of a run, it also counts words without a
    vector, and words with a vector only in another case.
    """
    from lexalign.cli.progress import progress_for_humans
    from lexalign.pipelines.lexicon import check_lexicon
    from lexalign.runs import aligned_pairs

    pairs = aligned_pairs(vectors)
    if len(pairs) > 1:
        raise click.UsageError("Name one SOURCE and one TARGET, or one folder of a run.")
    pair = pairs[0] if pairs else None
    found = check_lexicon(file, pair, limit=limit, progress=progress_for_humans())
    if as_json:
        show_json({"lexicon": str(file), **found.as_dict()})
    else:
        show(_check_table(found, file, names or ("source", "target")), table_format)
    if found.seems_swapped:
        warn(
            f"{file} seems to have the wrong direction; turn it round with 'lexalign lexicon swap'."
        )
    elif pair is not None:
        known = found.findings["known_pairs"].count + found.findings["known_ignoring_case"].count
        warn_low_coverage(str(file), known, found.findings["pairs"].count)


def _sentence(written: Mapping[str, Any]) -> str:
    return (
        f"{written['path']}: {written['pairs']:,} pairs of {written['source_words']:,} source words"
    )


def _check_table(found: LexiconCheck, file: Path, names: tuple[str, str]) -> Table:
    """One row per count, with the first examples."""
    columns = [Column("finding"), Column("number", is_number=True), Column("first examples")]
    rows = list[list[Cell]]()
    for name, finding in found.findings.items():
        examples = ", ".join(finding.examples)
        more = ", …" if finding.count > len(finding.examples) > 0 else ""
        rows.append([_IN_WORDS[name].format(*names), finding.count, examples + more])
    return Table(columns, rows, title=str(file))
