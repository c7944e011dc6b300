"""One table of results, written as Markdown, LaTeX, CSV or for a terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Cell = str | int | float | None
TABLE_FORMATS = ("markdown", "latex", "csv")
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_"},
}


def percent(value: Cell) -> str:
    """Format a fraction as percent with one decimal."""
    return "" if value is None else f"{100 * float(value):.1f}"


def decimals(value: Cell) -> str:
    """Format a number with three decimals."""
    return "" if value is None else f"{float(value):.3f}"


def two_digits(value: Cell) -> str:
    """Format a small number with two significant digits."""
    return "" if value is None else f"{float(value):.2g}"


def plain(value: Cell) -> str:
    """Return a text unchanged; format a number with thousands separators."""
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True)
class Column:
    """A column: heading and cell format; CSV keeps the unformatted values.

    Set ``is_context`` if the column describes the experiment, not the result.
    """

    name: str
    show: Callable[[Cell], str] = plain
    is_number: bool = False
    is_context: bool = False

    def said(self, value: Cell) -> str:
        """The heading and a value in words."""
        unit = " %" if self.show is percent else ""
        return f"{self.name}: {self.show(value)}{unit}"


@dataclass(frozen=True)
class Table:
    """Columns and rows of unformatted values."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""

    def without(self, name: str) -> Table:
        """The table without the column of this name."""
        kept = [number for number, column in enumerate(self.columns) if column.name != name]
        return self._only(kept, self.title)

    def _only(self, kept: Sequence[int], title: str) -> Table:
        return Table(
            [self.columns[number] for number in kept],
            [[row[number] for number in kept] for row in self.rows],
            title,
        )

    def compact(self) -> Table:
        """The table without text and context columns that are equal in every row.

        The title states their values.
        """
        shared = [
            number
            for number, column in enumerate(self.columns)
            if (column.is_context or not column.is_number)
            and len({row[number] for row in self.rows}) == 1
        ]
        kept = [number for number in range(len(self.columns)) if number not in shared]
        said = [self.columns[number].said(self.rows[0][number]) for number in shared]
        return self._only(kept, "; ".join(filter(None, [self.title, *said])))

    def cells(self) -> list[list[str]]:
        """The formatted cells."""
        return [
            [column.show(cell) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def render(self, format: str) -> str:
        """The table as text in one of ``TABLE_FORMATS``; CSV has no title."""
        return {"markdown": self._markdown, "latex": self._latex, "csv": self._csv}[format]()

    def _markdown(self) -> str:
        rule = ["---:" if column.is_number else "---" for column in self.columns]
        lines = [[column.name for column in self.columns], rule, *self.cells()]
        title = f"{self.title}\n\n" if self.title else ""
        return title + "".join(
            f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n"
            for line in lines
        )

    def _latex(self) -> str:
        def line(cells: Sequence[str]) -> str:
            return " & ".join(map(latex_text, cells)) + " \\\\\n"

        kinds = "".join("r" if column.is_number else "l" for column in self.columns)
        title = f"% {self.title}\n" if self.title else ""
        return (
            f"{title}\\begin{{tabular}}{{{kinds}}}\n\\hline\n"
            + line([column.name for column in self.columns])
            + "\\hline\n"
            + "".join(map(line, self.cells()))
            + "\\hline\n\\end{tabular}\n"
        )

    def _csv(self) -> str:
        return csv_text([[column.name for column in self.columns], *self.rows])


def csv_text(rows: Iterable[Sequence[Cell]], delimiter: str = ",") -> str:
    r"""Return rows as CSV; a spreadsheet reads no cell as a formula.

    Examples
    --------
    >>> csv_text([["word", "gain"], ["=1+1", -1.5], ["dog", None]])
    "word,gain\n'=1+1,-1.5\ndog,\n"
    """
    return "".join(_csv_line(row, delimiter) for row in rows)


def _csv_line(row: Sequence[Cell], delimiter: str) -> str:
    text = io.StringIO()
    # The writer quotes a carriage return only if its own lines end in one.
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow([_csv_cell(cell) for cell in row])
    return text.getvalue().removesuffix("\r\n") + "\n"


def _csv_cell(cell: Cell) -> Cell:
    """The cell; an apostrophe precedes a text that a spreadsheet would read as a formula."""
    if isinstance(cell, str) and cell.startswith(_FORMULAS):
        return f"'{cell}"
    return "" if cell is None else cell


def latex_text(text: str) -> str:
    """The text with LaTeX special characters escaped."""
    return "".join(_LATEX.get(mark, mark) for mark in text)
