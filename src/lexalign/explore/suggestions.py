"""Words by their beginnings, and words that were probably meant.

Spelling is compared without case and accents, so that "munchen" finds "München". Everything here
looks at few words, the frequent ones first, to answer while somebody types.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from difflib import SequenceMatcher, get_close_matches

import numpy as np

COMPARED = 4_000
LONGEST_COMPARED = 40
SIMILAR = 0.7


def folded(word: str) -> str:
    """The word without case and accents, as it is compared; itself if it is so already."""
    if word.isascii():
        lower = word.lower()
    else:
        parts = unicodedata.normalize("NFKD", word.casefold())
        lower = "".join(part for part in parts if not unicodedata.combining(part))
    return word if lower == word else lower


def similarity(word: str, other: str) -> float:
    """From 0 to 1; a little more for the same letters in another order, the commonest slip."""
    one, two = folded(word), folded(other)
    return SequenceMatcher(None, one, two).ratio() + 0.05 * (sorted(one) == sorted(two))


def spellings(word: str) -> list[str]:
    """How a vocabulary may spell a typed word: as it is, composed, decomposed, without blanks."""
    variants = [word, *(unicodedata.normalize(form, word) for form in ("NFC", "NFD"))]
    return list(dict.fromkeys([*variants, *(variant.strip() for variant in variants)]))


class Spelling:
    """The words of one language, in the order of their folded spelling.

    ``words`` are the most frequent first.
    """

    def __init__(self, words: Sequence[str]) -> None:
        spelled = [folded(word) for word in words]
        order = sorted(range(len(words)), key=spelled.__getitem__)
        self._words = words
        self._spelled = [spelled[row] for row in order]
        self._rows = np.array(order, dtype=np.int32)
        self._frequent = spelled[:COMPARED]

    def beginning_with(self, prefix: str, count: int) -> list[str]:
        """The most frequent words that begin like this, the exact spelling first."""
        rows = self._range(folded(prefix))
        some = np.sort(rows if len(rows) <= count else np.partition(rows, count)[:count])
        found = [self._words[row] for row in some]
        return sorted(found, key=lambda word: word != prefix)

    def close_to(self, word: str, count: int) -> list[str]:
        """Words that were probably meant: other cases and accents, then similar spellings."""
        wanted = folded(word)
        alike = self._rows[bisect_left(self._spelled, wanted) : bisect_right(self._spelled, wanted)]
        found = [self._words[row] for row in np.sort(alike)[:count]]
        if len(found) < count and 0 < len(wanted) <= LONGEST_COMPARED:
            found += self._similar(wanted, count - len(found))
        return list(dict.fromkeys(other for other in found if other != word))

    def _similar(self, wanted: str, count: int) -> list[str]:
        """Similar words among the most frequent of all, and of those that begin alike."""
        alike = self._range(wanted[:2])
        some = alike if len(alike) <= COMPARED else np.partition(alike, COMPARED)[:COMPARED]
        reach = max(1, len(wanted) // 3)
        choices: dict[str, int] = {}
        for row, word in enumerate(self._frequent):
            choices.setdefault(word, row)
        for row in np.sort(some).tolist():
            choices.setdefault(folded(self._words[row]), row)
        fitting = [
            other for other in choices if abs(len(other) - len(wanted)) <= reach and other != wanted
        ]
        close = get_close_matches(wanted, fitting, n=count, cutoff=SIMILAR)
        return [self._words[choices[other]] for other in close]

    def _range(self, prefix: str) -> np.ndarray:
        """The rows of the words whose folded spelling begins with this."""
        start = bisect_left(self._spelled, prefix)
        stop = bisect_right(self._spelled, prefix, lo=start, key=lambda word: word[: len(prefix)])
        return self._rows[start:stop]
