"""A text as numbers in a temporary file, so that it is split into tokens only once."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from lexalign.errors import OutputError
from lexalign.progress import Progress
from lexalign.training.corpus import Text

END = -1
"""Marks the end of every piece of text; no context reaches across it."""

_UNKNOWN = -2
_WRITTEN_AT_ONCE = 2**20


@dataclass(frozen=True)
class EncodedText:
    """The known words of a text as rows of a vocabulary, int32, with ``END`` after every piece.

    Words outside the vocabulary are left out, which brings their neighbours closer, as in word2vec.
    The numbers are memory-mapped from a file that disappears with the process. It takes four bytes
    per word on the disk, and little memory.
    """

    numbers: np.ndarray
    tokens: int

    def blocks(self, size: int) -> Iterator[np.ndarray]:
        """Yield consecutive parts of about ``size`` numbers that end with a piece of text."""
        start = 0
        while start < len(self.numbers):
            block = self.numbers[start : start + size]
            if start + size < len(self.numbers):
                ends = np.flatnonzero(block == END)
                if len(ends):
                    block = block[: ends[-1] + 1]
            yield np.array(block)
            start += len(block)


@contextmanager
def encoded(
    text: Text, words: Mapping[str, int], tokens: int = 0, progress: Progress | None = None
) -> Iterator[EncodedText]:
    """Encode a text of about ``tokens`` tokens by the rows of some words.

    Raises
    ------
    OutputError
        If the temporary file cannot be written, for example on a full disk.
    """
    with tempfile.TemporaryFile() as file:
        try:
            known = _encode(text, words, tokens, file.fileno(), progress or Progress())
        except OSError as error:
            raise OutputError(
                f"The encoded text cannot be written to the folder {tempfile.gettempdir()} "
                f"({error.strerror}); free some space, or set TMPDIR to another folder."
            ) from error
        yield EncodedText(_mapped(file.fileno()), known)


def _encode(
    text: Text, words: Mapping[str, int], tokens: int, file: int, progress: Progress
) -> int:
    """Write the numbers of a text to a file; return the number of known words."""
    rows = {word: row for row, word in enumerate(words)}
    known, waiting = 0, array("i")
    with progress.stage(
        "encoding text", total=tokens or None, unit="tokens", certainty="about"
    ) as advance:
        for piece in text:
            waiting.extend(map(rows.get, piece, repeat(_UNKNOWN)))
            waiting.append(END)
            advance(len(piece))
            if len(waiting) >= _WRITTEN_AT_ONCE:
                known += _write(waiting, file)
                waiting = array("i")
        return known + _write(waiting, file)


def _write(numbers: array[int], file: int) -> int:
    """Append the known words to the file; return their number."""
    known = np.frombuffer(numbers, dtype=np.int32)
    known = known[known != _UNKNOWN]
    content = memoryview(known.tobytes())
    while content:
        content = content[os.write(file, content) :]
    return int((known != END).sum())


def _mapped(file: int) -> np.ndarray:
    if not os.fstat(file).st_size:
        return np.empty(0, np.int32)
    with os.fdopen(os.dup(file), "rb") as again:
        return np.memmap(again, dtype=np.int32, mode="r")
