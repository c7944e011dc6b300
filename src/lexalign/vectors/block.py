"""A block of rows, the unit of every stream, with its place in the file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from lexalign.errors import InputError

Matrix = npt.NDArray[np.float32]

_MAX_ROWS = 16_384
_MAX_BYTES = 32 << 20
_ROWS_CHECKED_AT_ONCE = 8192


@dataclass(frozen=True, eq=False)
class Block:
    """Some consecutive rows of a file of word vectors.

    ``matrix`` is (rows, dimension) float32. ``places[i]`` is the line (in text) or the row (in a
    binary file) of ``words[i]``, counted from 1. A block from a file holds lone surrogates for
    bytes that are not UTF-8; the policy removes them.
    """

    words: Sequence[str]
    matrix: Matrix
    places: Sequence[int]
    unit: Literal["line", "row"] = "row"

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", as_matrix(self.matrix))
        if not len(self.words) == len(self.matrix) == len(self.places):
            raise InputError(
                f"a block of {len(self.words)} words needs the same number of rows and places, "
                f"but it has {len(self.matrix)} rows and {len(self.places)} places"
            )

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return int(self.matrix.shape[1])

    def with_words(self, words: Sequence[str]) -> Block:
        """The rows under other words."""
        return replace(self, words=words)

    def with_matrix(self, matrix: Matrix) -> Block:
        """The words with other vectors, such as mapped ones."""
        return replace(self, matrix=matrix)

    def keep(self, chosen: npt.NDArray[np.bool_]) -> Block:
        """Only the rows where ``chosen`` is true; the block itself if all of them are."""
        if chosen.all():
            return self
        selectors = chosen.tolist()
        return replace(
            self,
            words=list(compress(self.words, selectors)),
            matrix=self.matrix[chosen],
            places=list(compress(self.places, selectors)),
        )

    def error(self, row: int, problem: str, *, path: Path, remedy: str) -> InputError:
        """An error about one row of the block, with its place in the file."""
        if self.unit == "line":
            return InputError(problem, path=path, line=self.places[row], remedy=remedy)
        return InputError(f"row {self.places[row]}: {problem}", path=path, remedy=remedy)


class Quota:
    """The number of rows that a stream still needs.

    The reader checks it before every block, and the stream subtracts the rows that pass the policy.
    So a limit counts usable rows, and later rows are not parsed.
    """

    def __init__(self, limit: int | None = None) -> None:
        if limit is not None and limit < 1:
            raise InputError(f"The `limit` must be at least 1. Got {limit} instead")
        self.remaining = sys.maxsize if limit is None else limit

    def take(self, rows: int) -> None:
        """Count ``rows`` as delivered."""
        self.remaining -= rows


def rows_per_block(bytes_per_row: int) -> int:
    """The number of rows of this size in a block of bounded memory."""
    return max(1, min(_MAX_ROWS, _MAX_BYTES // max(1, bytes_per_row)))


def as_matrix(array: npt.ArrayLike) -> Matrix:
    """Return ``array`` as a C-contiguous (rows, dimension) float32 matrix, copied only if
    necessary.

    A number too large for float32 becomes infinite; ``first_non_finite_row`` finds it.
    """
    array = np.asarray(array)
    if array.ndim != 2 or array.dtype.kind not in "fiu":
        raise InputError(
            f"word vectors must be a two-dimensional array of real numbers, found {array.ndim} "
            f"dimensions of type {array.dtype}"
        )
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def first_non_finite_row(matrix: Matrix) -> int | None:
    """The first row with a NaN or an infinity; searched in blocks to save memory."""
    for start in range(0, len(matrix), _ROWS_CHECKED_AT_ONCE):
        finite = np.isfinite(matrix[start : start + _ROWS_CHECKED_AT_ONCE])
        if not finite.all():
            return start + int(np.argmin(finite.all(axis=1)))
    return None
