"""``lexalign compare A.json B.json ...``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lexalign.cli.options import PATH, table_options
from lexalign.cli.printing import short_names, show, show_json
from lexalign.evaluation.accuracy import METRICS
from lexalign.evaluation.significance import FAILED_BELOW, RESAMPLES
from lexalign.table import Cell, Column, Table, decimals, percent, two_digits

if TYPE_CHECKING:
    from lexalign.evaluation.comparison import Comparison
    from lexalign.evaluation.significance import Bootstrap


@click.command("compare")
@click.argument("results", nargs=-1, required=True, type=PATH, metavar="A.json B.json ...")
@click.option(
    "--metric",
    type=click.Choice(METRICS),
    default="p@1",
    show_default=True,
    help="The score to compare.",
)
@click.option(
    "--failed-below",
    type=click.FloatRange(0, 1),
    default=FAILED_BELOW,
    show_default=True,
    help="A run with P@1 below this has failed and is left out.",
)
@click.option(
    "--resamples",
    type=click.IntRange(100),
    default=RESAMPLES,
    show_default=True,
    help="Resamples of the bootstrap.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@table_options
def command(
    results: tuple[Path, ...],
    metric: str,
    failed_below: float,
    resamples: int,
    seed: int,
    table_format: str,
    as_json: bool,
) -> None:
    """Compare systems with the first of them on what 'lexalign evaluate --json' wrote.

    Every file is a system; several results in it (seeds, languages, lexicons) are its runs, which
    belong together by their order. Over runs there is a two-tailed paired t-test with Bonferroni's
    correction, over the questions of the runs a paired bootstrap with a 95 % interval.
    """
    from lexalign.evaluation.comparison import compare_files

    comparison = compare_files(
        results, metric=metric, failed_below=failed_below, resamples=resamples, seed=seed
    )
    if as_json:
        show_json(comparison.as_dict())
    else:
        show(_comparison_table(comparison), table_format)


def _comparison_table(comparison: Comparison) -> Table:
    """One row a system; all but the first with what they gain over the first."""
    style = decimals if comparison.metric == "mrr" else percent
    columns = [
        Column("system"),
        Column("runs", is_number=True),
        Column("failed", is_number=True),
        Column(comparison.metric.upper(), style, is_number=True),
        Column("low", style, is_number=True),
        Column("high", style, is_number=True),
        Column("gain", style, is_number=True),
        Column("gain low", style, is_number=True),
        Column("gain high", style, is_number=True),
        Column("p queries", two_digits, is_number=True),
        Column("p runs", two_digits, is_number=True),
    ]
    short = short_names([Path(system.name) for system in comparison.systems])
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


def _interval(found: Bootstrap | None) -> list[Cell]:
    return [None] * 3 if found is None else [found.mean, found.low, found.high]
