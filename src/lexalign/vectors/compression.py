"""Compressed files: detected by content when read, selected by suffix when written."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BufferedIOBase
from pathlib import Path
from typing import IO, Any, NamedTuple

from lexalign.errors import InputError


def _gzip(file: IO[bytes], mode: str) -> gzip.GzipFile:
    # No name and no time inside, so that the same vectors give the same bytes.
    return gzip.GzipFile(filename="", mode=mode, compresslevel=6, fileobj=file, mtime=0)


class Compression(NamedTuple):
    """A compression method whose streams can be concatenated; ``wrap`` takes a file and a mode."""

    name: str
    magic: bytes
    wrap: Callable[..., Any]


COMPRESSIONS = {
    ".gz": Compression("gzip", b"\x1f\x8b", _gzip),
    ".bz2": Compression("bzip2", b"BZh", bz2.BZ2File),
    ".xz": Compression("xz", b"\xfd7zXZ\x00", lzma.LZMAFile),
}


def compression_of(path: Path) -> Compression | None:
    """The compression of a file, from its first bytes."""
    with path.open("rb") as file:
        head = file.read(8)
    return next((known for known in COMPRESSIONS.values() if head.startswith(known.magic)), None)


@contextmanager
def open_decompressed(path: Path) -> Iterator[BufferedIOBase]:
    """Open ``path``, decompressed if necessary; damage is an InputError."""
    try:
        compression = compression_of(path)
    except OSError as error:
        raise InputError(
            f"it cannot be read ({error.strerror})", path=path, remedy="check the name"
        ) from error
    try:
        with path.open("rb") as file:
            if compression is None:
                yield file
            else:
                with compression.wrap(file, "rb") as content:
                    yield content
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        name = f"{compression.name} " if compression else ""
        raise InputError(
            f"the {name}file is damaged or incomplete ({error})",
            path=path,
            remedy="download or copy it again",
        ) from error


def compressed(
    file: IO[bytes], compression: Compression | None
) -> AbstractContextManager[IO[bytes]]:
    """Yield a file that compresses its content into ``file``, which stays open."""
    if compression is None:
        return nullcontext(file)
    wrapped: AbstractContextManager[IO[bytes]] = compression.wrap(file, "wb")
    return wrapped
