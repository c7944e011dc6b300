"""Text as a stream of tokens, which every pass reads again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Protocol

from lexalign.errors import InputError, LexalignError
from lexalign.vectors.compression import open_decompressed
from lexalign.vectors.tokens import tokeniser

LONGEST_LINE = 2**20
"""Bytes after which a line is cut at the next blank, so that no line fills the memory."""

LONGEST_PIECE = 10_000
"""Maximum number of tokens per piece of text; gensim silently drops tokens beyond it."""


LOOKED_AT = 2**16
MOST_REPLACED = 0.01
"""Maximum share of bytes at the beginning of a text that are not UTF-8."""


class Text(Protocol):
    """A repeatable stream of tokens, and a JSON value that identifies it."""

    @property
    def identity(self) -> Any:
        """Content fingerprint of the text."""

    def __iter__(self) -> Iterator[list[str]]:
        """One pass over the text, piece by piece."""


@dataclass(frozen=True)
class Corpus:
    """The text of some files, plain or compressed (``.gz``, ``.bz2``, ``.xz``), line by line.

    ``rule`` and ``keep_case`` set what a token is (see ``lexalign.vectors.tokens``). Bytes that are
    not UTF-8 become U+FFFD, which is not a letter. Iteration yields the tokens of every line that
    has any.
    """

    paths: tuple[Path, ...]
    rule: str = "words"
    keep_case: bool = False

    def __post_init__(self) -> None:
        """Validate the rule and the files."""
        tokeniser(self.rule)
        if not self.paths:
            raise LexalignError("A corpus needs at least one file; name one.")
        for path in self.paths:
            _require_text(path)

    @property
    def identity(self) -> Any:
        """The files in their order, by name and size, and the rule."""
        files = [[path.name, path.stat().st_size] for path in self.paths]
        return [files, self.rule, self.keep_case]

    def __iter__(self) -> Iterator[list[str]]:
        """The tokens of every line, in pieces of bounded length."""
        split = tokeniser(self.rule, keep_case=self.keep_case)
        for path in self.paths:
            with open_decompressed(path) as file:
                for line in _lines(file):
                    tokens = split(line)
                    for start in range(0, len(tokens), LONGEST_PIECE):
                        yield tokens[start : start + LONGEST_PIECE]


def _require_text(path: Path) -> None:
    """Raise if the file can be read only once, or does not begin like UTF-8 text."""
    if not path.exists():
        raise InputError("there is no such file", path=path, remedy="check the name")
    if not path.is_file():
        raise InputError(
            "this is a folder or a pipe, but text is read several times",
            path=path,
            remedy="name a file",
        )
    with open_decompressed(path) as file:
        head = file.read(LOOKED_AT)
    text = head.decode("utf-8", errors="replace")
    if "\0" in text or text.count("\ufffd") > max(1, MOST_REPLACED * len(text)):
        raise InputError(
            "it does not look like UTF-8 text",
            path=path,
            remedy="convert it, for example with iconv",
        )


def _lines(file: BufferedIOBase) -> Iterator[str]:
    """The lines of a file, very long lines in parts; a byte order mark is skipped."""
    rest, encoding = b"", "utf-8-sig"
    while part := file.readline(LONGEST_LINE):
        line, rest = rest + part, b""
        if len(part) == LONGEST_LINE and not part.endswith(b"\n"):
            cut = _cut(line)
            line, rest = line[:cut], line[cut:]
        yield line.decode(encoding, errors="replace")
        encoding = "utf-8"
    if rest:
        yield rest.decode(encoding, errors="replace")


def _cut(line: bytes) -> int:
    """The place to cut a line: after the last blank, otherwise before the last character."""
    if blank := max(map(line.rfind, (b" ", b"\t", b"\r"))) + 1:
        return blank
    last = len(line) - 1
    while last > 0 and line[last] & 0xC0 == 0x80:
        last -= 1
    return last or len(line)
