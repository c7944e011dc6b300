"""Tokens: the words of running text.

With the rule "words", text is changed to lower case and to the composed form of Unicode (NFC). A
token is a longest run of letters, marks and digits (the general categories L, M and N). All other
characters separate tokens. Marks count because many scripts write vowels with them. For languages
without spaces, segment the text first. Segmented text is split only at white space, with the rule
"whitespace".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from lexalign.errors import LexalignError

RULES = ("words", "whitespace")

Tokeniser = Callable[[str], list[str]]


def tokeniser(rule: str = "words", *, keep_case: bool = False) -> Tokeniser:
    """A function that splits a text into tokens; ``keep_case`` leaves the case unchanged."""
    if rule not in RULES:
        raise LexalignError(f"The `rule` must be one of {RULES}. Got {rule!r} instead.")
    separators = Separators()

    def words(text: str) -> list[str]:
        return text.translate(separators).split()

    split: Tokeniser = words if rule == "words" else str.split

    def tokens(text: str) -> list[str]:
        return split(composed(text if keep_case else text.lower()))

    return tokens


def composed(text: str) -> str:
    """The text in the composed form of Unicode, NFC."""
    return unicodedata.normalize("NFC", text)


class Separators(dict[int, int]):
    """The table of ``str.translate`` that makes blanks of all characters which separate words.

    Each character is classified when it first occurs. This takes half of the time of a regular
    expression.
    """

    def __missing__(self, code: int) -> int:
        """The code itself if it is a letter, a mark or a number; otherwise a blank."""
        belongs = unicodedata.category(chr(code))[0] in "LMN"
        self[code] = code if belongs else ord(" ")
        return self[code]
