"""Valid requests, and one sentence for each invalid one."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lexalign.runs.review import VERDICTS, Change
from lexalign.vectors import Lexicon

LONGEST_WORD = 200
LONGEST_QUERY = 4_096
LARGEST_BODY = 65_536
LARGEST_DICTIONARY = 8 * 2**20
MOST_WORDS = 100
MOST_POINTS = 30
MOST_PAIRS = 100_000
SIDES = ("source", "target")
ORDERS = ("ascending", "descending")
MOST_CHANGES = 100
_OFFSET = re.compile(r"[0-9]{1,8}", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,4}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{0,6}(\.[0-9]{0,20})?(e-[0-9]{1,3})?", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class RefusedError(Exception):
    """A rejected request: the status, a code for programs, and a sentence for people."""

    status: int
    code: str
    message: str
    suggestions: Sequence[Mapping[str, str]] = ()

    def as_dict(self) -> dict[str, Any]:
        """The body of the answer."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "suggestions": list(self.suggestions),
            }
        }


class QueryParameters:
    """The parameters of an address, each given at most once and known by name."""

    def __init__(self, items: Sequence[tuple[str, str]], known: Sequence[str]) -> None:
        self._values: dict[str, str] = {}
        for name, value in items:
            if name not in known:
                listed = ", ".join(known) or "none"
                raise RefusedError(
                    400,
                    "unknown-parameter",
                    f"The parameter {_shown(name)} is unknown; use {listed}.",
                )
            if name in self._values:
                raise RefusedError(
                    400, "repeated-parameter", f"Give the parameter '{name}' only once."
                )
            self._values[name] = value

    def word(self, name: str) -> str:
        """A word: some characters, but not too many."""
        return require_text(self._values.get(name, ""), name, LONGEST_WORD)

    def sides(self) -> tuple[str, ...]:
        """The languages to look in: the one that is named, or both."""
        value = self._values.get("side")
        return SIDES if value is None else (require_side(value),)

    def count(self, default: int = 10, most: int = MOST_WORDS) -> int:
        """How many words are wanted."""
        value = self._values.get("k", str(default))
        if not _WHOLE.fullmatch(value) or not 1 <= int(value) <= most:
            raise RefusedError(
                400,
                "bad-k",
                f"The parameter 'k' must be a whole number from 1 to {most}. "
                f"Got {_shown(value)} instead.",
            )
        return int(value)

    def position(self) -> float:
        """A place on the path, from 0 to 1."""
        return self.share("t", "1")

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """One of several names, by default the first."""
        value = self._values.get(name, choices[0])
        if value not in choices:
            raise RefusedError(
                400,
                f"bad-{name}",
                f"The parameter '{name}' must be one of {', '.join(choices)}. "
                f"Got {_shown(value)} instead.",
            )
        return value

    def share(self, name: str, default: str) -> float:
        """A number from 0 to 1."""
        value = self._values.get(name, default)
        share = float(value) if _DECIMAL.fullmatch(value) and value[:1].isdigit() else math.nan
        if not 0 <= share <= 1:
            raise RefusedError(
                400,
                f"bad-{name}",
                f"The parameter '{name}' must be a number from 0 to 1. Got {_shown(value)} "
                "instead.",
            )
        return share

    def offset(self) -> int:
        """How many entries to skip."""
        value = self._values.get("offset", "0")
        if not _OFFSET.fullmatch(value):
            raise RefusedError(
                400,
                "bad-offset",
                f"The parameter 'offset' must be a whole number. Got {_shown(value)} instead.",
            )
        return int(value)

    def text(self, name: str) -> str:
        """Some characters, or none."""
        value = self._values.get(name, "")
        return require_text(value, name, LONGEST_WORD) if value.strip() else ""

    def run(self, count: int) -> int:
        """Which of several runs, counted from 0."""
        value = self._values.get("run", "1")
        if not _WHOLE.fullmatch(value) or not 1 <= int(value) <= count:
            raise RefusedError(
                400,
                "bad-run",
                f"The parameter 'run' must be a whole number from 1 to {count}. "
                f"Got {_shown(value)} instead.",
            )
        return int(value) - 1


def read_changes(body: bytes) -> list[Change]:
    """The decisions in the body of a review."""
    content = _json(body)
    listed = content.get("changes") if isinstance(content, dict) and len(content) == 1 else None
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_CHANGES:
        raise RefusedError(
            400, "bad-body", f"The body must be an object with 1 to {MOST_CHANGES} 'changes'."
        )
    return [_change(one) for one in listed]


def _change(one: Any) -> Change:
    known = {"source", "target", "verdict", "seen"}
    if not isinstance(one, dict) or not {"source", "target", "verdict"} <= set(one) <= known:
        raise RefusedError(
            400, "bad-body", "A change has 'source', 'target', 'verdict' and, if known, 'seen'."
        )
    for name in ("source", "target"):
        if not isinstance(one[name], str):
            raise RefusedError(400, "bad-body", f"The '{name}' must be a string.")
        require_text(one[name], name, LONGEST_WORD)
    for name in ("verdict", "seen"):
        if one.get(name) not in (None, *VERDICTS):
            raise RefusedError(
                400, "bad-body", f"The '{name}' must be null or one of {', '.join(VERDICTS)}."
            )
    return Change(one["source"], one["target"], one["verdict"], one.get("seen"))


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError(400, "bad-json", "The body must be JSON in UTF-8.") from None


def read_dictionary(body: bytes) -> tuple[str, Lexicon]:
    """The language of the first words, and a pasted dictionary, from the body of a check."""
    content = _json(body)
    if not isinstance(content, dict) or not set(content) <= {"text", "side"}:
        raise RefusedError(
            400, "bad-body", "The body must be an object with 'text' and, optionally, 'side'."
        )
    side, text = content.get("side", "source"), content.get("text")
    if not isinstance(text, str) or not isinstance(side, str):
        raise RefusedError(400, "bad-body", "Both 'text' and 'side' must be strings.")
    text, side = require_text(text, "text", LARGEST_DICTIONARY), require_side(side)
    lexicon = Lexicon.parse(text, malformed="skip")
    if len(lexicon) + len(lexicon.skipped) > MOST_PAIRS:
        raise RefusedError(413, "too-many-pairs", f"Check at most {MOST_PAIRS:,} pairs at a time.")
    return side, lexicon


def require_side(value: str) -> str:
    """Raise if this is not the name of a side."""
    if value not in SIDES:
        raise RefusedError(
            400,
            "bad-side",
            f"The 'side' must be 'source' or 'target'. Got {_shown(value)} instead.",
        )
    return value


def require_text(value: str, name: str, longest: int) -> str:
    """Raise if a text is empty, too long, or not text."""
    if not value.strip():
        raise RefusedError(400, "empty", f"The '{name}' is empty; give at least one character.")
    if len(value) > longest:
        raise RefusedError(
            400,
            "too-long",
            f"The '{name}' has {len(value):,} characters; at most {longest:,} are allowed.",
        )
    if _SURROGATE.search(value) or "\0" in value:
        raise RefusedError(400, "not-text", f"The '{name}' is not valid Unicode text.")
    return value


def _shown(value: str) -> str:
    """A value in a sentence: short, and without anything that cannot be printed."""
    return ascii(value if len(value) <= 40 else f"{value[:40]}…")
