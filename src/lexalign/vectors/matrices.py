"""What every matrix of word vectors is: float32, two-dimensional, C-contiguous and finite."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lexalign.errors import InputError

Matrix = npt.NDArray[np.float32]

_ROWS_CHECKED_AT_ONCE = 8192


def as_matrix(array: npt.ArrayLike) -> Matrix:
    """``array`` as a C-contiguous (rows, dimension) float32 matrix, copied only if it is none.

    A number too large for float32 becomes infinite, which ``first_non_finite_row`` then finds.
    """
    array = np.asarray(array)
    if array.ndim != 2 or array.dtype.kind not in "fiu":
        raise InputError(
            "word vectors must be a two-dimensional array of real numbers, but these are "
            f"{array.ndim}-dimensional of type {array.dtype}"
        )
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def first_non_finite_row(matrix: Matrix) -> int | None:
    """The first row that holds a NaN or an infinity; looked for in blocks, to stay small."""
    for start in range(0, len(matrix), _ROWS_CHECKED_AT_ONCE):
        finite = np.isfinite(matrix[start : start + _ROWS_CHECKED_AT_ONCE])
        if not finite.all():
            return start + int(np.argmin(finite.all(axis=1)))
    return None
