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
    help="Test dictionary; repeatable.",
)
@click.option(
    "--protocol",
    metavar="NAME",
    default="muse",
    show_default=True,
    shell_complete=complete_protocols,
    help="Evaluation protocol: count by the rules of muse, vecmap, fasttext, joint, xling, fipp or "
    "contrastive.",
)
@click.option(
    "--exclude-seeds",
    is_flag=True,
    help="Leave out test words that are seeds of the alignment.",
)
@names_option(LIKE_FILES)
@ranking_option()
@limit_option("Use the N most frequent words of each side.")
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
    """Write one self-contained page about one or several runs.

    DIR is a run of 'lexalign align', 'refine' or 'induce'. The page begins with a verdict on the
    run. It then shows accuracy, changed translations, the health check, and the commands that
    repeat the run. Several runs appear in the same tables and charts. The page needs no network.
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
