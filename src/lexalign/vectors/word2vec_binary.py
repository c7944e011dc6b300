"""The binary format of word2vec.

A line ``rows dimension`` is followed by the rows: the word, a blank, and the numbers as
little-endian float32, with or without a line end.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np

from lexalign.errors import InputError, OutputError
from lexalign.vectors.block import Block, Quota, rows_per_block
from lexalign.vectors.header import Header, parse_header

_LONGEST_HEADER = 128
_LONGEST_WORD = 1 << 16
_LARGEST = 1e15
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_UNWRITABLE = re.compile(r"[ \n]")
_OF_NUMBERS = np.isin(np.arange(256), list(b"0123456789+-. "))


def read_blocks(path: Path, quota: Quota) -> Iterator[Block]:
    """The rows of a word2vec binary file, as long as ``quota`` needs more."""
    with path.open("rb") as file:
        header = _read_header(file, path)
        rows = 0
        reader = _RowReader(file, header.dimension, path)
        while quota.remaining and rows < header.rows:
            count = min(header.rows - rows, quota.remaining, rows_per_block(4 * header.dimension))
            words, matrix = reader.take(count, rows)
            yield Block(words, matrix, range(rows + 1, rows + count + 1))
            rows += count
        if quota.remaining and reader.has_more():
            raise InputError(
                f"the file has more bytes after the {header.rows} rows that the header states",
                path=path,
                remedy="correct the header, or copy the file again",
            )


def _read_header(file: BinaryIO, path: Path) -> Header:
    line = file.readline(_LONGEST_HEADER)
    header = parse_header(line, path) if line.endswith(b"\n") else None
    if header is None:
        raise InputError(
            "the file does not begin with its numbers of rows and columns",
            path=path,
            remedy="name a word2vec binary file",
        )
    size = path.stat().st_size
    least = len(line) + header.rows * (4 * header.dimension + 2)
    if size < least:
        raise InputError(
            f"the header states {header.rows} rows of {header.dimension} numbers, which need at "
            f"least {least} bytes, but the file has {size}",
            path=path,
            remedy="the file may be incomplete: copy it again",
        )
    return header


class _RowReader:
    """Splits rows off a buffer that is filled from the file."""

    def __init__(self, file: BinaryIO, dimension: int, path: Path) -> None:
        self._file, self._dimension, self._path = file, dimension, path
        self._buffer, self._position = b"", 0
        self._line_ends = False

    def take(self, count: int, first: int) -> tuple[list[str], np.ndarray]:
        """The next ``count`` rows, starting with row ``first`` of the file, counted from 0."""
        words: list[str] = []
        matrix = np.empty((count, self._dimension), dtype=np.float32)
        for row in range(count):
            blank = self._buffer.find(b" ", self._position)
            if blank < 0 or blank + 1 + 4 * self._dimension > len(self._buffer):
                self._fill()
                blank = self._buffer.find(b" ", self._position)
            start = blank + 1
            if blank < 0 or start + 4 * self._dimension > len(self._buffer):
                raise InputError(
                    f"row {first + row + 1} is incomplete",
                    path=self._path,
                    remedy="copy the file again, or correct the header",
                )
            word = self._buffer[self._position : blank]
            if first + row == 1:
                self._line_ends = word.startswith(b"\n")
            self._require_row(word, first + row)
            words.append(word.removeprefix(b"\n").decode("utf-8", "surrogateescape"))
            matrix[row] = np.frombuffer(self._buffer, "<f4", self._dimension, start)
            self._position = start + 4 * self._dimension
        if not self._line_ends and (misread := _row_of_text(matrix)) is not None:
            raise self._misread(first + misread)
        return words, matrix

    def _require_row(self, word: bytes, row: int) -> None:
        """Raise if a word seems to be the end of a row whose word contains a blank.

        Either every row except the first begins with the line end of the previous row, or none
        does. In the second case, the format of gensim, all words are valid text.
        """
        if row > 1 and self._line_ends != word.startswith(b"\n"):
            raise self._misread(row - 1)
        if row > 0 and not self._line_ends and not _is_text(word):
            raise self._misread(row - 1)

    def _misread(self, row: int) -> InputError:
        return InputError(
            f"row {row + 1} is not one word and {self._dimension} numbers; its word may contain "
            "a blank or not be UTF-8",
            path=self._path,
            remedy="save the vectors as text or .npz",
        )

    def has_more(self) -> bool:
        """Whether anything except a line end is left."""
        self._fill()
        return self._buffer not in (b"", b"\n")

    def _fill(self) -> None:
        """Read more bytes, at least enough for a whole row."""
        size = max(1 << 20, _LONGEST_WORD + 4 * self._dimension)
        self._buffer = self._buffer[self._position :] + self._file.read(size)
        self._position = 0


def _is_text(word: bytes) -> bool:
    """Whether bytes are valid UTF-8 without control characters."""
    try:
        return not _CONTROL.search(word) and bool(word.decode())
    except UnicodeDecodeError:
        return False


def _row_of_text(matrix: np.ndarray) -> int | None:
    """The first row whose bytes are text.

    Its first number is four letters; real numbers are below 1e15. Or all its bytes are digits,
    signs and blanks, as of numbers in a text file. Each number is then below 1e-3.
    """
    first = np.ascontiguousarray(matrix[:, 0])
    codes = first.view(np.uint8).reshape(-1, 4)
    letters = ((codes | 0x20) >= ord("a")) & ((codes | 0x20) <= ord("z"))
    text = letters.all(axis=1) & (np.abs(first) > _LARGEST)
    digits = np.flatnonzero(_OF_NUMBERS[codes].all(axis=1))
    text[digits] |= _OF_NUMBERS[matrix[digits].view(np.uint8)].all(axis=1)
    found = np.flatnonzero(text)
    return int(found[0]) if len(found) else None


def write_blocks(path: Path, blocks: Iterable[Block]) -> None:
    """Write header and rows; the rows are first written to a file beside ``path``."""
    rows = dimension = 0
    with tempfile.TemporaryFile(dir=path.parent) as body:
        for block in blocks:
            body.write(_as_bytes(block))
            rows, dimension = rows + len(block), block.dimension
        body.seek(0)
        with path.open("wb") as file:
            file.write(bytes(Header(rows, dimension)))
            shutil.copyfileobj(body, file, 1 << 20)


def _as_bytes(block: Block) -> bytes:
    text = BytesIO()
    for word, vector in zip(block.words, block.matrix.astype("<f4", copy=False), strict=True):
        if _UNWRITABLE.search(word):
            raise OutputError(
                f"The word {word!r} contains a blank or a line break, which a word2vec binary "
                "file cannot hold; write to a folder or to .npz instead."
            )
        text.write(word.encode() + b" " + vector.tobytes() + b"\n")
    return text.getvalue()
