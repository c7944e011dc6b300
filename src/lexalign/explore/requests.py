"""What may be asked, and the one sentence that answers everything else."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lexalign.vectors import Lexicon

LONGEST_WORD = 200
LONGEST_QUERY = 4_096
LARGEST_BODY = 65_536
MOST_WORDS = 100
MOST_POINTS = 30
MOST_PAIRS = 1_000
SIDES = ("source", "target")
_WHOLE = re.compile(r"[0-9]{1,4}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{0,6}(\.[0-9]{0,20})?(e-[0-9]{1,3})?", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class RefusedError(Exception):
    """A request that gets no answer: the status, a code for programs, a sentence for people."""

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
                    f"The parameter {_shown(name)} is not known here; known are: {listed}.",
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
        value = self._values.get("t", "1")
        position = float(value) if _DECIMAL.fullmatch(value) and value[:1].isdigit() else math.nan
        if not 0 <= position <= 1:
            raise RefusedError(
                400,
                "bad-t",
                f"The parameter 't' must be a number from 0 to 1. Got {_shown(value)} instead.",
            )
        return position


def read_dictionary(body: bytes) -> tuple[str, Lexicon]:
    """The language of the first words, and a pasted dictionary, from the body of a check."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError(400, "bad-json", "The body must be JSON in UTF-8.") from None
    if not isinstance(content, dict) or not set(content) <= {"text", "side"}:
        raise RefusedError(
            400, "bad-body", "The body must be an object with 'text' and, if wanted, 'side'."
        )
    side, text = content.get("side", "source"), content.get("text")
    if not isinstance(text, str) or not isinstance(side, str):
        raise RefusedError(400, "bad-body", "Both 'text' and 'side' must be strings.")
    text, side = require_text(text, "text", LARGEST_BODY), require_side(side)
    lexicon = Lexicon.parse(text, malformed="skip")
    if len(lexicon) + len(lexicon.skipped) > MOST_PAIRS:
        raise RefusedError(413, "too-many-pairs", f"Check at most {MOST_PAIRS:,} pairs at a time.")
    return side, lexicon


def require_side(value: str) -> str:
    """Refuse what is no name of a language here."""
    if value not in SIDES:
        raise RefusedError(
            400,
            "bad-side",
            f"The 'side' must be 'source' or 'target'. Got {_shown(value)} instead.",
        )
    return value


def require_text(value: str, name: str, longest: int) -> str:
    """Refuse what is empty, too long, or no text at all."""
    if not value.strip():
        raise RefusedError(400, "empty", f"The '{name}' is empty; give at least one character.")
    if len(value) > longest:
        raise RefusedError(
            400, "too-long", f"The '{name}' has {len(value):,} characters; {longest:,} are allowed."
        )
    if _SURROGATE.search(value) or "\0" in value:
        raise RefusedError(400, "not-text", f"The '{name}' is not valid Unicode text.")
    return value


def _shown(value: str) -> str:
    """A value in a sentence: short, and without anything that cannot be printed."""
    return ascii(value if len(value) <= 40 else f"{value[:40]}…")
