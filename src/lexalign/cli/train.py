"""``lexalign train CORPUS… --output FILE``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from lexalign.cli.completion import complete_files
from lexalign.cli.options import PATH, checkpoint_option, parameter_option, parameter_options
from lexalign.training import LANGUAGE, Trainer
from lexalign.training.inspection import Inspection
from lexalign.vectors.tokens import RULES


def training_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of training.

    The command receives the parameters of ``Trainer``, ``rule``, ``keep_case`` and ``checkpoint``.
    """
    for option in (
        checkpoint_option,
        parameter_options(Trainer),
        click.option(
            "--keep-case",
            is_flag=True,
            help="Keep upper case; by default, text is changed to lower case.",
        ),
        click.option(
            "--tokens",
            "rule",
            type=click.Choice(RULES),
            default="words",
            show_default=True,
            help=(
                "Tokens are runs of letters, marks and digits (words), or separated by white "
                "space (whitespace)."
            ),
        ),
    ):
        command = option(command)
    return command


@click.command("train")
@click.argument("corpus", nargs=-1, required=True, type=PATH)
@click.option(
    "--output",
    required=True,
    metavar="FILE",
    shell_complete=complete_files,
    help="File of vectors to write; the suffix sets the format.",
)
@click.option(
    "--counts", type=PATH, metavar="FILE", help="Also write the count of each word to this file."
)
@training_options
@parameter_option("language", LANGUAGE)
@click.option("--overwrite", is_flag=True, help="Replace existing output files.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(
    corpus: tuple[Path, ...],
    output: str,
    counts: Path | None,
    rule: str,
    keep_case: bool,
    language: str,
    checkpoint: str,
    overwrite: bool,
    as_json: bool,
    **parameters: Any,
) -> None:
    """Train word vectors on CORPUS, one or several files of plain or compressed text.

    Text is streamed once to count words and once per epoch, and never held in memory. It is changed
    to lower case and composed form (NFC). A token is the longest run of letters, marks and digits.
    For languages without spaces, segment the text first and use --tokens whitespace.

    Before training, the command prints sizes, coverage and the languages of a sample.
    """
    from lexalign.cli.printing import show_json
    from lexalign.cli.progress import progress_for_humans
    from lexalign.pipelines.train import train_files

    summary = train_files(
        corpus,
        output,
        Trainer(**parameters),
        rule=rule,
        keep_case=keep_case,
        language=language,
        counts_file=counts,
        checkpoints=checkpoint,
        overwrite=overwrite,
        report=show_inspection,
        progress=progress_for_humans(),
    )
    if as_json:
        show_json(summary)
    else:
        _training_table(summary)


def show_inspection(inspection: Inspection) -> None:
    """Print what is known about the text on standard error, before training begins."""
    from lexalign.cli.printing import note

    statements = inspection.statements()
    width = max(len(name) for name, _ in statements)
    for name, sentence in statements:
        note(f"{name:<{width}}  {sentence}")


def _training_table(summary: Mapping[str, Any]) -> None:
    """Print the size of the text, the coverage and the total time."""
    from lexalign.cli.printing import closing_table, show_closing_table

    table = closing_table("Training")
    table.add_row("tokens", f"{summary['tokens']:,}")
    forgotten = ", plus rare words that were dropped while counting" if summary["forgotten"] else ""
    table.add_row("different words", f"{summary['different_words']:,}{forgotten}")
    covered = f"{100 * summary['share_covered']:.1f} %"
    table.add_row("words with vectors", f"{summary['words']:,} ({covered} of the tokens)")
    show_closing_table(table, summary)
