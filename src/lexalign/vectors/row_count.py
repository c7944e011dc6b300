"""The number of rows of a file of word vectors, from its header or estimated."""

from __future__ import annotations

import lzma
import struct
import zlib
from pathlib import Path
from typing import NamedTuple

from lexalign.errors import InputError
from lexalign.progress import Stage
from lexalign.vectors import fasttext_binary, folder, npz
from lexalign.vectors.compression import compression_of
from lexalign.vectors.header import parse_header

_SAMPLE_BYTES = 1 << 20


class RowCount(NamedTuple):
    """The number of rows, and whether the file states it or it is an estimate."""

    rows: int
    stated: bool


def row_count(path: Path, format: str) -> RowCount | None:
    """Count the rows of ``path`` in one of ``FORMATS``; None if unknown.

    The count serves only the progress display. So a damaged file is not an error here; the reader
    reports the damage.
    """
    try:
        if format == "folder":
            return RowCount(folder.read_meta(path).rows, stated=True)
        if format == "npz":
            return RowCount(npz.stated_rows(path), stated=True)
        if format == "fasttext-binary":
            return RowCount(fasttext_binary.stated_rows(path), stated=True)
        return _rows_of_lines(path)
    except (EOFError, InputError, OSError, struct.error, zlib.error, lzma.LZMAError):
        return None


def announce_rows(stage: Stage, path: Path, format: str, limit: int | None) -> None:
    """Set the total of a stage to the number of rows to read, at most ``limit``."""
    found = row_count(path, format)
    if found is None or found.rows < 1:
        stage.expect(None)
    elif limit is not None and limit <= found.rows:
        stage.expect(limit)
    else:
        stage.expect(found.rows, "exactly" if found.stated else "about")


def _rows_of_lines(path: Path) -> RowCount | None:
    """The number in the header, or the file size divided by the mean size of the first lines."""
    compression = compression_of(path)
    with path.open("rb") as file:
        content = compression.wrap(file, "rb") if compression else file
        sample = content.read(_SAMPLE_BYTES)
        used = file.tell() if compression else len(sample)
    header = parse_header(sample.partition(b"\n")[0], path)
    if header is not None:
        return RowCount(header.rows, stated=True)
    lines = sample.count(b"\n") + (not sample.endswith(b"\n"))
    if len(sample) < _SAMPLE_BYTES:
        return RowCount(lines, stated=True)
    return RowCount(round(lines * path.stat().st_size / used), stated=False)
