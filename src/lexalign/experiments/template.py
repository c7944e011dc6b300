"""A commented grid and its inputs, for users to change."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from lexalign.atomic import FolderKind

INPUTS = "inputs.toml"
NEW_EXPERIMENT = FolderKind(INPUTS, lambda folder: None)
"""The kind of folder that an experiment of one's own begins in; it is never replaced."""


def grid_file(folder: Path) -> str:
    """The name of the grid in a folder: like the folder, as tables and results are called so."""
    return f"{folder.resolve().name or 'grid'}.toml"


def write_template(folder: Path, name: str) -> None:
    """Write a grid, in the file ``name``, that compares aligners on the vectors of the demo.

    The inputs that it names are en.bin, de.bin, seeds.tsv and test.tsv of the same folder.
    """
    home = files("lexalign.experiments")
    for template, target in (("new_grid.toml", name), ("new_inputs.toml", INPUTS)):
        text = (home / template).read_text("utf-8")
        text = text.replace("{name}.toml", name)
        (folder / target).write_text(text, encoding="utf-8", newline="\n")
