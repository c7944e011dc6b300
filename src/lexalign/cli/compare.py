"""``lexalign compare A.json B.json ...``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lexalign.cli.options import PATH, table_options
from lexalign.cli.printing import short_names, show, show_json, warn
from lexalign.evaluation.accuracy import METRICS
from lexalign.evaluation.significance import FAILED_BELOW, RESAMPLES
from lexalign.table import Cell, Column, Table, decimals, percent, two_digits

if TYPE_CHECKING:
    from lexalign.evaluation.comparison import Comparison, Difference, SystemScore
    from lexalign.evaluation.significance import Bootstrap


@click.command("compare")
@click.argument("results", nargs=-1, required=True, type=PATH, metavar="A.json B.json ...")
@click.option(
    "--metric",
    type=click.Choice(METRICS),
    default="p@1",
    show_default=True,
    help="Score to compare.",
)
@click.option(
    "--failed-below",
    type=click.FloatRange(0, 1),
    default=FAILED_BELOW,
    show_default=True,
    help="Treat runs with a lower P@1 as failed and leave them out.",
)
@click.option(
    "--resamples",
    type=click.IntRange(100),
    default=RESAMPLES,
    show_default=True,
    help="Number of bootstrap samples.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--exclude-seeds",
    is_flag=True,
    help="Leave out queries that are seeds of any alignment.",
)
@table_options
def command(
    results: tuple[Path, ...],
    metric: str,
    failed_below: float,
    resamples: int,
    seed: int,
    exclude_seeds: bool,
    table_format: str,
    as_json: bool,
) -> None:
    """Compare the results of 'lexalign evaluate --json' for several systems with the first one.

    Each file is one system. The results in a file (seeds, languages, lexicons) are its runs, which
    are paired by order. Each protocol, such as 'muse' or 'muse with nn', is compared separately. A
    learned ranking ('muse with learned') is compared with CSLS where a system has none.

    The table shows a two-tailed paired t-test over runs with Bonferroni correction. It also shows a
    paired bootstrap over queries with 95 % intervals.
    """
    from lexalign.evaluation.comparison import compare_files

    comparisons = compare_files(
        results,
        metric=metric,
        failed_below=failed_below,
        resamples=resamples,
        seed=seed,
        exclude_seeds=exclude_seeds,
    )
    _warn(comparisons[0])
    _explain_csls(comparisons)
    if as_json:
        found = [comparison.as_dict() for comparison in comparisons]
        show_json(found[0] if len(found) == 1 else found)
    else:
        show(_comparison_table(comparisons), table_format)


def _warn(comparison: Comparison) -> None:
    """Report how many queries are seeds; the first protocol stands for all."""
    if comparison.excluded:
        left = comparison.systems[0].queries
        warn(f"{comparison.excluded:,} queries that are seeds are left out; {left:,} remain.")
        return
    for system in comparison.systems:
        if system.leaked:
            warn(
                f"{system.name}: {system.leaked:,} of {system.queries:,} queries are seeds of "
                "the alignment; leave them out with --exclude-seeds."
            )


def _explain_csls(comparisons: Sequence[Comparison]) -> None:
    """Name the systems without a learned ranking, which are compared by CSLS."""
    for comparison in comparisons:
        for system in comparison.systems:
            if system.protocol != comparison.protocol:
                warn(
                    f"{system.name} has no result by {comparison.protocol!r}; its CSLS result "
                    f"by {system.protocol!r} is compared instead."
                )


def _comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """One row per system and protocol, with the gain over the first system."""
    metric = comparisons[0].metric
    style = decimals if metric == "mrr" else percent
    columns = [
        Column("protocol"),
        Column("system"),
        Column("runs", is_number=True),
        Column("failed", is_number=True),
        Column(metric.upper(), style, is_number=True),
        Column("low", style, is_number=True),
        Column("high", style, is_number=True),
        Column("gain", style, is_number=True),
        Column("gain low", style, is_number=True),
        Column("gain high", style, is_number=True),
        Column("p queries", two_digits, is_number=True),
        Column("p runs", two_digits, is_number=True),
    ]
    short = short_names([Path(system.name) for system in comparisons[0].systems])
    rows: list[list[Cell]] = [
        [system.protocol, short[Path(system.name)], *_system_cells(system, other)]
        for comparison in comparisons
        for system, other in zip(comparison.systems, (None, *comparison.differences), strict=True)
    ]
    title = (
        "95 % intervals; gain over the first system; p-values by bootstrap over queries and "
        "by t-test over runs, both corrected for multiple comparisons"
    )
    table = Table(columns, rows, title=title)
    protocols = {system.protocol for one in comparisons for system in one.systems}
    return table if len(protocols) > 1 else table.without("protocol")


def _system_cells(system: SystemScore, other: Difference | None) -> list[Cell]:
    """The figures of a system, and its gain over the first one."""
    gain = other.difference if other else None
    test = other.t_test if other else None
    return [
        system.runs,
        system.failed,
        *_interval(system.score),
        *_interval(gain),
        other.corrected_p if other else None,
        test.corrected_p if test else None,
    ]


def _interval(found: Bootstrap | None) -> list[Cell]:
    return [None] * 3 if found is None else [found.mean, found.low, found.high]
