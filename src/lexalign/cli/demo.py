"""``lexalign demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lexalign.cli.options import PATH

if TYPE_CHECKING:
    from lexalign.demo import DemoResult


@click.command("demo")
@click.option("--output", type=PATH, metavar="DIR", help="Keep the runs in the folder DIR.")
@click.option("--overwrite", is_flag=True, help="Replace DIR if an earlier demo wrote it.")
def command(output: Path | None, overwrite: bool) -> None:
    """Align, refine and translate the bundled English and German vectors (10,000 words each).

    With --output, DIR holds the vectors, the seeds, a test dictionary, and the runs 'aligned',
    'refined' and 'induced'. 'lexalign report' and 'lexalign explore' can show them.
    """
    from lexalign.cli.printing import conclude
    from lexalign.cli.progress import progress_for_humans
    from lexalign.demo import run_demo

    _show(run_demo(progress_for_humans(), output=output, overwrite=overwrite))
    if output is None:
        conclude("To keep the vectors, word pairs and runs: lexalign demo --output demo")
    else:
        conclude(
            f"Written to {output}; to look at it, type",
            f"  lexalign explore {output}/induced",
            f"  lexalign report {output}/induced --lexicon {output}/test.tsv",
        )


def _show(result: DemoResult) -> None:
    """Print accuracy before and after refinement, some translations, and the next commands."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    queries = result.before["csls"].queries
    accuracy = Table(title=f"English to German, accuracy on {queries:,} test words")
    for column in ("", "nearest neighbour", "CSLS"):
        accuracy.add_column(column, justify="left" if not column else "right")
    for name, scores in (
        ("aligned by Procrustes", result.before),
        ("refined (ℓ1, as in the paper)", result.after),
    ):
        cells = (f"{100 * scores[retrieval].precision(1):.1f} %" for retrieval in ("nn", "csls"))
        accuracy.add_row(name, *cells)
    console.print(accuracy)
    history = result.refined.record["history"][0]
    drop = 100 * (1 - history["l1_after"] / history["l1_before"])
    console.print(
        f"Refinement used {history['pairs']:,} mutual pairs and lowered their ℓ1 loss by "
        f"{drop:.1f} % in {history['seconds']['solve']:.2f} s.",
        highlight=False,
    )
    words = Table(title="Translations after refinement", show_header=False)
    for word, found in result.translations.items():
        words.add_row(word, ", ".join(found))
    console.print(words)
    induced = Table(
        title=f"Induced dictionary, accuracy on {queries:,} test words", show_header=False
    )
    induced.add_row("Proc-B alignment, CSLS", f"{100 * result.plain.precision(1):.1f} %")
    induced.add_row("the same, learned ranking", f"{100 * result.learned.precision(1):.1f} %")
    for word, (translation, chance) in result.dictionary.items():
        induced.add_row(f"{word} → {translation}", f"probability {chance:.2f}")
    console.print(induced)
    console.print(
        "Next, with your own files (any format) and a few hundred seed pairs:\n  lexalign "
        "induce SOURCE TARGET --lexicon SEEDS --output dictionary\n  lexalign align procrustes "
        "SOURCE TARGET --lexicon SEEDS --rounds 3 --output aligned\n  lexalign refine aligned "
        "--output refined\nBy default, refine stops at the point that is best for held-out "
        "words.\nThe demo used the paper's --horizon 5e-3.",
        highlight=False,
        soft_wrap=True,  # commands are copied
    )
