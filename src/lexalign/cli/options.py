"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from lexalign.arrays import device_parameter
from lexalign.checkpoint import checkpoint_parameter
from lexalign.cli.completion import complete_folders
from lexalign.cli.wording import in_options
from lexalign.parameters import Parameter, declaration, parameters_of
from lexalign.table import TABLE_FORMATS
from lexalign.vectors import FREQUENT_WORDS, Policy
from lexalign.vectors.formats import OUTPUT_SUFFIXES

PATH = click.Path(path_type=Path)

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def parameter_options(
    kind: type, *, without: Collection[str] = (), **changes: Mapping[str, Any]
) -> Decorator:
    """One option for every declared parameter of a class.

    Parameters
    ----------
    kind
        The class. The command receives its parameters by name.
    without
        Parameters that get no option.
    changes
        Settings of ``click.option`` to change, by parameter name.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name, declared in reversed(parameters_of(kind).items()):
            if name not in without:
                command = parameter_option(name, declared, **changes.get(name, {}))(command)
        return command

    return decorate


def parameter_option(name: str, declared: Parameter, **changes: Any) -> Decorator:
    """The option of one parameter; ``changes`` are settings of ``click.option`` to change."""
    settings: dict[str, Any] = {"default": declared.default, "help": in_options(declared.help)}
    flag = f"--{name.replace('_', '-')}"
    if declared.kind is bool:
        settings["is_flag"] = True
        if declared.default is True:
            flag, settings["show_default"] = f"{flag}/--no-{flag[2:]}", True
    else:
        settings["type"] = _click_type(declared)
        settings["show_default"] = in_options(declared.default_text) or True
        settings["metavar"] = declared.metavar or None
        if declared.metavar == "FOLDER":
            settings["shell_complete"] = complete_folders
    return click.option(flag, name, **settings | changes)


class NameChoice(click.Choice[str]):
    """A choice whose error names the closest choice first."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """The error about a value that is no choice."""
        message = super().get_invalid_choice_message(value, ctx)
        close = get_close_matches(str(value), self.choices, n=1)
        return f"{message} Perhaps it is {close[0]!r}." if close else message


def _click_type(declared: Parameter) -> Any:
    if declared.choices:
        return NameChoice(declared.choices)
    return _number_or_word(declared.words) if declared.words else declared.kind


def _number_or_word(words: tuple[str, ...]) -> Callable[[str], float | str]:
    """The type of an option that takes a number, or a word such as auto."""

    def convert(value: str) -> float | str:
        try:
            return value if value in words else float(value)
        except ValueError:
            others = " nor ".join(map(repr, words))
            raise click.BadParameter(f"{value!r} is neither a number nor {others}.") from None

    return convert


device_option = parameter_option("device", declaration(device_parameter()))
"""The option of the device; the command receives ``device``."""

checkpoint_option = parameter_option("checkpoint", declaration(checkpoint_parameter()))
"""The option of the checkpoint folder; the command receives ``checkpoint``."""


def limit_option(help: str) -> Decorator:
    """The option that limits the words read from a file; the command receives ``limit``."""
    return click.option(
        "--limit", type=click.IntRange(1), default=FREQUENT_WORDS, show_default=True, help=help
    )


def ranking_option(
    *, auto: str = "use", learned: str = "require", csls: str = "do not use"
) -> Decorator:
    """The option of the ranking of candidates; the command receives ``ranking``.

    ``auto``, ``learned`` and ``csls`` say what the command does with a learned ranking.
    """
    return click.option(
        "--ranking",
        type=click.Choice(["auto", "learned", "csls"]),
        default="auto",
        show_default=True,
        help=f"The learned ranking of a run of 'lexalign induce'. auto: {auto} it if there is one; "
        f"learned: {learned} it; csls: {csls} it.",
    )


def names_option(otherwise: str) -> Decorator:
    """The names of the two languages; the command receives ``names``, two words or None.

    ``otherwise`` says what they are called without it.
    """
    return click.option(
        "--names",
        nargs=2,
        metavar="SOURCE TARGET",
        help=f"Names of the two languages in the output. [default: {otherwise}]",
    )


LIKE_FILES = "like the files that were aligned"


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that print results; the command receives ``table_format`` and ``as_json``."""
    command = click.option("--json", "as_json", is_flag=True, help="Print all details as JSON.")(
        command
    )
    return click.option(
        "--table",
        "table_format",
        type=click.Choice(["terminal", *TABLE_FORMATS]),
        default="terminal",
        show_default=True,
        help="Format of the printed table.",
    )(command)


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for irregular input rows; the command receives the parameters of ``Policy``."""
    # Only evaluation after programs that keep repeated words has a use for "keep".
    duplicates = {
        "type": click.Choice(["first", "error"]),
        "help": "Repeated words: use the first row, or stop with an error.",
    }
    return parameter_options(Policy, duplicates=duplicates)(command)


def policy_from(options: dict[str, Any]) -> Policy:
    """Take the options of ``policy_options`` out of a command's keyword arguments."""
    return Policy(**{name: options.pop(name) for name in parameters_of(Policy)})


def retry_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for several attempts; the command receives the parameters of ``Retries``."""
    from lexalign.aligners.retries import Retries

    return parameter_options(Retries)(command)


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for the output of a run.

    The command receives ``output``, ``output_format``, ``overwrite`` and ``as_json``.
    """
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
        click.option("--overwrite", is_flag=True, help="Replace DIR if an earlier run wrote it."),
        click.option(
            "--format",
            "output_format",
            type=click.Choice(list(OUTPUT_SUFFIXES)),
            default="vec",
            show_default=True,
            help="Format of the written vectors.",
        ),
        click.option("--output", required=True, type=PATH, metavar="DIR", help="Folder to write."),
    ):
        command = option(command)
    return command


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of every command that maps files of vectors into a run.

    The command receives ``limit`` and the arguments of ``output_options`` and ``policy_options``.
    """
    for option in (
        policy_options,
        limit_option("Learn from the N most frequent words of each side; then map all words."),
        output_options,
    ):
        command = option(command)
    return command
