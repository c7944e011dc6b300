"""Passages of HTML pages, Jinja2 templates and JavaScript modules."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tools.prose.passage import STAND_IN, Passage

_FEWEST_WORDS = 3
_WORD = re.compile(r"[A-Za-z]{2,}")
_ATTRIBUTES = ("alt", "aria-label", "aria-description", "content", "placeholder", "title")
_INLINE = re.compile(r"a|abbr|b|code|em|i|kbd|label|output|q|small|span|strong|sub|sup|time")
_NOT_PROSE = ("script", "style")
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_QUOTED = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_SCRIPT = re.compile(
    r"/\*.*?\*/|//[^\n]*"  # comments
    r"|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)",
    re.DOTALL,
)
_SLOT = re.compile(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_TAG = re.compile(r"<[^<>]+>")


def passages_of_html(content: str) -> list[Passage]:
    """Return the texts of a page or template, and its attributes that are read by people."""
    return [*_quoted_in_jinja(content), *_texts(_JINJA.sub(_blanked, content))]


def passages_of_script(content: str) -> list[Passage]:
    """Return the texts of three words or more in a JavaScript module."""
    found = []
    for match in _SCRIPT.finditer(content):
        if match["text"]:
            text = _SLOT.sub(STAND_IN, match["text"][1:-1])
            if _is_sentence(text):
                found.append(Passage(_line(content, match.start()), _TAG.sub(" ", text)))
    return found


class _Page(HTMLParser):
    """Gathers texts; elements inside a line do not divide them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Passage] = []
        self._line, self._text, self._skipped = 1, "", 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not _INLINE.fullmatch(tag):
            self.flush()
        self._skipped += tag in _NOT_PROSE
        for name, value in attrs:
            if name in _ATTRIBUTES and value and _is_sentence(value):
                self.found.append(Passage(self.getpos()[0], value))

    def handle_endtag(self, tag: str) -> None:
        if not _INLINE.fullmatch(tag):
            self.flush()
        self._skipped -= tag in _NOT_PROSE

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        if not self._text.strip():
            self._text = ""
            blank = data[: len(data) - len(data.lstrip())]
            self._line = self.getpos()[0] + blank.count("\n")
            data = data.lstrip()
        self._text += data

    def flush(self) -> None:
        """End the text that is being gathered."""
        if _is_sentence(self._text):
            self.found.append(Passage(self._line, self._text.rstrip()))
        self._text = ""


def _texts(content: str) -> list[Passage]:
    page = _Page()
    page.feed(content)
    page.close()
    page.flush()
    return page.found


def _quoted_in_jinja(content: str) -> list[Passage]:
    """Texts inside the tags of a template."""
    return [
        Passage(_line(content, tag.start() + quoted.start()), quoted[1] or quoted[2])
        for tag in _JINJA.finditer(content)
        if not tag[0].startswith("{#")
        for quoted in _QUOTED.finditer(tag[0])
        if _is_sentence(quoted[1] or quoted[2] or "")
    ]


def _blanked(tag: re.Match[str]) -> str:
    """A word for a value, nothing for a statement or a comment; line ends stay."""
    return (STAND_IN if tag[0].startswith("{{") else "") + "\n" * tag[0].count("\n")


def _is_sentence(text: str) -> bool:
    return " " in text.strip() and len(_WORD.findall(text)) >= _FEWEST_WORDS


def _line(content: str, offset: int) -> int:
    return content.count("\n", 0, offset) + 1
