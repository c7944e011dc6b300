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
    """What training takes.

    The command receives the parameters of ``Trainer``, ``rule``, ``keep_case`` and ``checkpoint``.
    """
    for option in (
        checkpoint_option,
        parameter_options(Trainer),
        click.option("--keep-case", is_flag=True, help="Do not put the text into lower case."),
        click.option(
            "--tokens",
            "rule",
            type=click.Choice(RULES),
            default="words",
            show_default=True,
            help="Tokens are runs of letters, marks and numbers, or split at white space.",
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
    help="Vectors; the suffix is the format.",
)
@click.option("--counts", type=PATH, metavar="FILE", help="Also write how often each word occurs.")
@training_options
@parameter_option("language", LANGUAGE)
@click.option("--overwrite", is_flag=True, help="Replace what exists.")
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
    """Train vectors of the words in CORPUS, one or several files of plain or compressed text.

    Text is read line by line, as often as there are epochs and once more, and never held in memory.
    It is put into lower case and composed form (NFC); a token is a longest run of letters, marks
    and numbers. Languages without spaces need a segmenter first, and --tokens whitespace.

    Sizes, coverage and the languages of a sample are shown before training begins.
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
    """Print on standard error what is known about the text before training begins."""
    from lexalign.cli.printing import note

    statements = inspection.statements()
    width = max(len(name) for name, _ in statements)
    for name, sentence in statements:
        note(f"{name:<{width}}  {sentence}")


def _training_table(summary: Mapping[str, Any]) -> None:
    """What was trained on how much text, and the time of every stage."""
    from lexalign.cli.printing import closing_table, show_closing_table

    table = closing_table("Training")
    table.add_row("tokens", f"{summary['tokens']:,}")
    forgotten = ", and more that were forgotten" if summary["forgotten"] else ""
    table.add_row("different words", f"{summary['different_words']:,}{forgotten}")
    covered = f"{100 * summary['share_covered']:.1f} %"
    table.add_row("words with vectors", f"{summary['words']:,} ({covered} of the tokens)")
    show_closing_table(table, summary)
