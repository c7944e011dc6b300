"""``lexalign compare A.json B.json ...``."""

from __future__ import annotations

from pathlib import Path

import click

from lexalign.cli.options import PATH, table_options


@click.command("compare")
@click.argument("results", nargs=-1, required=True, type=PATH, metavar="A.json B.json ...")
@click.option(
    "--metric",
    type=click.Choice(["p@1", "p@5", "p@10", "mrr"]),
    default="p@1",
    show_default=True,
    help="The score to compare.",
)
@click.option(
    "--failed-below",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="A run with P@1 below this has failed and is left out.",
)
@click.option(
    "--resamples",
    type=click.IntRange(100),
    default=10_000,
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
    from lexalign.cli.evaluation_tables import comparison_table
    from lexalign.cli.printing import show, show_json
    from lexalign.evaluation.comparison import compare_files

    comparison = compare_files(
        results, metric=metric, failed_below=failed_below, resamples=resamples, seed=seed
    )
    if as_json:
        show_json(comparison.as_dict())
    else:
        show(comparison_table(comparison), table_format)
