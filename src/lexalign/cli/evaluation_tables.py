"""Results as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lexalign.evaluation.accuracy import CUTOFFS, Accuracy
from lexalign.evaluation.comparison import Comparison
from lexalign.evaluation.significance import Bootstrap
from lexalign.evaluation.similarity import SimilarityResult
from lexalign.pipelines.evaluate import FileEvaluation, OutlierView
from lexalign.pipelines.translate import Translations
from lexalign.table import Cell, Column, Table, decimals, percent, two_digits

_SCORES = (
    *(Column(f"P@{k}", percent, is_number=True) for k in CUTOFFS),
    Column("MRR", decimals, is_number=True),
)
_COUNTS = (
    Column("coverage words", percent, is_number=True),
    Column("coverage pairs", percent, is_number=True),
    Column("queries", is_number=True),
)


def evaluation_table(
    results: Sequence[FileEvaluation[Accuracy]], groups: Sequence[Mapping[str, Accuracy]] = ()
) -> Table:
    """One row a result, followed by its groups if there are any."""
    short = _short_names([path for one in results for path in (*one.pair.paths, one.file)])
    rows = list[list[Cell]]()
    for number, evaluated in enumerate(results):
        names = [" ".join(short[path] for path in evaluated.pair.paths), short[evaluated.file]]
        whole = evaluated.result
        names.append(whole.protocol.name)
        coverage = (whole.coverage_words.share, whole.coverage_pairs.share)
        rows.append([*names, "all", *whole.scores().values(), *coverage, whole.queries])
        for group, part in groups[number].items() if groups else ():
            rows.append([*names, group, *part.scores().values(), None, None, part.queries])
    columns = [Column(name) for name in ("pair", "lexicon", "protocol", "group")]
    table = Table([*columns, *_SCORES, *_COUNTS], rows)
    return table if any(groups) else table.without("group")


def similarity_table(results: Sequence[FileEvaluation[SimilarityResult]]) -> Table:
    """Correlation with human judgement."""
    short = _short_names([path for one in results for path in (*one.pair.paths, one.file)])
    columns = [
        Column("pair"),
        Column("file"),
        Column("Spearman", decimals, is_number=True),
        Column("Pearson", decimals, is_number=True),
        Column("coverage", percent, is_number=True),
        Column("pairs", is_number=True),
    ]
    rows = list[list[Cell]]()
    for evaluated in results:
        found = evaluated.result
        names = [" ".join(short[path] for path in evaluated.pair.paths), short[evaluated.file]]
        rows.append([*names, found.spearman, found.pearson, found.coverage, found.queries])
    return Table(columns, rows, title="Word similarity")


def comparison_table(comparison: Comparison) -> Table:
    """One row a system; all but the first with what they gain over the first."""
    show = decimals if comparison.metric == "mrr" else percent
    columns = [
        Column("system"),
        Column("runs", is_number=True),
        Column("failed", is_number=True),
        Column(comparison.metric.upper(), show, is_number=True),
        Column("low", show, is_number=True),
        Column("high", show, is_number=True),
        Column("gain", show, is_number=True),
        Column("gain low", show, is_number=True),
        Column("gain high", show, is_number=True),
        Column("p queries", two_digits, is_number=True),
        Column("p runs", two_digits, is_number=True),
    ]
    short = _short_names([Path(system.name) for system in comparison.systems])
    rows = list[list[Cell]]()
    for system, other in zip(comparison.systems, (None, *comparison.differences), strict=True):
        gain = other.difference if other else None
        test = other.t_test if other else None
        rows.append(
            [
                short[Path(system.name)],
                system.runs,
                system.failed,
                *_interval(system.score),
                *_interval(gain),
                other.corrected_p if other else None,
                test.corrected_p if test else None,
            ]
        )
    title = (
        "95 % intervals; gain over the first system; p by bootstrap over queries and by t-test "
        "over runs, both corrected for the number of comparisons"
    )
    return Table(columns, rows, title=title)


def dictionary_table(dictionary: Translations, score: str = "score") -> Table:
    """One row a translation."""
    rows: list[list[Cell]] = [
        [entry.direction, entry.word, place, found.word, found.score]
        for entry in dictionary.entries
        for place, found in enumerate(entry.translations, 1)
    ]
    columns = [
        Column("direction"),
        Column("word"),
        Column("place", is_number=True),
        Column("translation"),
        Column(score, decimals, is_number=True),
    ]
    table = Table(columns, rows)
    mixed = len({entry.direction for entry in dictionary.entries}) > 1
    return table if mixed else table.without("direction")


def outlier_table(view: OutlierView, show: int) -> Table:
    """The outliers, the farthest first."""
    found = view.outliers
    listed = zip(found.outliers, found.distances.tolist(), strict=True)
    rows = [[*pair, distance] for pair, distance in listed]
    columns = [Column("source"), Column("target"), Column("distance", decimals, is_number=True)]
    total = len(found.outliers) + len(found.inliers)
    title = (
        f"{len(found):,} of {total:,} pairs are farther apart than {found.threshold:.3f} "
        f"= Q3 + 1.5 (Q3 − Q1), quartiles {found.lower_quartile:.3f} and {found.upper_quartile:.3f}"
        + (f"; {found.unknown:,} pairs are unknown" if found.unknown else "")
    )
    return Table(columns, rows[:show], title=title)


def refit_table(view: OutlierView) -> Table:
    """Accuracy with and without the outliers."""
    rows: list[list[Cell]] = [
        [name, *result.scores().values(), result.queries] for name, result in view.accuracy.items()
    ]
    return Table(
        [Column("source"), *_SCORES, _COUNTS[-1]],
        rows,
        title="Accuracy on the test lexicon by the protocol muse",
    )


def _short_names(paths: Sequence[Path]) -> dict[Path, str]:
    """The last parts of every path, as many as it takes to tell them all apart."""
    distinct = set(paths)
    for parts in range(1, max(len(path.parts) for path in distinct)):
        names = {path: str(Path(*path.parts[-parts:])) for path in distinct}
        if len(set(names.values())) == len(names):
            return names
    return {path: str(path) for path in distinct}


def _interval(found: Bootstrap | None) -> list[Cell]:
    return [None] * 3 if found is None else [found.mean, found.low, found.high]
