"""What a shell may complete where click does not know it: files, shipped grids, public inputs.

A shell asks at every press of the key, so nothing heavy is imported for an answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import click
from click.shell_completion import CompletionItem

SEEDS = ("identical", "numerals")


def complete_files(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Leave it to the shell, which knows the files."""
    return [CompletionItem(incomplete, type="file")]


def complete_folders(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Leave it to the shell, which knows the folders."""
    return [CompletionItem(incomplete, type="dir")]


def complete_seeds(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """A file of seeds, or a kind of words that may take their place."""
    return [*_words(SEEDS, incomplete), *complete_files(context, parameter, incomplete)]


def complete_grids(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """A grid that ships with Lexalign, or a file."""
    folder = files("lexalign") / "experiments" / "grids"
    shipped = sorted(Path(file.name).stem for file in folder.iterdir())
    return [*_words(shipped, incomplete), *complete_files(context, parameter, incomplete)]


def complete_inputs(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """A public input, or a group of them."""
    from lexalign.experiments.data.catalogue import catalogue

    names = [entry.name for entry in catalogue()]
    groups = dict.fromkeys(name.partition(".")[0] for name in names)
    return _words(dict.fromkeys([*groups, *names]), incomplete)


def complete_protocols(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """A protocol of evaluation."""
    from lexalign.evaluation.protocols import PROTOCOLS

    return _words(PROTOCOLS, incomplete)


def _words(known: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in known if word.startswith(incomplete)]
