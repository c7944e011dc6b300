"""Lists of words, one per line, with optional columns."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lexalign.errors import InputError


class Row(NamedTuple):
    """The fields of a line, and its number, counted from 1."""

    line: int
    fields: list[str]


def read_columns(path: Path) -> list[Row]:
    """Read the lines of a UTF-8 file that are not empty, split at tabs; at least one."""
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(
            f"it cannot be read ({error.strerror})", path=path, remedy="check the name"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8", path=path, remedy="save it as UTF-8") from error
    rows = [
        Row(place, [field.strip(" \r") for field in line.split("\t")])
        for place, line in enumerate(lines, 1)
        if line.strip(" \t\r")
    ]
    if not rows:
        raise InputError("the file is empty", path=path, remedy="name another file")
    return rows


def read_words(path: Path) -> list[str]:
    """Read the words of a file, one per line; text after a tab is ignored."""
    return [row.fields[0] for row in read_columns(path)]
