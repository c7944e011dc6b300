"""What a page is made of: sections of texts, tables, charts and commands, without any markup.

Sections are built here in Python as plain text; ``templates`` holds the markup. Every text of a
block is escaped by the template, so that words of a vocabulary cannot become markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from lexalign.report.page_text import NO_BREAK


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Parameters
    ----------
    text : str
        The text.
    kind : {"", "number", "word", "code"}
        Numbers are aligned right. A word may be of any script and direction.
    tone : {"", "good", "bad"}
        Whether it is good or bad news.
    mark : {"", "right", "wrong"}
        Whether a translation is right or wrong.
    note : str
        A second, smaller line, such as an interval.
    strong : bool
        Whether it is the main figure.
    """

    text: str
    kind: str = ""
    tone: str = ""
    mark: str = ""
    note: str = ""
    strong: bool = False


def number(text: str, note: str = "", *, tone: str = "", strong: bool = False) -> Cell:
    """A cell with a figure."""
    return Cell(text, "number", tone, note=note, strong=strong)


def word(text: str, mark: str = "", *, strong: bool = False) -> Cell:
    """A cell with a word of a vocabulary."""
    return Cell(text, "word", mark=mark, strong=strong)


Row = Sequence[Cell | str]


@dataclass(frozen=True)
class Table:
    """A table; on a phone each row becomes a card, headed by its first cell.

    Parameters
    ----------
    caption : str
        What the table shows.
    heads : sequence of str
        The titles of the columns.
    rows : sequence of Row
        The cells; the first of each row names it.
    """

    kind: ClassVar[str] = "table"

    caption: str
    heads: Sequence[str]
    rows: Sequence[Row]

    def cells(self) -> list[list[Cell]]:
        """All rows, with plain texts as cells."""
        return [[Cell(one) if isinstance(one, str) else one for one in row] for row in self.rows]

    @property
    def numeric(self) -> list[bool]:
        """Whether each column holds numbers."""
        rows = self.cells()
        return [any(row[at].kind == "number" for row in rows) for at in range(len(self.heads))]


@dataclass(frozen=True)
class Text:
    """A paragraph; a note is smaller and fainter, a warning stands out."""

    kind: ClassVar[str] = "text"

    text: str
    style: str = ""


@dataclass(frozen=True)
class Commands:
    """Lines to type into a shell, and what they are for."""

    kind: ClassVar[str] = "commands"

    label: str
    lines: Sequence[str]


@dataclass(frozen=True)
class Chart:
    """A chart as SVG for wide and for narrow screens, with a title and a sentence about it."""

    kind: ClassVar[str] = "chart"

    title: str
    summary: str
    wide: str
    narrow: str


@dataclass(frozen=True)
class Disclosure:
    """Blocks that a reader opens and closes."""

    kind: ClassVar[str] = "disclosure"

    summary: str
    blocks: Sequence[Block]
    is_open: bool = False


Block = Table | Text | Commands | Chart | Disclosure


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading; ``anchor`` is where the contents list links to."""

    anchor: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Tile:
    """One figure in large type: its value, what it is, and what to know about it."""

    value: str
    label: str
    note: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Verdict:
    """The answer in a sentence or two.

    ``tone`` is "good", "bad", "level" for no reliable difference, or "open" if it was not measured.
    """

    tone: str
    headline: str
    sentences: Sequence[str]
    commands: Commands | None = None


@dataclass(frozen=True)
class Page:
    """Everything on the page."""

    title: str
    subtitle: str
    verdict: Verdict
    tiles: Sequence[Tile]
    sections: Sequence[Section] = field(default_factory=tuple)
    made: str = ""


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: "1 word", "1,200 words"."""
    return f"{count:,}{NO_BREAK}{one if count == 1 else many or one + 's'}"
