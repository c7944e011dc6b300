"""Arrays that the explorer keeps in its cache, as ``.npy`` files.

The type and the shape of every array are known before it is read. So a file is compared with the
header that ``numpy.save`` writes for them, and nothing in it is parsed.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from lexalign.atomic import atomic_file
from lexalign.errors import InputError


def save_array(values: np.ndarray, file: Path) -> None:
    """Write an array, atomically; the folder is made if it was deleted meanwhile."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = BytesIO()  # np.save to a file hides why the system refuses to write
    np.save(content, values, allow_pickle=False)
    with atomic_file(file, overwrite=True) as temporary:
        temporary.write_bytes(content.getbuffer())


def load_array(file: Path, dtype: type, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Read an array of a known type and shape.

    Raises
    ------
    InputError
        If the file holds another one, or numbers that are not finite. The sentence says that it
        does not hold ``what``.
    """
    expected = np.dtype(dtype)
    header = _header(expected, shape)
    try:
        whole = file.stat().st_size == len(header) + expected.itemsize * int(np.prod(shape))
        content = file.read_bytes() if whole else b""
    except OSError as error:
        raise _damaged(file, what, f" ({error.strerror})") from error
    if not content.startswith(header):
        raise _damaged(file, what)
    values = np.frombuffer(content, expected, offset=len(header)).reshape(shape)
    if not np.isfinite(values).all():
        raise _damaged(file, what)
    return values


def _header(dtype: np.dtype, shape: tuple[int, ...]) -> bytes:
    content = BytesIO()
    description = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(content, description)
    return content.getvalue()


def _damaged(file: Path, what: str, reason: str = "") -> InputError:
    return InputError(f"this does not hold {what}{reason}", path=file, remedy="delete it")
