"""``lexalign evaluate SOURCE TARGET --lexicon FILE``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexalign.cli.options import (
    PATH,
    device_option,
    limit_option,
    names_option,
    parameter_options,
    ranking_option,
    table_options,
)
from lexalign.cli.printing import (
    score_columns,
    short_names,
    show,
    show_json,
    warn,
    warn_about_scores,
    warn_low_coverage,
)
from lexalign.cli.progress import progress_for_humans
from lexalign.evaluation.protocols import PROTOCOLS, Protocol, named
from lexalign.parameters import parameters_of
from lexalign.table import Cell, Column, Table, decimals, percent

if TYPE_CHECKING:
    from lexalign.evaluation.accuracy import Accuracy
    from lexalign.evaluation.similarity import SimilarityResult
    from lexalign.pipelines.evaluate import FileEvaluation, LexiconEvaluation


RULES = {
    name: {"default": None, "show_default": "that of the protocol"}
    for name in parameters_of(Protocol)
}
RULES["retrieval"] = {
    "default": None,
    "show_default": "nn and csls; that of the protocol comes first",
}


@click.command("evaluate")
@click.argument("vectors", nargs=-1, required=True, type=PATH, metavar="SOURCE TARGET ...")
@click.option(
    "--lexicon",
    "lexicons",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Test dictionary: two words per line, separated by a blank (MUSE, VecMap) or a tab "
    "(xling). Repeatable: one row per file.",
)
@click.option(
    "--protocol",
    type=click.Choice(list(PROTOCOLS)),
    default="muse",
    show_default=True,
    help="Evaluation protocol: count by the rules of the named tool.",
)
@parameter_options(Protocol, without=("similarity",), **RULES)
@click.option(
    "--vector-similarity",
    "similarity",
    type=click.Choice(parameters_of(Protocol)["similarity"].choices),
    help=parameters_of(Protocol)["similarity"].help,
)
@click.option(
    "--match",
    is_flag=True,
    help="Measure the first pair of files on the first lexicon only, the second on the second, and "
    "so on. By default, all pairs are measured on all lexicons.",
)
@limit_option("Read the N most frequent words of each side.")
@click.option(
    "--malformed",
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="Bad lines in a lexicon: stop with an error, or list and skip them.",
)
@click.option(
    "--exclude-seeds",
    is_flag=True,
    help="Leave out test words that are seeds of the alignment.",
)
@click.option(
    "--seeds",
    type=PATH,
    metavar="FILE",
    help="Seeds that the files were aligned with, in addition to the seeds in a run folder.",
)
@click.option(
    "--breakdown",
    "breakdowns",
    multiple=True,
    metavar="frequency|identical|FILE",
    help="Also show scores by frequency rank, by identical spelling, or by the categories in "
    "FILE (word, tab, category).",
)
@click.option(
    "--similarity",
    "similarities",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Word similarity: two words and a score per line, separated by tabs. With SOURCE "
    "only, both words are of one language.",
)
@click.option(
    "--gold",
    type=PATH,
    metavar="FILE",
    help="Scores of --similarity, line by line, if they are in a separate file.",
)
@ranking_option(auto="also show", learned="show only", csls="do not show")
@device_option
@names_option("like the files")
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
    exclude_seeds: bool,
    seeds: Path | None,
    ranking: str,
    device: str,
    names: tuple[str, str] | None,
    table_format: str,
    as_json: bool,
    **rules: Any,
) -> None:
    """Measure how well words translate between SOURCE and TARGET, which share one space.

    Instead of two files, you can name the folder of a run. Several pairs of files give several rows
    of the table. Translations are found by nearest neighbours and by CSLS, unless you choose one
    with --retrieval. A run of 'lexalign induce' has a third row, for its learned ranking.

    A score has the name of its protocol. If a rule is changed, the name says which: 'muse with nn'.
    The column 'P@1 other spelling' leaves out words that are spelled like a translation. 'P@1
    copying' is that of answering with the source word itself. If test words are seeds, 'P@1 without
    seeds' leaves them out.
    """
    from lexalign.evaluation.breakdown import breakdown
    from lexalign.pipelines.evaluate import evaluate_files
    from lexalign.runs import aligned_pairs

    of_lexicons = bool(breakdowns or match or seeds or exclude_seeds)
    _check_combination(lexicons, similarities, gold, breakdowns, of_lexicons)
    agreed = named(protocol).but(**rules)
    pairs = aligned_pairs(vectors, monolingual=not lexicons)
    if names is not None and len(pairs) > 1:
        raise click.UsageError(f"--names belongs to one pair, found {len(pairs)}; leave it out.")
    accuracies, similarity_results = evaluate_files(
        pairs,
        lexicons,
        agreed,
        retrievals=agreed.retrievals if rules["retrieval"] is None else (),
        ranking=ranking if rules["retrieval"] is None else "csls",
        similarities=similarities,
        gold=gold,
        match=match,
        limit=limit,
        malformed="skip" if malformed == "skip" else "error",
        seeds=seeds,
        exclude_seeds=exclude_seeds,
        device=device,
        progress=progress_for_humans(),
    )
    _warn(accuracies)
    groups = [
        {
            name: part
            for kind in ("class", *breakdowns)
            for name, part in breakdown(one.result, kind).items()
        }
        for one in accuracies
    ]
    if as_json:
        results = [
            one.as_dict() | _breakdown(parts) for one, parts in zip(accuracies, groups, strict=True)
        ] + [one.as_dict() for one in similarity_results]
        show_json(results[0] if len(results) == 1 else results)
        return
    if accuracies:
        show(_evaluation_table(accuracies, groups, names), table_format, compact=True)
    if similarity_results:
        show(_similarity_table(similarity_results, names), table_format, compact=True)


def _check_combination(
    lexicons: Sequence[Path],
    similarities: Sequence[Path],
    gold: Path | None,
    breakdowns: Sequence[str],
    of_lexicons: bool,
) -> None:
    """Raise if options conflict, or a file of categories cannot be read."""
    from lexalign.evaluation.breakdown import read_categories

    if not lexicons and not similarities:
        raise click.UsageError(
            "Name a test dictionary with --lexicon, or a file with --similarity."
        )
    if gold is not None and len(similarities) != 1:
        raise click.UsageError("--gold needs exactly one --similarity file.")
    if of_lexicons and not lexicons:
        raise click.UsageError("--breakdown, --match, --seeds and --exclude-seeds need --lexicon.")
    for kind in breakdowns:
        if kind not in ("frequency", "identical", "class"):
            read_categories(kind)


def _warn(results: Sequence[LexiconEvaluation]) -> None:
    """Warn of skipped lines, another case, low coverage, and seeds among the test words."""
    for path, skipped in {evaluated.file: evaluated.skipped for evaluated in results}.items():
        for line, problem in skipped:
            warn(f"{path}, line {line}: skipped, {problem}.")
    for evaluated in {(one.pair, one.file): one for one in results}.values():
        covered = evaluated.result.coverage_pairs
        if evaluated.unknown_by_case:
            warn(
                f"{evaluated.file}: {evaluated.unknown_by_case:,} of {covered.total:,} pairs "
                "are unknown only because of their case; use --case lower to ignore it."
            )
        warn_low_coverage(str(evaluated.file), covered.known, covered.total)
    warn_about_scores(
        ((one.file, one.result, one.leakage) for one in results),
        without_seeds=any(one.without_seeds for one in results),
    )


def _breakdown(parts: Mapping[str, Accuracy]) -> dict[str, Any]:
    return {"breakdown": {name: part.summary() for name, part in parts.items()}} if parts else {}


def _evaluation_table(
    results: Sequence[LexiconEvaluation],
    groups: Sequence[Mapping[str, Accuracy]],
    languages: tuple[str, str] | None,
) -> Table:
    """One row per result, followed by its groups if there are any."""
    named_rows = _names_of_rows(results, languages)
    rows = list[list[Cell]]()
    for number, evaluated in enumerate(results):
        whole = evaluated.result
        names = [*named_rows[number], whole.protocol.name, whole.protocol.retrieval]
        context = (whole.coverage_words.share, whole.coverage_pairs.share, whole.queries)
        rows.append([*names, "all", *_scores(whole), *_seed_cells(evaluated), *context])
        for group, part in groups[number].items():
            rows.append([*names, group, *_scores(part), *[None] * 4, part.queries])
    columns = [Column(name) for name in ("vectors", "lexicon", "protocol", "retrieval", "group")]
    counts = [
        Column("P@1 other spelling", percent, is_number=True),
        Column("P@1 copying", percent, is_number=True),
        Column("seeds", is_number=True),
        Column("P@1 without seeds", percent, is_number=True),
        Column("coverage of words", percent, is_number=True, is_context=True),
        Column("coverage of pairs", percent, is_number=True, is_context=True),
        Column("queries", is_number=True, is_context=True),
    ]
    table = Table([*columns, *score_columns(), *counts], rows)
    if not any(_leaks(one) for one in results):
        table = table.without("seeds").without("P@1 without seeds")
    elif all(_seed_cells(one)[1] is None for one in results):
        table = table.without("P@1 without seeds")
    return table if any(groups) else table.without("group")


def _names_of_rows(
    results: Sequence[FileEvaluation[Any]], languages: tuple[str, str] | None
) -> list[tuple[str, str]]:
    """What the pair of every row is called, and its lexicon or file of similarities."""
    short = short_names([path for one in results for path in (*one.pair.paths, one.file)])
    found = list[tuple[str, str]]()
    for one in results:
        pair = " ".join(short[path] for path in one.pair.paths)
        if languages is not None:
            pair = languages[0] if one.pair.source == one.pair.target else " → ".join(languages)
        found.append((pair, short[one.file]))
    return found


def _scores(result: Accuracy) -> list[Cell]:
    """All scores, then P@1 without identical words and P@1 of copying."""
    rest = result.other_spelling
    return [
        *result.scores().values(),
        rest.precision(1) if rest.queries else None,
        result.copying,
    ]


def _leaks(evaluated: LexiconEvaluation) -> bool:
    """Whether queries that are seeds count in the score."""
    found = evaluated.leakage
    return found is not None and found.queries > 0 and not evaluated.without_seeds


def _seed_cells(evaluated: LexiconEvaluation) -> list[Cell]:
    """The number of queries that are seeds, and P@1 without them."""
    found = evaluated.leakage
    if found is None or evaluated.without_seeds:
        return [None, None]
    clean = None if found.queries == found.whole.queries else found.clean.precision(1)
    return [found.queries, clean]


def _similarity_table(
    results: Sequence[FileEvaluation[SimilarityResult]], languages: tuple[str, str] | None
) -> Table:
    """The correlation with human judgements."""
    columns = [
        Column("vectors"),
        Column("file"),
        Column("Spearman", decimals, is_number=True),
        Column("Pearson", decimals, is_number=True),
        Column("coverage", percent, is_number=True),
        Column("pairs", is_number=True),
    ]
    rows = list[list[Cell]]()
    for evaluated, names in zip(results, _names_of_rows(results, languages), strict=True):
        found = evaluated.result
        rows.append([*names, found.spearman, found.pearson, found.coverage, found.queries])
    return Table(columns, rows, title="Word similarity")
