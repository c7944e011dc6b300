r"""Whole lines of a binary file in large pieces, without ever decoding them.

Lines end at b"\n" and nowhere else: words may well contain U+0085, U+2028 or other characters that
Python's text files and ``splitlines`` take for line ends.
"""

from __future__ import annotations

from io import BufferedIOBase
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lexalign.errors import InputError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK_BYTES = 31 << 20
_SAMPLE_BYTES = 1 << 20


class Chunk(NamedTuple):
    """Some whole lines, with their ends, and the number of the first, from one."""

    data: bytes
    lines: int
    first_line: int


class LineReader:
    """Takes chunks of lines from ``file``; a byte order mark at its beginning is passed over.

    The file is read into one permanent buffer, because new memory costs more time than copying.
    """

    def __init__(self, file: BufferedIOBase, path: Path) -> None:
        self._file, self._path = file, path
        self._buffer, self._filled = bytearray(), 0
        self._ended = False
        self._next_line = 1
        self._waiting = self._read(_SAMPLE_BYTES).removeprefix(BYTE_ORDER_MARK)

    @property
    def ended(self) -> bool:
        """Whether all lines have been taken."""
        return self._ended and not self._waiting

    def sample(self) -> list[bytes]:
        """The first lines, about 1 MiB, before any is taken; ``take`` still returns them."""
        return self._waiting.split(b"\n")

    def take(self, count: int) -> Chunk:
        """Up to ``count`` lines within a few MiB; an empty chunk at the end."""
        data = self._waiting or self._read(_CHUNK_BYTES)
        lines = _count_line_ends(data) + bool(data and not data.endswith(b"\n"))
        self._waiting = b""
        if lines > count:
            end, lines = 0, count
            for _ in range(count):
                end = data.index(b"\n", end) + 1
            data, self._waiting = data[:end], data[end:]
        chunk = Chunk(data, lines, self._next_line)
        self._next_line += lines
        return chunk

    def _read(self, size: int) -> bytes:
        """The whole lines among the next ``size`` bytes, or the rest of the file."""
        if self._ended:
            return b""
        self._buffer.extend(bytes(size - len(self._buffer)))
        with memoryview(self._buffer) as view:
            filled = self._filled + self._file.readinto(view[self._filled : size])
            self._ended = filled < size
            end = filled if self._ended else self._buffer.rfind(b"\n", 0, filled) + 1
            data = bytes(view[:end])
            self._filled = filled - end
            view[: self._filled] = view[end:filled]
        if data or self._ended:
            return data
        if size < _CHUNK_BYTES:
            return self._read(_CHUNK_BYTES)
        raise InputError(
            f"the line does not end within {_CHUNK_BYTES >> 20} MiB",
            path=self._path,
            line=self._next_line,
            remedy="check that this is a text file of word vectors",
        )


def _count_line_ends(data: bytes) -> int:
    """Count line ends like ``data.count``, but several times as fast on lines of usual length."""
    array = np.frombuffer(data, dtype=np.uint8)
    steps = range(0, len(array), 1 << 18)
    return sum(int(np.count_nonzero(array[step : step + (1 << 18)] == 10)) for step in steps)
