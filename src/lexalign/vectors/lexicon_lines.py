"""The lines of a lexicon as text: how pairs are written, and errors in lines."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lexalign.errors import InputError, OutputError, shortened

BYTE_ORDER_MARK = "\ufeff"
LEXICON_FORMATS = {"tsv": "\t", "xling": "\t", "muse": " ", "vecmap": " "}
"""The separator of the two words; only "tsv", Lexalign's own format, keeps weights and classes."""

# What the reader would strip or take for a separator, and what UTF-8 cannot encode.
UNWRITABLE = {
    "\t": re.compile("[\t\n\r\ud800-\udfff]|^$|^ | $"),
    " ": re.compile("[ \t\n\r\ud800-\udfff]|^$"),
}
_BLANKS = " \r"


class SkippedLine(NamedTuple):
    """A line of a dictionary that is not a pair, and the reason."""

    line: int
    problem: str


def parse_line(line: str) -> tuple[str, str, str | None] | None:
    """Return both words and the third column of a line; None for an empty line.

    Raises ValueError with the problem.
    """
    if not line.strip("\t" + _BLANKS):
        return None
    if "\t" not in line:
        words = [word for word in line.strip(_BLANKS).split(" ") if word]
        if len(words) != 2:
            raise ValueError(
                f"expected 2 words, found {len(words)}"
                + _other_separator(line if len(words) < 2 else "")
            )
        return words[0], words[1], None
    source, *others = (cell.strip(_BLANKS) for cell in line.split("\t"))
    if len(others) not in (1, 2) or not source or not others[0]:
        raise ValueError(
            "expected 2 words with a tab between them, and an optional weight or class after "
            "another tab"
        )
    return source, others[0], others[1] if len(others) == 2 else None


@dataclass
class ParsedLines:
    """The pairs of a text with their line numbers, and the lines that are not pairs.

    The third column is a weight if it is a number on every line, and a word class if it is a text
    on every line. ``format`` is "muse" if no line has a tab.
    """

    pairs: list[tuple[str, str]] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    skipped: list[SkippedLine] = field(default_factory=list)
    format: str = "tsv"
    _kind: str | None = None

    def add(self, place: int, source: str, target: str, third: str | None) -> None:
        """Add a pair; ValueError if its third column differs in kind from the lines before."""
        weight = None if third is None else _number(third)
        if third == "":
            raise ValueError("the third column is empty")
        if weight is not None and not math.isfinite(weight):
            raise ValueError(f"the weight {shortened(third or '')!r} is not a finite number")
        kind = "no third column" if third is None else "a class" if weight is None else "a weight"
        if self._kind not in (None, kind):
            raise ValueError(f"the line has {kind}, but earlier lines have {self._kind}")
        self._kind = kind
        self.pairs.append((source, target))
        self.lines.append(place)
        if weight is not None:
            self.weights.append(weight)
        elif third is not None:
            self.classes.append(third)


def read_content(path: Path) -> bytes:
    """Return the content of a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"it cannot be read ({error.strerror})", path=path, remedy="check the name"
        ) from error


def parse_lines(text: str | bytes, *, malformed: str, path: Path | None = None) -> ParsedLines:
    """Parse the lines of a text; a bad line is an error about ``path``, or skipped and listed."""
    if malformed not in ("error", "skip"):
        raise InputError(
            f"The 'malformed' must be one of 'error', 'skip'. Got {malformed!r} instead"
        )
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    found = ParsedLines()
    lines = content.removeprefix(BYTE_ORDER_MARK.encode()).split(b"\n")
    for place, line in enumerate(lines, 1):
        try:
            fields = parse_line(line.decode())
            if fields is not None:
                found.add(place, *fields)
        except ValueError as error:
            if malformed == "error":
                raise line_error(error, path, place) from error
            found.skipped.append(SkippedLine(place, problem_of_line(error)))
    if found.pairs and b"\t" not in content:
        found.format = "muse"
    return found


def write_lines(
    path: Path,
    pairs: Sequence[tuple[str, str]],
    third: Sequence[str] | None,
    format: str,
) -> None:
    """Write one pair per line; "tsv" also has the third column.

    Raises
    ------
    InputError
        If the format is unknown.
    OutputError
        If the format cannot hold a word.
    """
    separator = separator_of(format)
    with path.open("wb") as file:
        if pairs and pairs[0][0].startswith(BYTE_ORDER_MARK):
            # A reader takes the first mark of a file for no part of its text.
            file.write(BYTE_ORDER_MARK.encode())
        for row, pair in enumerate(pairs):
            fields = pair if third is None or format != "tsv" else (*pair, third[row])
            for text in fields:
                require_writable_word(text, format)
            file.write(f"{separator.join(fields)}\n".encode())


def _other_separator(line: str) -> str:
    """A hint if another character separates the words."""
    found = next((mark for mark in (",", ";", "|", ":") if mark in line.strip(_BLANKS)[1:-1]), None)
    return f" (the separator seems to be {found!r}, but must be a tab)" if found else ""


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def line_error(error: ValueError, path: Path | None, place: int) -> InputError:
    """Add the place of a bad line."""
    remedy = "correct the line; put a tab between words that contain blanks"
    if isinstance(error, UnicodeDecodeError):
        remedy = "save the file as UTF-8"
    where = f"line {place}: " if path is None else ""
    return InputError(f"{where}{problem_of_line(error)}", path=path, line=place, remedy=remedy)


def problem_of_line(error: ValueError) -> str:
    """The problem of a line."""
    return "the line is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


def separator_of(format: str) -> str:
    """Return the separator of the two words in a format."""
    if format not in LEXICON_FORMATS:
        raise InputError(
            f"The `format` must be one of {tuple(LEXICON_FORMATS)}. Got {format!r} instead"
        )
    return LEXICON_FORMATS[format]


def require_writable_word(word: str, format: str) -> None:
    """Raise if the format cannot hold the word."""
    separator = LEXICON_FORMATS[format]
    if UNWRITABLE[separator].search(word):
        other = "; write the format 'tsv' instead." if separator == " " else "; rename it."
        raise OutputError(f"The word {shortened(word)!r} cannot stand in a {format} lexicon{other}")
