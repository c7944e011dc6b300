"""Progress for people: a bar on a terminal, plain log lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from lexalign.progress import Advance, Progress

SECONDS_BETWEEN_LINES = 10.0


class TerminalProgress(Progress):
    """A moving bar with a count and the time spent, gone when the stage is done."""

    @contextmanager
    def shown(self, name: str) -> Iterator[Advance]:
        """Show the stage with rich, on standard error."""
        from rich import progress as bars
        from rich.console import Console

        columns = (
            bars.SpinnerColumn(),
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.TextColumn("{task.completed:,.0f}"),
            bars.TimeElapsedColumn(),
        )
        with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(name, total=None)
            yield lambda units: bar.advance(task, units)


class LogProgress(Progress):
    """One line when a stage begins, one when it ends, and one every ten seconds between."""

    @contextmanager
    def shown(self, name: str) -> Iterator[Advance]:
        """Write the stage to standard error."""
        began = spoke = time.monotonic()
        done = 0
        click.echo(f"{name} ...", err=True)

        def advance(units: int) -> None:
            nonlocal done, spoke
            done += units
            if time.monotonic() - spoke >= SECONDS_BETWEEN_LINES:
                spoke = time.monotonic()
                click.echo(f"{name}: {done:,} so far", err=True)

        yield advance
        click.echo(f"{name}: done in {time.monotonic() - began:.1f} s", err=True)


def progress_for_humans() -> Progress:
    """A bar if somebody watches, log lines otherwise."""
    return TerminalProgress() if sys.stderr and sys.stderr.isatty() else LogProgress()
