"""The rules: length of sentences and messages, rejected phrases, and British spelling."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.prose.passage import Passage

LONGEST_SENTENCE = 30
AIM = 25
LONGEST_MESSAGE = 200
_WORDS = Path(__file__).with_name("words.toml")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|et al|etc|cf|vs|Fig|Eq|Sec|No|pp|[A-WYZ])|\.\.)\.$")
_END = re.compile(r"[.!?:][\"”’')\]]*(?=\s+[^a-z\s])|\n\s*\n")
_WORD = re.compile(r"(?<![\w.])(?:[A-Za-z][A-Za-z’'-]*[A-Za-z]|[AaIX])(?![\w(])")
_QUOTED = re.compile(r"[\"“][^\"”\n]{0,60}[\"”]")


@dataclass(frozen=True, order=True)
class Finding:
    """One finding: where, the name of the rule, and what to write instead."""

    line: int
    rule: str
    advice: str


@dataclass(frozen=True)
class Phrase:
    """A pattern that is rejected, and the advice."""

    rule: str
    pattern: re.Pattern[str]
    advice: str


def findings_of(passage: Passage) -> Iterator[Finding]:
    """Yield what is to be changed in a passage."""
    if passage.is_prose:
        yield from _long_sentences(passage)
    if passage.is_message and len(passage.text) > LONGEST_MESSAGE:
        advice = f"{len(passage.text)} characters in a message, at most {LONGEST_MESSAGE}"
        yield Finding(passage.line, "message", f"{advice}; say what happened and what to do")
    unquoted = _QUOTED.sub(lambda quoted: "X" * len(quoted[0]), passage.text)
    for phrase in phrases():
        for found in phrase.pattern.finditer(unquoted):
            said = " ".join(found[0].split())
            line = passage.line_of(found.start())
            yield Finding(line, phrase.rule, f"“{said}”: {phrase.advice}")


def lengths(passage: Passage) -> Iterator[tuple[int, int, str]]:
    """Yield offset, number of words and text of each sentence of a passage."""
    start = 0
    for end in (*_ends(passage.text), len(passage.text)):
        sentence = passage.text[start:end]
        offset = start + len(sentence) - len(sentence.lstrip())
        if sentence.strip():
            yield offset, len(_WORD.findall(_QUOTED.sub(" X ", sentence))), sentence.strip()
        start = end


@cache
def phrases() -> tuple[Phrase, ...]:
    """Return the rejected phrases and spellings of ``words.toml``."""
    tables = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    found = []
    for rule, entries in tables.items():
        for pattern, advice in entries.items():
            blanks = pattern.replace(" ", r"\s+")
            whole = re.compile(rf"(?<![\w-])(?:{blanks})(?![\w-])", re.IGNORECASE)
            found.append(Phrase(rule, whole, advice))
    return tuple(found)


def _long_sentences(passage: Passage) -> Iterator[Finding]:
    for offset, words, sentence in lengths(passage):
        if words > LONGEST_SENTENCE:
            start = " ".join(sentence.split())[:40]
            advice = f"{words} words in a sentence, at most {LONGEST_SENTENCE}; split “{start}…”"
            yield Finding(passage.line_of(offset), "sentence", advice)


def _ends(text: str) -> Iterator[int]:
    """The offsets where sentences end."""
    for found in _END.finditer(text):
        if found[0][0] != "." or not _ABBREVIATION.search(text[: found.start() + 1]):
            yield found.end()
