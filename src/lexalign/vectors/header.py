"""The line ``rows dimension`` at the beginning of word2vec and fastText files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from lexalign.errors import InputError

_TWO_WHOLE_NUMBERS = re.compile(rb"\s*(-?\d{1,30})\s+(-?\d{1,30})\s*")
_MOST_ROWS = 1 << 40
MOST_DIMENSIONS = 1 << 16
"""Maximum dimension; longer rows could use up the memory."""


class Header(NamedTuple):
    """The numbers in the first line."""

    rows: int
    dimension: int

    def __bytes__(self) -> bytes:
        return f"{self.rows} {self.dimension}\n".encode()


def parse_header(line: bytes, path: Path) -> Header | None:
    """Parse the header in ``line``; None if it is not a header.

    Two whole numbers are always a header. A text file with one number per row whose first row looks
    like this needs a header.
    """
    found = _TWO_WHOLE_NUMBERS.fullmatch(line)
    if found is None:
        return None
    header = Header(int(found[1]), int(found[2]))
    if not (0 < header.rows <= _MOST_ROWS and 0 < header.dimension <= MOST_DIMENSIONS):
        raise InputError(
            f"the header states {header.rows} rows of {header.dimension} numbers, but word "
            f"vectors have 1 to {MOST_DIMENSIONS:,} numbers",
            path=path,
            line=1,
            remedy="correct the number of rows and columns",
        )
    return header
