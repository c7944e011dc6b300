"""``--quiet`` and ``--verbose``, which every command takes.

The group declares both for all of its commands.
"""

from __future__ import annotations

import logging
from enum import Enum
from typing import Any

import click

from lexalign.cli.wording import in_options, visible

_KEY = "lexalign.cli.verbosity"


class Verbosity(Enum):
    """How much a command prints besides its result."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


class LogLines(logging.Handler):
    """Print log records on standard error, above the bars of a terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one line, with options in place of parameters."""
        click.echo(visible(in_options(self.format(record))), err=True)


LEVELS = {
    Verbosity.QUIET: logging.WARNING,
    Verbosity.NORMAL: logging.WARNING,
    Verbosity.VERBOSE: logging.DEBUG,
}
"""Log levels. Warnings are always printed: a user who misses one may trust a wrong result."""


def verbosity() -> Verbosity:
    """The verbosity of the running command."""
    context = click.get_current_context(silent=True)
    if context is None:
        return Verbosity.NORMAL
    wanted: Verbosity = context.meta.get(_KEY, Verbosity.NORMAL)
    return wanted


def is_quiet() -> bool:
    """Whether only results, warnings and errors are printed."""
    return verbosity() is Verbosity.QUIET


def is_verbose() -> bool:
    """Whether details are printed, too."""
    return verbosity() is Verbosity.VERBOSE


def with_verbosity(command: click.Command) -> click.Command:
    """Add ``--quiet`` and ``--verbose`` to a command, and to all commands of a group."""
    if any(option.name == Verbosity.QUIET.value for option in command.params):
        return command
    command.params += [
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_chosen,
            help="Print only results, warnings and errors: no progress and no summary of the run.",
        ),
        click.Option(
            ["--verbose"],
            is_flag=True,
            expose_value=False,
            callback=_chosen,
            help="Also print the time of every stage and details of the work.",
        ),
    ]
    if isinstance(command, click.Group):
        for part in command.commands.values():
            with_verbosity(part)
    return command


def _chosen(context: click.Context, option: click.Parameter, given: Any) -> None:
    if not given:
        return
    wanted = Verbosity(option.name)
    if context.meta.setdefault(_KEY, wanted) is not wanted:
        raise click.UsageError("Choose either --quiet or --verbose.")
    logging.getLogger("lexalign").setLevel(LEVELS[wanted])
