"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import click

from lexalign.vectors.policy import Policy

PATH = click.Path(path_type=Path)


def number_or_auto(value: str) -> float | str:
    """What an option is set to that takes a number, or the word auto."""
    try:
        return value if value == "auto" else float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither a number nor 'auto'.") from None


def parameter_options(
    kind: type, descriptions: Mapping[str, str], choices: Mapping[str, Sequence[str]]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """One option for every field of a dataclass, named, typed and defaulted like it."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for parameter in reversed(fields(kind)):
            name, default = parameter.name, parameter.default
            flag, text = f"--{name.replace('_', '-')}", descriptions[name]
            if default is MISSING:
                raise TypeError(f"the parameter {name!r} of {kind.__name__} needs a default")
            if isinstance(default, bool):
                option = click.option(flag, name, is_flag=True, default=default, help=text)
            else:
                option = click.option(
                    flag,
                    name,
                    type=click.Choice(choices[name]) if name in choices else type(default),
                    default=default,
                    show_default=True,
                    help=text,
                )
            command = option(command)
        return command

    return decorate


def refiner_options(
    horizon: float | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """How pairs are found and a rotation is solved for; the fields of ``Refiner`` but loss, rounds.

    The command receives each by its name, ``device`` too. ``horizon`` is the default of that one;
    without, it is that of ``Refiner``.
    """
    options = (
        device_option,
        click.option(
            "--normalise",
            default="unit",
            show_default=True,
            metavar="STEPS",
            help="none, unit, or a list like unit,centre,unit.",
        ),
        click.option(
            "--max-rank",
            type=int,
            default=10_000,
            show_default=True,
            help="Mutual pairs are sought among the N most frequent words of each side.",
        ),
        click.option(
            "--neighbours", type=int, default=10, show_default=True, help="The k of CSLS."
        ),
        click.option(
            "--retrieval",
            type=click.Choice(["csls", "nn", "invsoftmax"]),
            default="csls",
            show_default=True,
            help="How mutual translations are found.",
        ),
        click.option(
            "--weights",
            type=click.Choice(["equal", "margin", "inlier"]),
            default="equal",
            show_default=True,
            help="How much a pair counts: all the same, by its margin before the second choice, or "
            "by the probability that it is one of the near ones.",
        ),
        click.option(
            "--horizon",
            type=number_or_auto,
            default=horizon,
            metavar="auto|NUMBER",
            show_default="auto, or the paper's 0.005 with a --solver" if horizon is None else True,
            help="auto: to the best of the points of the whole path at which words that are not "
            "fitted are clearly better off, or nowhere if there is none; a number: where flow and "
            "vode stop.",
        ),
        click.option(
            "--solver",
            type=click.Choice(["flow", "minimum", "vode"]),
            help="flow: early-stopped descent as in the paper; minimum: the minimum of the loss, "
            "whatever the horizon; vode: the paper's own integrator, slow. [default for a number "
            "as the horizon: closed form for l2, else flow]",
        ),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in options:
            command = option(command)
        return command

    return decorate


def device_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where to compute; the command receives ``device``."""
    return click.option(
        "--device",
        type=click.Choice(["cpu", "cuda"]),
        default="cpu",
        show_default=True,
        help="Where to compute.",
    )(command)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How results are printed; the command receives ``table_format`` and ``as_json``."""
    command = click.option("--json", "as_json", is_flag=True, help="Print JSON, all details.")(
        command
    )
    return click.option(
        "--table",
        "table_format",
        type=click.Choice(["terminal", "markdown", "latex", "csv"]),
        default="terminal",
        show_default=True,
        help="How the table is printed.",
    )(command)


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How odd rows of the input are treated; the command receives four keyword arguments."""
    for option in (
        click.option("--lowercase", is_flag=True, help="Put all words into lower case."),
        click.option(
            "--duplicates",
            type=click.Choice(["first", "error"]),
            default="first",
            show_default=True,
            help="Of equal words keep the first, or refuse the file.",
        ),
        click.option(
            "--zero-rows",
            type=click.Choice(["keep", "drop", "error"]),
            default="keep",
            show_default=True,
            help="Treatment of words whose vector is all zeros.",
        ),
        click.option(
            "--undecodable",
            type=click.Choice(["replace", "error"]),
            default="replace",
            show_default=True,
            help="Treatment of words that are not valid UTF-8.",
        ),
    ):
        command = option(command)
    return command


def policy_from(options: dict[str, Any]) -> Policy:
    """Take the options of ``policy_options`` out of a command's keyword arguments."""
    names = ("lowercase", "duplicates", "zero_rows", "undecodable")
    return Policy(**{name: options.pop(name) for name in names})


def persistence_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """More than one try; the command receives ``restarts``, ``fallback`` and ``strict``."""
    for option in (
        click.option("--strict", is_flag=True, help="If the spaces do not match, fail."),
        click.option("--fallback", is_flag=True, help="If the spaces do not match, try remedies."),
        click.option(
            "--restarts",
            type=int,
            default=1,
            show_default=True,
            help="Runs with different seeds, of which the best by the health check is kept.",
        ),
    ):
        command = option(command)
    return command


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where a run is written, and how.

    The command receives ``output``, ``output_format``, ``overwrite`` and ``as_json``.
    """
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
        click.option("--overwrite", is_flag=True, help="Replace DIR if a former run wrote it."),
        click.option(
            "--format",
            "output_format",
            type=click.Choice(["vec", "bin", "npz", "folder"]),
            default="vec",
            show_default=True,
            help="Format of the written vectors.",
        ),
        click.option("--output", required=True, type=PATH, metavar="DIR", help="Folder to write."),
    ):
        command = option(command)
    return command


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What every command takes that maps files of vectors into a run.

    The command receives ``limit`` and what ``output_options`` and ``policy_options`` give.
    """
    for option in (
        policy_options,
        click.option(
            "--limit",
            type=click.IntRange(1),
            default=200_000,
            show_default=True,
            help="Learn from the N most frequent words; all words are mapped.",
        ),
        output_options,
    ):
        command = option(command)
    return command
