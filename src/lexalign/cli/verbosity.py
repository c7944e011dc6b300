"""How much a command says: ``--quiet`` and ``--verbose``, which every command takes.

The group declares both, once, for every command and every group of commands.
"""

from __future__ import annotations

import logging
from enum import Enum
from typing import Any

import click

from lexalign.cli.wording import in_options, visible

_KEY = "lexalign.cli.verbosity"


class Verbosity(Enum):
    """How much a command says besides its result."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


class LogLines(logging.Handler):
    """Print the log on standard error, above the bars of a terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one line, with parameters as options."""
        click.echo(visible(in_options(self.format(record))), err=True)


LEVELS = {
    Verbosity.QUIET: logging.WARNING,
    Verbosity.NORMAL: logging.WARNING,
    Verbosity.VERBOSE: logging.DEBUG,
}
"""What is logged: warnings always, for a result can be wrong if nobody reads them."""


def verbosity() -> Verbosity:
    """How much the command that is running is to say."""
    context = click.get_current_context(silent=True)
    if context is None:
        return Verbosity.NORMAL
    wanted: Verbosity = context.meta.get(_KEY, Verbosity.NORMAL)
    return wanted


def is_quiet() -> bool:
    """Whether only results, warnings and errors are wanted."""
    return verbosity() is Verbosity.QUIET


def with_verbosity(command: click.Command) -> click.Command:
    """Let a command take ``--quiet`` and ``--verbose``, and all commands of a group."""
    if any(option.name == Verbosity.QUIET.value for option in command.params):
        return command
    command.params += [
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_chosen,
            help="Print results, warnings and errors only: no progress and no closing table.",
        ),
        click.Option(
            ["--verbose"],
            is_flag=True,
            expose_value=False,
            callback=_chosen,
            help="Print the time of every stage and the log of the details.",
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
        raise click.UsageError("Choose --quiet or --verbose; they cannot go together.")
    logging.getLogger("lexalign").setLevel(LEVELS[wanted])
