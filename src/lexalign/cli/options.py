"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from lexalign.vectors.policy import Policy

PATH = click.Path(path_type=Path)


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


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What every command that writes a run takes.

    The command receives ``output``, ``limit``, ``output_format``, ``overwrite``, ``as_json`` and
    the keyword arguments of ``policy_options``.
    """
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
        click.option("--overwrite", is_flag=True, help="Replace DIR if a former run wrote it."),
        policy_options,
        click.option(
            "--format",
            "output_format",
            type=click.Choice(["vec", "bin", "npz", "folder"]),
            default="vec",
            show_default=True,
            help="Format of the written vectors.",
        ),
        click.option(
            "--limit",
            type=click.IntRange(1),
            default=200_000,
            show_default=True,
            help="Learn from the N most frequent words; all words are mapped.",
        ),
        click.option("--output", required=True, type=PATH, metavar="DIR", help="Folder to write."),
    ):
        command = option(command)
    return command
