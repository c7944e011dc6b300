"""Text as a stream of tokens, read again for every pass over it."""

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
"""Bytes after which a line is cut at the next best blank, so that no line can fill the memory."""

LONGEST_PIECE = 10_000
"""Tokens; gensim silently drops what a longer piece of text has beyond these."""


LOOKED_AT = 2**16
MOST_REPLACED = 0.01
"""Of the characters at the beginning of a text, those that may be no UTF-8."""


class Text(Protocol):
    """A stream of tokens that can be read again, and a JSON value that tells it from others."""

    @property
    def identity(self) -> Any:
        """Equal for texts that are the same, and else hardly ever."""

    def __iter__(self) -> Iterator[list[str]]:
        """One pass over the text, piece by piece."""


@dataclass(frozen=True)
class Corpus:
    """The text of some files, plain or compressed (``.gz``, ``.bz2``, ``.xz``), line by line.

    ``rule`` and ``keep_case`` say what a token is (see ``lexalign.vectors.tokens``). Bytes that
    are not UTF-8 become U+FFFD, which is no letter. Iterating gives the tokens of every line that
    has any.
    """

    paths: tuple[Path, ...]
    rule: str = "words"
    keep_case: bool = False

    def __post_init__(self) -> None:
        """Refuse a rule that does not exist, and files that are not there."""
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
    """Refuse what cannot be read again and again, or does not begin like text in UTF-8."""
    if not path.exists():
        raise InputError("there is no such file", path=path, remedy="check its name")
    if not path.is_file():
        raise InputError(
            "this is a folder or a pipe, and text is read several times",
            path=path,
            remedy="name a file",
        )
    with open_decompressed(path) as file:
        head = file.read(LOOKED_AT)
    text = head.decode("utf-8", errors="replace")
    if "\0" in text or text.count("\ufffd") > max(1, MOST_REPLACED * len(text)):
        raise InputError(
            "it does not look like text in UTF-8", path=path, remedy="convert it, as iconv does"
        )


def _lines(file: BufferedIOBase) -> Iterator[str]:
    """The lines of a file, those that are very long in parts; a byte order mark is no text."""
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
    """Where to cut: after the last blank, or else before the last character."""
    if blank := max(map(line.rfind, (b" ", b"\t", b"\r"))) + 1:
        return blank
    last = len(line) - 1
    while last > 0 and line[last] & 0xC0 == 0x80:
        last -= 1
    return last or len(line)
