"""Printing for all commands: tables, JSON, warnings, and the table at the end of a run."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexalign.cli.verbosity import is_quiet, is_verbose
from lexalign.cli.wording import visible
from lexalign.json_text import json_text
from lexalign.table import Column, Table, decimals, percent

if TYPE_CHECKING:
    from rich.table import Table as TerminalTable

    from lexalign.evaluation.accuracy import Accuracy
    from lexalign.evaluation.leakage import Leakage

LOW_COVERAGE = 0.15
_STARTED = "lexalign.cli.started"


def show(table: Table, table_format: str, *, compact: bool = False) -> None:
    """Print a table of results; ``compact`` moves values that all rows share into the title."""
    if table_format != "terminal":
        text = table.render(table_format)
        # CSV is for programs, which get every character.
        click.echo(text if table_format == "csv" else visible(text, line_ends=True), nl=False)
        return
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table as TerminalTable
    from rich.text import Text

    table = table.compact() if compact else table
    title = Text(visible(table.title)) if table.title else None
    shown = TerminalTable(title=title, title_justify="left")
    for column in table.columns:
        shown.add_column(
            column.name, justify="right" if column.is_number else "left", overflow="fold"
        )
    for cells in table.cells():
        shown.add_row(*(Text(visible(cell)) for cell in cells))
    console = Console()
    needed = Measurement.get(console, console.options.update(width=1_000), shown)
    width = max(console.width, needed.minimum) if console.is_terminal else needed.maximum
    Console(width=width).print(shown)


def say(sentence: str, *, err: bool = False) -> None:
    """Print one sentence on standard output or standard error."""
    click.echo(visible(sentence), err=err)


def show_json(results: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> None:
    """Print JSON on standard output."""
    click.echo(json_text(results, allow_nan=False))


def closing_table(title: str) -> TerminalTable:
    """An empty table of names and values for the end of a run; its cells are plain text."""
    from rich.table import Table as TerminalTable
    from rich.text import Text

    class PlainTable(TerminalTable):
        def add_row(self, *cells: Any, **settings: Any) -> None:
            plain = (Text(visible(cell)) if isinstance(cell, str) else cell for cell in cells)
            super().add_row(*plain, **settings)

    return PlainTable(title=title, show_header=False)


def show_closing_table(
    table: TerminalTable, summary: Mapping[str, Any], remarks: Sequence[str] = ()
) -> None:
    """Print the table with the total time, then the remarks and the output folder.

    With ``--verbose``, the table also has the time of every stage.
    """
    if is_quiet():
        return
    from rich.console import Console

    if is_verbose():
        for stage, seconds in summary["seconds"].items():
            table.add_row(stage, f"{seconds:.2f} s")
    if (total := seconds_so_far()) is not None:
        table.add_row("total time", f"{total:.1f} s")
    console = Console()
    console.print(table)
    for remark in remarks:
        console.print(visible(remark), markup=False)
    output = visible(str(summary["output"]))
    console.print(f"Written to {output}", highlight=False, markup=False, soft_wrap=True)


def start_clock() -> None:
    """Start to measure the total time of the running command."""
    if (context := click.get_current_context(silent=True)) is not None:
        context.meta[_STARTED] = time.monotonic()


def seconds_so_far() -> float | None:
    """The time since ``start_clock``; None outside a command."""
    context = click.get_current_context(silent=True)
    started = None if context is None else context.meta.get(_STARTED)
    return None if started is None else time.monotonic() - started


def conclude(*lines: str) -> None:
    """Print results on standard output, unless --quiet is given."""
    if not is_quiet():
        for line in lines:
            say(line)


def note(sentence: str) -> None:
    """Print a remark on standard error, unless --quiet is given."""
    if not is_quiet():
        say(sentence, err=True)


def warn(sentence: str) -> None:
    """Print one sentence on standard error."""
    say(f"lexalign: {sentence}", err=True)


def warn_low_coverage(lexicon: str, known: int, total: int) -> None:
    """Warn if the vocabularies hold few pairs of a lexicon."""
    if known < LOW_COVERAGE * total:
        warn(
            f"{lexicon}: only {known:,} of {total:,} pairs ({100 * known / total:.1f} %) have "
            "vectors; check that the lexicon is for these languages."
        )


def warn_about_scores(
    tests: Iterable[tuple[Path, Accuracy, Leakage | None]], *, without_seeds: bool
) -> None:
    """Warn of spaces that do not match, low coverage, and queries close to seeds; each once."""
    from lexalign.evaluation.cautions import (
        alignment_caution,
        coverage_caution,
        leakage_caution,
        relation_caution,
    )

    said = dict[str, None]()
    for lexicon, result, leakage in tests:
        found = [alignment_caution(result), coverage_caution(result)]
        if leakage is not None:
            found += [leakage_caution(leakage), relation_caution(leakage)]
        said.update((f"{lexicon}: {sentence}", None) for sentence in found if sentence)
        if leakage is not None and leakage.queries:
            remedy = "are left out" if without_seeds else "can be left out with --exclude-seeds"
            said[f"{lexicon}: Test words that are seeds {remedy}."] = None
    for sentence in said:
        warn(sentence)


def direction_names(names: tuple[str, str] | None) -> dict[str, str]:
    """What people call both directions, by the names of the library."""
    if names is None:
        return {"forward": "forward", "backward": "backward"}
    source, target = names
    return {"forward": f"{source} → {target}", "backward": f"{target} → {source}"}


def score_columns() -> list[Column]:
    """The columns of P@k and MRR."""
    from lexalign.evaluation.accuracy import CUTOFFS

    return [
        *(Column(f"P@{k}", percent, is_number=True) for k in CUTOFFS),
        Column("MRR", decimals, is_number=True),
    ]


def short_names(paths: Sequence[Path]) -> dict[Path, str]:
    """The shortest last parts of the paths that tell them apart."""
    distinct = set(paths)
    for parts in range(1, max(len(path.parts) for path in distinct)):
        names = {path: str(Path(*path.parts[-parts:])) for path in distinct}
        if len(set(names.values())) == len(names):
            return names
    return {path: str(path) for path in distinct}
