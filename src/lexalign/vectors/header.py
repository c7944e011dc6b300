"""The line ``rows dimension`` with which word2vec and fastText files begin."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from lexalign.errors import InputError

_TWO_WHOLE_NUMBERS = re.compile(rb"\s*(-?\d{1,30})\s+(-?\d{1,30})\s*")
_MOST_ROWS = 1 << 40
MOST_DIMENSIONS = 1 << 16
"""More numbers a row than any word vectors have; reading them could use up the memory."""


class Header(NamedTuple):
    """What the first line promises."""

    rows: int
    dimension: int

    def __bytes__(self) -> bytes:
        return f"{self.rows} {self.dimension}\n".encode()


def parse_header(line: bytes, path: Path) -> Header | None:
    """The header in ``line``, or None if it is none.

    Two whole numbers are always a header. A text file without header, of one number a row, whose
    first row happens to look so cannot be told apart and has to be given a header.
    """
    found = _TWO_WHOLE_NUMBERS.fullmatch(line)
    if found is None:
        return None
    header = Header(int(found[1]), int(found[2]))
    if not (0 < header.rows <= _MOST_ROWS and 0 < header.dimension <= MOST_DIMENSIONS):
        raise InputError(
            f"the header promises {header.rows} rows of {header.dimension} numbers, and word "
            f"vectors have 1 to {MOST_DIMENSIONS:,}",
            path=path,
            line=1,
            remedy="correct it to the number of rows and of columns",
        )
    return header
