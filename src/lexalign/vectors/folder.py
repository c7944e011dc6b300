"""Lexalign's own folder: numbers in safetensors, words in a text file, metadata in JSON.

It is the fastest format to read, and keeps language and normalisation. It holds every word without
a line break. All files can be read without Lexalign.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from lexalign.atomic import FolderKind
from lexalign.errors import InputError, OutputError
from lexalign.json_text import json_text
from lexalign.vectors.block import Block, Matrix, Quota, rows_per_block


@dataclass(frozen=True)
class FolderLayout:
    """The files of a folder, and its only tensor, (rows, dimension) float32, row i for line i."""

    vectors: str = "vectors.safetensors"
    words: str = "vocab.txt"
    meta: str = "meta.json"
    tensor: str = "vectors"
    format_version: int = 1


LAYOUT = FolderLayout()
KIND = FolderKind(LAYOUT.meta, lambda folder: {LAYOUT.vectors, LAYOUT.words})

# Room for the header of the safetensors file, which is written last: the format lets its JSON end
# in blanks. With the eight bytes of its length, the numbers begin at byte 256.
_HEADER_BYTES = 248


@dataclass(frozen=True)
class FolderMeta:
    """The content of ``meta.json``."""

    rows: int
    dimension: int
    language: str | None = None
    normalisation: tuple[str, ...] = ()
    lexalign_version: str = ""
    format_version: int = LAYOUT.format_version


def read_meta(path: Path) -> FolderMeta:
    """The checked metadata of the folder ``path``."""
    file = path / LAYOUT.meta
    try:
        content = json.loads(file.read_bytes())
        meta = FolderMeta(**{**content, "normalisation": tuple(content["normalisation"])})
        counts = (meta.rows, meta.dimension, meta.format_version)
        texts = (meta.language or "", meta.lexalign_version, *meta.normalisation)
        if not all(type(count) is int and count > 0 for count in counts) or not all(
            isinstance(text, str) for text in texts
        ):
            raise ValueError("a value has the wrong type")
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(
            f"it does not describe a folder of word vectors ({error})",
            path=file,
            remedy="write the folder again",
        ) from error
    if meta.format_version > LAYOUT.format_version:
        raise InputError(
            f"the folder has format {meta.format_version}, but this Lexalign knows only format "
            f"{LAYOUT.format_version}",
            path=file,
            remedy="upgrade Lexalign",
        )
    return meta


def read_blocks(path: Path, quota: Quota) -> Iterator[Block]:
    """The rows of the folder ``path``, as long as ``quota`` needs more."""
    meta = read_meta(path)
    size = rows_per_block(4 * meta.dimension)
    start = 0
    with _opened_words(path) as file:
        while quota.remaining and start < meta.rows:
            stop = min(meta.rows, start + min(size, quota.remaining))
            lines = list(islice(file, stop - start))
            if len(lines) < stop - start or not lines[-1].endswith(b"\n"):
                raise InputError(
                    f"it ends before the last of {meta.rows} words",
                    path=path / LAYOUT.words,
                    remedy="write the folder again",
                )
            # Words have no line breaks, so a final "\r" comes from an editor of Windows.
            words = [
                line[:-1].removesuffix(b"\r").decode("utf-8", "surrogateescape") for line in lines
            ]
            yield Block(words, _read_rows(path, start, stop, meta), range(start + 1, stop + 1))
            start = stop
        if quota.remaining and file.read(1):
            raise InputError(
                f"it has more than {meta.rows} words",
                path=path / LAYOUT.words,
                remedy="write the folder again",
            )


def _opened_words(path: Path) -> BinaryIO:
    file = path / LAYOUT.words
    try:
        return file.open("rb")
    except OSError as error:
        raise InputError(
            f"it cannot be read ({error.strerror})", path=file, remedy="write the folder again"
        ) from error


def _read_rows(path: Path, start: int, stop: int, meta: FolderMeta) -> Matrix:
    """Rows ``start`` to ``stop`` of the tensor.

    The file is opened again for each block. Otherwise the memory-mapped pages would accumulate
    until the end.
    """
    from safetensors import SafetensorError, safe_open

    file = path / LAYOUT.vectors
    try:
        with safe_open(file, framework="numpy") as tensors:
            tensor = tensors.get_slice(LAYOUT.tensor)
            found = (tensor.get_dtype(), tensor.get_shape())
            if found == ("F32", [meta.rows, meta.dimension]):
                rows: Matrix = tensor[start:stop]
                return rows
    except (SafetensorError, OSError) as error:
        raise InputError(
            f"it cannot be read ({error})", path=file, remedy="write the folder again"
        ) from error
    raise InputError(
        f"the tensor has type {found[0]} and shape {found[1]}, but {LAYOUT.meta} promises F32 and "
        f"{[meta.rows, meta.dimension]}",
        path=file,
        remedy="write the folder again",
    )


def write_blocks(
    path: Path,
    blocks: Iterable[Block],
    *,
    language: str | None = None,
    normalisation: tuple[str, ...] = (),
) -> None:
    """Write into the existing, empty folder ``path``."""
    rows = dimension = 0
    with (path / LAYOUT.vectors).open("wb") as vectors, (path / LAYOUT.words).open("wb") as words:
        vectors.write(bytes(8 + _HEADER_BYTES))
        for block in blocks:
            _refuse_unreadable_words(block)
            words.write("".join(f"{word}\n" for word in block.words).encode())
            vectors.write(block.matrix.astype("<f4", copy=False).data)
            rows, dimension = rows + len(block), block.dimension
        vectors.seek(0)
        vectors.write(_safetensors_header(rows, dimension))
    meta = FolderMeta(rows, dimension, language, normalisation, _lexalign_version())
    content = json_text(asdict(meta), indent=2)
    (path / LAYOUT.meta).write_text(f"{content}\n", encoding="utf-8")


def _safetensors_header(rows: int, dimension: int) -> bytes:
    description = {
        "dtype": "F32",
        "shape": [rows, dimension],
        "data_offsets": [0, 4 * rows * dimension],
    }
    header = json.dumps({LAYOUT.tensor: description}).encode().ljust(_HEADER_BYTES)
    return len(header).to_bytes(8, "little") + header


def _refuse_unreadable_words(block: Block) -> None:
    for word in block.words:
        if "\n" in word or "\r" in word:
            raise OutputError(
                f"The word {word!r} contains a line break, which {LAYOUT.words} cannot hold; "
                "write to .npz instead, or rename the word."
            )


def _lexalign_version() -> str:
    try:
        return metadata.version("lexalign")
    except metadata.PackageNotFoundError:  # run from a source tree
        return "unknown"
