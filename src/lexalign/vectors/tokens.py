"""What a word of running text is.

The rule "words": text is brought into lower case and into the composed form of Unicode (NFC); a
token is a longest run of letters, marks and numbers (the general categories L, M and N), and
whatever else there is separates tokens. Marks count because many scripts write vowels with them.
Languages that are written without spaces must be segmented beforehand, and then, like all text that
is tokenised already, be split at white space alone, "whitespace".
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import groupby

from lexalign.errors import LexalignError

RULES = ("words", "whitespace")

Tokeniser = Callable[[str], list[str]]


def tokeniser(rule: str = "words", *, keep_case: bool = False) -> Tokeniser:
    """A function that gives the tokens of a text; with ``keep_case`` the case stays as it is."""
    if rule not in RULES:
        raise LexalignError(f"The `rule` must be one of {RULES}. Got {rule!r} instead.")
    split = _words() if rule == "words" else str.split

    def tokens(text: str) -> list[str]:
        return split(composed(text if keep_case else text.lower()))

    return tokens


def composed(text: str) -> str:
    """The text in the composed form of Unicode, NFC."""
    return unicodedata.normalize("NFC", text)


@cache
def _words() -> Tokeniser:
    """Find the tokens of a text by the rule "words".

    The classes of Python's regular expressions know letters and numbers, but not marks.
    """
    codes = range(sys.maxunicode + 1)
    marks = (code for code in codes if unicodedata.category(chr(code)).startswith("M"))
    runs = [
        [code for _, code in run]
        for _, run in groupby(enumerate(marks), lambda place: place[1] - place[0])
    ]
    ranges = "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)
    return re.compile(rf"(?:[^\W_]|[{ranges}])+").findall
