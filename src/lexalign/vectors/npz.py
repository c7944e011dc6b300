"""NumPy archives of two arrays: ``words`` (unicode) and ``vectors`` (rows, dimension).

Members are read and written as streams, never through ``numpy.load``. So an archive need not fit
into memory, and no object is unpickled.
"""

from __future__ import annotations

import lzma
import shutil
import sys
import tempfile
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from lexalign.errors import InputError, OutputError, shortened
from lexalign.vectors.block import Block, Quota, rows_per_block
from lexalign.vectors.header import MOST_DIMENSIONS

_LAYOUT = (
    "two arrays: 'words' (unicode, one per row) and 'vectors' (rows x dimension, real numbers)"
)
_REMEDY = f"save {_LAYOUT} with numpy.savez"
_DAMAGE = (  # what zipfile and numpy raise over a bad archive
    EOFError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    SystemError,
    TypeError,
    ValueError,
    Warning,
    lzma.LZMAError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
_LONGEST_WORD = 1 << 16
_MOST_COMPRESSED = 100
"""Maximum compression factor; real vectors compress by less than 2."""

_EPOCH = (1980, 1, 1, 0, 0, 0)


class _Member(NamedTuple):
    """An array of the archive, opened at its first number."""

    file: IO[bytes]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def take(self, rows: int) -> np.ndarray:
        """The next ``rows`` rows, in the stored form."""
        shape = (rows, *self.shape[1:])
        size = self.dtype.itemsize * prod(shape)
        data = self.file.read(size)
        if len(data) < size:
            raise EOFError("an array ends too early")
        return np.frombuffer(data, self.dtype).reshape(shape)


def read_blocks(path: Path, quota: Quota) -> Iterator[Block]:
    """The rows of an archive, as long as ``quota`` needs more."""
    with _damage_explained(path), zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        if not {"words", "vectors"} <= set(names):
            found = ", ".join(map(repr, names)) or "nothing"
            raise InputError(f"the archive holds {found}", path=path, remedy=_REMEDY)
        _refuse_bomb(archive.getinfo("vectors.npy"), path)
        with archive.open("words.npy") as words_file, archive.open("vectors.npy") as vectors_file:
            words = _open_member(words_file, "words", "U", 1, path)
            vectors = _open_member(vectors_file, "vectors", "f", 2, path)
            rows, dimension = vectors.shape
            letters = words.dtype.itemsize // 4
            for what, number, most in (
                ("'vectors' has {:,} columns", dimension, MOST_DIMENSIONS),
                ("'words' has words of {:,} letters", letters, _LONGEST_WORD),
            ):
                if number > most:
                    problem = f"{what.format(number)}; the maximum is {most:,}"
                    raise InputError(problem, path=path, remedy=_REMEDY)
            if words.shape != (rows,):
                raise InputError(
                    f"'words' has {words.shape[0]} entries, but 'vectors' has {rows} rows",
                    path=path,
                    remedy=_REMEDY,
                )
            size = rows_per_block(words.dtype.itemsize + dimension * vectors.dtype.itemsize)
            start = 0
            while quota.remaining and start < rows:
                stop = min(rows, start + min(size, quota.remaining))
                yield Block(
                    _texts(words.take(stop - start), start, path),
                    vectors.take(stop - start),
                    range(start + 1, stop + 1),
                )
                start = stop


def stated_rows(path: Path) -> int:
    """The number of rows of ``vectors``, from its header."""
    with (
        _damage_explained(path),
        zipfile.ZipFile(path) as archive,
        archive.open("vectors.npy") as file,
    ):
        return _open_member(file, "vectors", "f", 2, path).shape[0]


def _refuse_bomb(member: zipfile.ZipInfo, path: Path) -> None:
    """Raise if vectors in a small file would fill the memory."""
    if member.file_size > _MOST_COMPRESSED * max(member.compress_size, 1 << 20):
        raise InputError(
            f"'vectors' would grow from {member.compress_size:,} to {member.file_size:,} bytes, "
            "which is not plausible for vectors",
            path=path,
            remedy=_REMEDY,
        )


def _texts(words: np.ndarray, first: int, path: Path) -> list[str]:
    """Words as text; NumPy would accept codes that are not Unicode characters."""
    codes = words.view(np.dtype(np.uint32).newbyteorder(words.dtype.byteorder))
    wrong = codes.reshape(len(words), -1) > sys.maxunicode
    if wrong.any():
        row = first + int(np.argmax(wrong.any(axis=1))) + 1
        raise InputError(
            f"row {row}: the word contains a code that is not a Unicode character",
            path=path,
            remedy=_REMEDY,
        )
    return [str(word) for word in words.tolist()]


def _open_member(file: IO[bytes], name: str, kind: str, dimensions: int, path: Path) -> _Member:
    """Read the header of an array, and check its kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        version = npy.read_magic(file)
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran_order, dtype = read_header(file)
    counts = (*shape, dtype.itemsize)
    if dtype.kind != kind or len(shape) != dimensions or min(counts) < 1:
        raise InputError(
            f"the array {name!r} is of type {dtype} and shape {shape}", path=path, remedy=_REMEDY
        )
    if fortran_order:
        raise InputError(
            f"the array {name!r} is stored column by column",
            path=path,
            remedy="save numpy.ascontiguousarray of it",
        )
    return _Member(file, shape, dtype)


@contextmanager
def _damage_explained(path: Path) -> Iterator[None]:
    """Convert errors of ``zipfile`` and ``numpy`` about a bad archive into an InputError."""
    try:
        yield
    except _DAMAGE as error:
        # NumPy advises to allow pickles, which is unsafe, and quotes whole headers.
        reason = "" if "pickle" in str(error) else f" ({shortened(str(error))})"
        raise InputError(
            f"the archive is damaged or not NumPy's{reason}", path=path, remedy=_REMEDY
        ) from error


def write_blocks(path: Path, blocks: Iterable[Block]) -> None:
    """Write an uncompressed archive that ``numpy.load`` reads.

    The vectors are first written to a file beside ``path``, until their number is known. The words
    stay in memory, because NumPy stores all at the width of the longest.
    """
    words: list[str] = []
    dimension = 0
    with tempfile.TemporaryFile(dir=path.parent) as body:
        for block in blocks:
            _refuse_unreadable_words(block)
            words.extend(block.words)
            body.write(block.matrix.astype("<f4", copy=False).data)
            dimension = block.dimension
        body.seek(0)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            with _new_member(archive, "vectors", "<f4", (len(words), dimension)) as file:
                shutil.copyfileobj(body, file, 1 << 20)
            width = f"<U{max(map(len, words))}"
            with _new_member(archive, "words", width, (len(words),)) as file:
                step = rows_per_block(np.dtype(width).itemsize)
                for start in range(0, len(words), step):
                    file.write(np.array(words[start : start + step], dtype=width).tobytes())


@contextmanager
def _new_member(
    archive: zipfile.ZipFile, name: str, dtype: str, shape: tuple[int, ...]
) -> Iterator[IO[bytes]]:
    """Open an array in ``archive`` and write its header; a fixed time gives the same bytes."""
    member = zipfile.ZipInfo(f"{name}.npy", date_time=_EPOCH)
    with archive.open(member, "w", force_zip64=True) as file:
        header = {"descr": dtype, "fortran_order": False, "shape": shape}
        npy.write_array_header_1_0(file, header)
        yield file


def _refuse_unreadable_words(block: Block) -> None:
    for word in block.words:
        if word.endswith("\0"):
            raise OutputError(
                f"The word {word!r} ends with a NUL character, which NumPy would remove; write "
                "to a folder instead."
            )
