"""``lexalign report DIR... --output FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from lexalign.cli.completion import complete_protocols
from lexalign.cli.options import LIKE_FILES, PATH, limit_option, names_option, ranking_option


@click.command("report")
@click.argument("folders", nargs=-1, required=True, type=PATH, metavar="DIR...")
@click.option(
    "--output",
    type=PATH,
    metavar="FILE",
    default=Path("report.html"),
    show_default=True,
    help="The page to write.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@click.option(
    "--lexicon",
    "lexicons",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Test the translations on a dictionary; may be repeated.",
)
@click.option(
    "--protocol",
    default="muse",
    show_default=True,
    shell_complete=complete_protocols,
    help="By the rules of which tool.",
)
@click.option(
    "--exclude-seeds",
    is_flag=True,
    help="Leave out test words that are seeds of the alignment.",
)
@names_option(LIKE_FILES)
@ranking_option
@limit_option("Look at the N most frequent words of each side.")
def command(
    folders: tuple[Path, ...],
    output: Path,
    overwrite: bool,
    lexicons: tuple[Path, ...],
    protocol: str,
    exclude_seeds: bool,
    names: tuple[str, str] | None,
    ranking: str,
    limit: int,
) -> None:
    """Make one page about one or several runs, to look at and to hand on.

    DIR is what 'lexalign align', 'refine' or 'induce' wrote. The page begins with a verdict. Then
    it shows how well words translate, which translations changed, the health check, and how to
    repeat the run. Several runs share one table and their charts. It needs no network.
    """
    from lexalign.cli.printing import conclude, warn_about_scores, warn_low_coverage
    from lexalign.cli.progress import progress_for_humans
    from lexalign.report.page import report_files

    reported = report_files(
        folders,
        output,
        lexicons=lexicons,
        protocol=protocol,
        exclude_seeds=exclude_seeds,
        ranking=ranking,
        names=names,
        limit=limit,
        overwrite=overwrite,
        progress=progress_for_humans(),
    )
    tests = [test for found in reported for test in found.tests]
    for lexicon, pairs in {test.lexicon: test.after.coverage_pairs for test in tests}.items():
        warn_low_coverage(str(lexicon), pairs.known, pairs.total)
    warn_about_scores(
        ((test.lexicon, test.after, test.leakage) for test in tests), without_seeds=exclude_seeds
    )
    conclude(f"Written to {output}")
