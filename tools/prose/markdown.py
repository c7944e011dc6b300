"""Passages of a Markdown page: paragraphs, items, headings and cells, without code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tools.prose.passage import STAND_IN, Passage

LONGEST_LINE = 100
_LINK = re.compile(r"\]\(|https?://|^\[[^\]]+\]:")
_CODE_OR_TABLE = ("fence", "code_block", "table_open", "html_block")


def passages_of_markdown(content: str) -> list[Passage]:
    """Return the passages of a page; the length of sentences does not count in tables."""
    found, table_depth = list[Passage](), 0
    for token in _parsed(content):
        table_depth += {"table_open": 1, "table_close": -1}.get(token.type, 0)
        if token.type == "inline" and token.map is not None:
            text = "".join(_plain(token.children or []))
            found.append(Passage(token.map[0] + 1, text, is_prose=table_depth == 0))
    return found


def long_lines(content: str) -> list[tuple[int, int]]:
    """Return number and length of the lines that are too long, but for code, tables and links."""
    free = set[int]()
    for token in _parsed(content):
        if token.type in _CODE_OR_TABLE and token.map is not None:
            free.update(range(token.map[0], token.map[1]))
    return [
        (number + 1, len(line))
        for number, line in enumerate(content.split("\n"))
        if len(line) > LONGEST_LINE and number not in free and not _LINK.search(line)
    ]


def _parsed(content: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(content)


def _plain(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "code_inline":
            yield STAND_IN
        elif token.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif token.type == "text":
            yield token.content
