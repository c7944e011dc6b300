"""A commented grid and its inputs, for users to change."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from lexalign.atomic import FolderKind

INPUTS = "inputs.toml"
_FIRST_LINE = re.compile(r"# The inputs of (.+\.toml), written by lexalign experiment new\.\n")

NAMED = ("en.bin", "de.bin", "seeds.tsv", "test.tsv")
"""The inputs that the template names, in the same folder."""


def grid_file(folder: Path) -> str:
    """The name of the grid in a folder: like the folder, as tables and results are called so."""
    return f"{folder.resolve().name or 'grid'}.toml"


def write_template(folder: Path, name: str) -> None:
    """Write a grid, in the file ``name``, that compares aligners on the vectors of the demo.

    The inputs that it names are those of ``NAMED`` in the same folder.
    """
    home = files("lexalign.experiments")
    for template, target in (("new_grid.toml", name), ("new_inputs.toml", INPUTS)):
        text = (home / template).read_text("utf-8")
        text = text.replace("{name}.toml", name)
        (folder / target).write_text(text, encoding="utf-8", newline="\n")


def _written(folder: Path) -> set[str] | None:
    """The files of the template; the first line of the inputs names the grid."""
    found = _FIRST_LINE.match((folder / INPUTS).read_text("utf-8", errors="replace"))
    return {found[1], INPUTS, *NAMED} if found else None


NEW_EXPERIMENT = FolderKind(INPUTS, _written)
"""The kind of folder that an experiment of one's own begins in."""
