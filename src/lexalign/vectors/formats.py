"""The format of a file: detected by content when read, selected by name when written."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lexalign.errors import InputError, OutputError
from lexalign.vectors import fasttext_binary, folder, npz, text, word2vec_binary
from lexalign.vectors.block import Block, Quota
from lexalign.vectors.compression import COMPRESSIONS, compression_of, open_decompressed
from lexalign.vectors.header import parse_header

_HEAD_BYTES = 1 << 16
_CONTROL = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r"})


class Format(NamedTuple):
    """A file format: its reader, and its writer if Lexalign writes it as one file.

    Text can be compressed, and folders have a separate writer (see ``stream``).
    """

    description: str
    suffixes: tuple[str, ...]
    read_blocks: Callable[[Path, Quota], Iterator[Block]]
    write_blocks: Callable[..., None] | None = None


FORMATS: dict[str, Format] = {
    "text": Format(
        "text with or without header, also .gz, .bz2, .xz",
        (".vec", ".txt"),
        text.read_blocks,
        text.write_blocks,
    ),
    "word2vec-binary": Format(
        "word2vec binary", (".bin",), word2vec_binary.read_blocks, word2vec_binary.write_blocks
    ),
    "fasttext-binary": Format("fastText model, read only", (), fasttext_binary.read_blocks),
    "npz": Format(
        "NumPy archive of 'words' and 'vectors'", (".npz",), npz.read_blocks, npz.write_blocks
    ),
    "folder": Format("folder of safetensors, words and facts", ("",), folder.read_blocks),
}


OUTPUT_SUFFIXES = {"vec": ".vec", "bin": ".bin", "npz": ".npz", "folder": ""}
"""The formats in which a run can be written, with their suffixes."""


def detect_format(path: str | Path) -> str:
    """Detect the format of ``path``; return its name, a key of ``FORMATS``.

    Only the content counts. Known formats that Lexalign does not read (pickles, single arrays,
    other archives) give an InputError with the way to convert them. Nothing is ever unpickled.
    """
    path = Path(path)
    if path.is_dir():
        return _detect_folder(path)
    if path.exists() and not path.is_file():
        raise InputError(
            "this is a pipe or a device, which can be read only once",
            path=path,
            remedy="save it to a file first",
        )
    try:
        compression = compression_of(path)
        with open_decompressed(path) as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        raise InputError(
            f"it cannot be read ({error.strerror})", path=path, remedy="check the name"
        ) from error
    if not head:
        raise InputError(
            "the file is empty", path=path, remedy="name a file that holds word vectors"
        )
    name = _detect_content(head, path)
    if compression and name != "text":
        raise InputError(
            f"the compressed file holds a {name} file, but only text is read compressed",
            path=path,
            remedy=f"decompress it first, for example with {compression.name} -d",
        )
    return name


def _detect_folder(path: Path) -> str:
    wanted = (folder.LAYOUT.vectors, folder.LAYOUT.words, folder.LAYOUT.meta)
    missing = [name for name in wanted if not (path / name).is_file()]
    if missing:
        suffixes = {suffix for known in FORMATS.values() for suffix in known.suffixes if suffix}
        inside = sorted(file.name for file in path.iterdir() if file.suffix in suffixes)
        raise InputError(
            f"the folder holds no {', no '.join(missing)}",
            path=path,
            remedy=f"name one of the files inside it: {', '.join(inside[:4])}"
            if inside
            else "name a folder of vectors that Lexalign wrote, or a file",
        )
    return "folder"


def _detect_content(head: bytes, path: Path) -> str:
    if head.startswith(fasttext_binary.MAGIC):
        return "fasttext-binary"
    if head.startswith(b"PK\x03\x04"):
        return _detect_archive(path)
    if head.startswith(b"\x93NUMPY"):
        raise InputError(
            "this is a single array without words",
            path=path,
            remedy="save it with its words: numpy.savez(name, words=words, vectors=array)",
        )
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise _pickle_error(path)
    first, line_end, rest = head.partition(b"\n")
    header = parse_header(first, path) if line_end else None
    if header is None:
        if b"\0" in first:
            known = ", ".join(FORMATS)
            raise InputError(
                "this is neither text nor another format that Lexalign reads",
                path=path,
                remedy=f"convert it to one of these: {known}",
            )
        return "text"
    return "word2vec-binary" if _looks_binary(rest, header.dimension, path) else "text"


def _looks_binary(rest: bytes, dimension: int, path: Path) -> bool:
    """Whether the content after a header is binary.

    Rows of text show it, even with unusual words. But in a binary file, a digit and a line end can
    be two bytes of a number. So in a file named .bin, unusual words do not count.
    """
    row, line_end, _ = rest.lstrip(b"\r\n").partition(b"\n")  # text may have empty lines
    is_row, named_binary = line_end and text.is_row(row, dimension), path.suffix == ".bin"
    if is_row and not named_binary:
        return False
    return _is_odd_text(rest) or (named_binary and not is_row)


def _is_odd_text(content: bytes) -> bool:
    """Whether the beginning of a file is not UTF-8, or has control characters."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        if error.end < len(content) or error.reason != "unexpected end of data":
            return True
    return content.translate(None, _CONTROL) != content


def _detect_archive(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(
            f"the archive is damaged or incomplete ({error})",
            path=path,
            remedy="download or copy it again",
        ) from error
    if any(name.endswith(".pkl") for name in names):
        raise _pickle_error(path)
    if any(name.endswith(".npy") for name in names):
        return "npz"
    raise InputError(
        f"this zip archive holds {', '.join(names[:5]) or 'nothing'}, but no NumPy arrays",
        path=path,
        remedy="unzip it and name the file inside",
    )


def _pickle_error(path: Path) -> InputError:
    return InputError(
        "this is a Python pickle, which can run any code, so Lexalign never opens it",
        path=path,
        remedy="if you trust it and gensim wrote it, convert it with KeyedVectors.load(name)"
        '.save_word2vec_format("out.bin", binary=True) and read that',
    )


def file_writer(path: str | Path) -> Callable[[Path, Iterable[Block]], None] | None:
    """The writer for the name ``path``; None if it is the name of a folder."""
    if str(path).endswith("/"):
        return None
    path = Path(path)
    compression = COMPRESSIONS.get(path.suffix)
    suffix = path.with_suffix("").suffix if compression else path.suffix
    for name, known in FORMATS.items():
        if suffix in known.suffixes and name == "text":
            return partial(text.write_blocks, compression=compression)
        if suffix in known.suffixes and compression is None:
            return known.write_blocks
    raise OutputError(
        f"{path}: no format has this suffix; use .vec or .txt (text; add .gz, .bz2 or .xz to "
        "compress), .bin (word2vec), .npz, or no suffix for a folder."
    )
