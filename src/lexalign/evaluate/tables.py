"""Results as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lexalign.evaluate.breakdown import by_category, by_frequency, by_spelling, read_categories
from lexalign.evaluate.comparison import Comparison
from lexalign.evaluate.dictionary import Dictionary
from lexalign.evaluate.files import Evaluated, OutlierView, SimilarityEvaluated
from lexalign.evaluate.induction import CUTOFFS, Induction
from lexalign.evaluate.significance import Bootstrap
from lexalign.tables import Cell, Column, Table, decimals, percent, scientific

_SCORES = (
    *(Column(f"P@{k}", percent, is_number=True) for k in CUTOFFS),
    Column("MRR", decimals, is_number=True),
)
_COUNTS = (
    Column("words %", percent, is_number=True),
    Column("pairs %", percent, is_number=True),
    Column("queries", is_number=True),
)


def breakdowns(result: Induction, kinds: Sequence[str]) -> dict[str, Induction]:
    """The groups of all these kinds: "frequency", "identical", or a file of categories."""
    groups: dict[str, Induction] = {}
    for kind in kinds:
        if kind == "frequency":
            groups |= {f"rank {name}": part for name, part in by_frequency(result).items()}
        elif kind == "identical":
            groups |= by_spelling(result)
        else:
            lowercase = result.protocol.case != "as-is"
            groups |= by_category(result, read_categories(Path(kind), lowercase=lowercase))
    return groups


def evaluation_table(
    results: Sequence[Evaluated], groups: Sequence[Mapping[str, Induction]] = ()
) -> Table:
    """One row a result, followed by its groups; what all rows share goes into the title."""
    short = _short_names(
        [path for evaluated in results for path in (*evaluated.pair.paths, evaluated.lexicon)]
    )
    rows = list[list[Cell]]()
    for number, evaluated in enumerate(results):
        parts = groups[number] if groups else {}
        for name, part in {"all": evaluated.result, **parts}.items():
            whole = name == "all"
            rows.append(
                [
                    " ".join(short[path] for path in evaluated.pair.paths),
                    short[evaluated.lexicon],
                    part.protocol.name,
                    name,
                    *part.scores().values(),
                    part.coverage_words.share if whole else None,
                    part.coverage_pairs.share if whole else None,
                    part.queries,
                ]
            )
    columns = [Column(name) for name in ("pair", "lexicon", "protocol", "group")]
    return _without_shared(Table([*columns, *_SCORES, *_COUNTS], rows), keep=4)


def similarity_table(results: Sequence[SimilarityEvaluated]) -> Table:
    """Rank correlation with human judgement."""
    short = _short_names(
        [path for evaluated in results for path in (*evaluated.pair.paths, evaluated.judgements)]
    )
    columns = [
        Column("pair"),
        Column("file"),
        Column("Spearman", decimals, is_number=True),
        Column("Pearson", decimals, is_number=True),
        Column("pairs %", percent, is_number=True),
        Column("pairs", is_number=True),
    ]
    rows: list[list[Cell]] = [
        [
            " ".join(short[path] for path in evaluated.pair.paths),
            short[evaluated.judgements],
            evaluated.result.spearman,
            evaluated.result.pearson,
            evaluated.result.coverage,
            evaluated.result.queries,
        ]
        for evaluated in results
    ]
    return Table(columns, rows, title="Word similarity")


def comparison_table(comparison: Comparison) -> Table:
    """One row a system; all but the first with what they gain over the first."""
    show = decimals if comparison.metric == "mrr" else percent
    columns = [
        Column("system"),
        Column("runs", is_number=True),
        Column("failed", is_number=True),
        Column(comparison.metric.upper(), show, is_number=True),
        Column("95 %", is_number=True),
        Column("gain", show, is_number=True),
        Column("95 %", is_number=True),
        Column("p (queries)", scientific, is_number=True),
        Column("p (runs)", scientific, is_number=True),
    ]

    def interval(found: Bootstrap) -> list[Cell]:
        return [found.mean, f"{show(found.low)} to {show(found.high)}"]

    short = _short_names([Path(system.name) for system in comparison.systems])
    rows = list[list[Cell]]()
    for system, other in zip(comparison.systems, (None, *comparison.differences), strict=True):
        row: list[Cell] = [short[Path(system.name)], system.runs, system.failed]
        row += [None] * 2 if system.score is None else interval(system.score)
        gain, test = (other.difference, other.t_test) if other else (None, None)
        row += [None] * 3 if gain is None else [*interval(gain), gain.p]
        rows.append([*row, None if test is None else test.corrected_p])
    title = "Gain over the first system; p by bootstrap over queries and by t-test over runs"
    return Table(columns, rows, title=title)


def dictionary_table(dictionary: Dictionary) -> Table:
    """One row a translation."""
    rows: list[list[Cell]] = [
        [entry.word if not place else "", place + 1, found.word, found.score]
        for entry in dictionary.entries
        for place, found in enumerate(entry.translations)
    ]
    columns = [
        Column("word"),
        Column("place", is_number=True),
        Column("translation"),
        Column("score", decimals, is_number=True),
    ]
    return Table(columns, rows)


def outlier_table(view: OutlierView, show: int) -> Table:
    """The outliers, the farthest first."""
    found = view.outliers
    distances = [] if found.outliers.weights is None else found.outliers.weights.tolist()
    rows = [[*pair, distance] for pair, distance in zip(found.outliers, distances, strict=True)]
    columns = [Column("source"), Column("target"), Column("distance", decimals, is_number=True)]
    total = len(found.outliers) + len(found.inliers)
    title = (
        f"{len(found)} of {total} pairs are farther apart than {found.threshold:.3f} "
        f"= Q3 + 1.5 (Q3 − Q1), quartiles {found.lower_quartile:.3f} and {found.upper_quartile:.3f}"
        + (f"; {found.unknown} pairs are unknown" if found.unknown else "")
    )
    return Table(columns, rows[:show], title=title)


def refit_table(view: OutlierView) -> Table:
    """Accuracy with and without the outliers."""
    rows: list[list[Cell]] = [
        [name, *result.scores().values(), result.queries] for name, result in view.accuracy.items()
    ]
    return Table([Column("source"), *_SCORES, _COUNTS[-1]], rows)


def _short_names(paths: Sequence[Path]) -> dict[Path, str]:
    """The last parts of every path, as many as it takes to tell them all apart."""
    distinct = set(paths)
    for parts in range(1, max(len(path.parts) for path in distinct)):
        names = {path: str(Path(*path.parts[-parts:])) for path in distinct}
        if len(set(names.values())) == len(names):
            return names
    return {path: str(path) for path in distinct}


def _without_shared(table: Table, keep: int) -> Table:
    """The same without those of the first ``keep`` columns that say the same in every row."""
    shared = [number for number in range(keep) if len({row[number] for row in table.rows}) == 1]
    title = "; ".join(
        f"{table.columns[number].name}: {table.rows[0][number]}"
        for number in shared
        if table.columns[number].name != "group"
    )
    kept = [number for number in range(len(table.columns)) if number not in shared]
    return Table(
        [table.columns[number] for number in kept],
        [[row[number] for number in kept] for row in table.rows],
        title=title,
    )
