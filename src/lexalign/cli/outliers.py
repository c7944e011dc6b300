"""``lexalign outliers SOURCE TARGET --lexicon FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lexalign.cli.options import PATH, device_option, limit_option, names_option, table_options
from lexalign.cli.printing import score_columns, show_json
from lexalign.cli.printing import show as show_table
from lexalign.cli.progress import progress_for_humans
from lexalign.table import Cell, Column, Table, decimals

if TYPE_CHECKING:
    from lexalign.pipelines.evaluate import OutlierView


@click.command("outliers")
@click.argument("vectors", nargs=-1, required=True, type=PATH, metavar="SOURCE TARGET")
@click.option("--lexicon", required=True, type=PATH, metavar="FILE", help="Pairs to examine.")
@click.option(
    "--test",
    type=PATH,
    metavar="FILE",
    help="Also fit the source by least squares, with and without the outliers, and measure "
    "both maps on this dictionary.",
)
@click.option("--inliers", type=PATH, metavar="FILE", help="Write the pairs that are not outliers.")
@click.option("--overwrite", is_flag=True, help="Replace the file of --inliers.")
@click.option(
    "--show",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help=("Number of outliers to list."),
)
@limit_option("Read the N most frequent words of each side.")
@click.option(
    "--lowercase/--as-is",
    default=True,
    show_default=True,
    help=("Change all words to lower case, or keep their case."),
)
@device_option
@names_option("source and target")
@table_options
def command(
    vectors: tuple[Path, ...],
    lexicon: Path,
    test: Path | None,
    inliers: Path | None,
    overwrite: bool,
    show: int,
    limit: int,
    lowercase: bool,
    device: str,
    names: tuple[str, str] | None,
    table_format: str,
    as_json: bool,
) -> None:
    """List the dictionary pairs whose distance exceeds Q3 + 1.5·(Q3 − Q1).

    SOURCE and TARGET share one space. Instead of both, you can name the folder of a run.
    """
    from lexalign.pipelines.evaluate import outlier_files
    from lexalign.runs import aligned_pairs

    pairs = aligned_pairs(vectors)
    if len(pairs) != 1:
        raise click.UsageError("Name one SOURCE and one TARGET.")
    view = outlier_files(
        pairs[0],
        lexicon,
        test=test,
        inliers=inliers,
        overwrite=overwrite,
        limit=limit,
        lowercase=lowercase,
        device=device,
        progress=progress_for_humans(),
    )
    if as_json:
        show_json(view.as_dict())
        return
    show_table(_outlier_table(view, show, names or ("source", "target")), table_format)
    if view.accuracy:
        show_table(_refit_table(view), table_format)


def _outlier_table(view: OutlierView, show: int, names: tuple[str, str]) -> Table:
    """The outliers, farthest first."""
    found = view.outliers
    listed = zip(found.outliers, found.distances.tolist(), strict=True)
    rows = [[*pair, distance] for pair, distance in listed]
    columns = [*map(Column, names), Column("distance", decimals, is_number=True)]
    total = len(found.outliers) + len(found.inliers)
    title = (
        f"{len(found):,} of {total:,} pairs are farther apart than {found.threshold:.3f} = Q3 "
        f"+ 1.5 (Q3 − Q1), quartiles {found.lower_quartile:.3f} and {found.upper_quartile:.3f}"
        + (f"; {found.unknown:,} pairs are unknown" if found.unknown else "")
    )
    return Table(columns, rows[:show], title=title)


def _refit_table(view: OutlierView) -> Table:
    """Accuracy with and without the outliers."""
    rows: list[list[Cell]] = [
        [name, *result.scores().values(), result.queries] for name, result in view.accuracy.items()
    ]
    return Table(
        [Column("source"), *score_columns(), Column("queries", is_number=True)],
        rows,
        title="Accuracy on the test lexicon by the protocol muse",
    )
