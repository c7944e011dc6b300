"""The lines of a lexicon as text: how a pair is written, and what is wrong with a bad line."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lexalign.errors import InputError, OutputError

BYTE_ORDER_MARK = "\ufeff"
LEXICON_FORMATS = {"tsv": "\t", "xling": "\t", "muse": " ", "vecmap": " "}
"""What stands between the two words; only "tsv", which is ours, keeps the weights."""

# What the reader would strip or take for a separator.
UNWRITABLE = {
    "\t": re.compile(r"[\t\n\r]|^$|^ | $"),
    " ": re.compile(r"[ \t\n\r]|^$"),
}
_BLANKS = " \r"


class SkippedLine(NamedTuple):
    """A line of a dictionary that is no pair, and why."""

    line: int
    problem: str


def parse_line(line: str) -> tuple[str, str, float | None] | None:
    """Both words and the weight of a line, None for an empty one; ValueError says what is wrong."""
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
    source, *others = (field.strip(_BLANKS) for field in line.split("\t"))
    if len(others) not in (1, 2) or not source or not others[0]:
        raise ValueError(
            "expected 2 words with a tab between, and an optional number after another tab"
        )
    return source, others[0], _weight(others[1]) if len(others) == 2 else None


class ParsedLines(NamedTuple):
    """The pairs of a text with the numbers of their lines, and the lines that are none.

    ``weights`` is empty or has one number a pair. ``format`` is "muse" if no line has a tab.
    """

    pairs: list[tuple[str, str]]
    weights: list[float]
    lines: list[int]
    skipped: list[SkippedLine]
    format: str


def parse_lines(content: bytes, *, skip: bool, path: Path | None = None) -> ParsedLines:
    """Parse the lines of a text; a bad one is an error about ``path``, or with ``skip`` listed."""
    pairs, weights, lines, skipped = list[tuple[str, str]](), list[float](), list[int](), []
    for place, line in enumerate(content.removeprefix(BYTE_ORDER_MARK.encode()).split(b"\n"), 1):
        try:
            fields = parse_line(line.decode())
            if fields is None:
                continue
            source, target, weight = fields
            if len(weights) != (len(pairs) if weight is not None else 0):
                raise ValueError("some lines have a weight and some have none")
        except ValueError as error:
            if not skip:
                raise line_error(error, path, place) from error
            skipped.append(SkippedLine(place, problem_of_line(error)))
            continue
        pairs.append((source, target))
        lines.append(place)
        if weight is not None:
            weights.append(weight)
    format = "muse" if pairs and b"\t" not in content else "tsv"
    return ParsedLines(pairs, weights, lines, skipped, format)


def write_lines(
    path: Path,
    pairs: Sequence[tuple[str, str]],
    weights: Sequence[float] | None,
    format: str,
) -> None:
    """Write one pair a line, with its weight in the format "tsv".

    Raises
    ------
    InputError
        If the format is unknown.
    OutputError
        If the format cannot hold a word.
    """
    separator = separator_of(format)
    weights = weights if format == "tsv" else None
    with path.open("wb") as file:
        if pairs and pairs[0][0].startswith(BYTE_ORDER_MARK):
            # A reader takes the first mark of a file for no part of its text.
            file.write(BYTE_ORDER_MARK.encode())
        for row, pair in enumerate(pairs):
            for word in pair:
                require_writable_word(word, format)
            fields = pair if weights is None else (*pair, repr(weights[row]))
            file.write(f"{separator.join(fields)}\n".encode())


def _other_separator(line: str) -> str:
    """A hint if the words stand together with something else between."""
    found = next((mark for mark in (",", ";", "|", ":") if mark in line.strip(_BLANKS)[1:-1]), None)
    return f" (they seem to be separated by {found!r}, which should be a tab)" if found else ""


def _weight(field: str) -> float:
    try:
        weight = float(field)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight):
        raise ValueError(f"the weight {field!r} is not a finite number")
    return weight


def line_error(error: ValueError, path: Path | None, place: int) -> InputError:
    """Name the place of a bad line."""
    remedy = "correct the line; put a tab between words that have blanks"
    if isinstance(error, UnicodeDecodeError):
        remedy = "save the file as UTF-8"
    where = f"line {place}: " if path is None else ""
    return InputError(f"{where}{problem_of_line(error)}", path=path, line=place, remedy=remedy)


def problem_of_line(error: ValueError) -> str:
    """Say what is wrong with a line."""
    return "the line is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


def separator_of(format: str) -> str:
    """Return what stands between the two words in a format."""
    if format not in LEXICON_FORMATS:
        raise InputError(
            f"The `format` must be one of {tuple(LEXICON_FORMATS)}. Got {format!r} instead"
        )
    return LEXICON_FORMATS[format]


def require_writable_word(word: str, format: str) -> None:
    """Raise if a reader of the format would take the word for something else."""
    separator = LEXICON_FORMATS[format]
    if UNWRITABLE[separator].search(word):
        other = "; write the format 'tsv' instead." if separator == " " else "; rename it."
        raise OutputError(f"The word {word!r} cannot stand in a {format} lexicon{other}")
