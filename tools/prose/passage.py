"""A passage: one paragraph, message or label, with the line where it begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

STAND_IN = "X"
"""The word that stands for code, a formula or a value, so that it counts as one word."""


@dataclass(frozen=True)
class Passage:
    """A text without its markup.

    Parameters
    ----------
    line : int
        The line of the file where the text begins.
    text : str
        The text. A line end in it is a line end of the file.
    is_prose : bool
        Whether the length of its sentences counts; not so in the cell of a table.
    is_message : bool
        Whether it is an error message or a warning.
    """

    line: int
    text: str
    is_prose: bool = True
    is_message: bool = False

    def line_of(self, offset: int) -> int:
        """Return the line of the file that holds this character of the text."""
        return self.line + self.text.count("\n", 0, offset)


Reader = Callable[[str], list[Passage]]
"""Finds the passages of one file in its content."""
