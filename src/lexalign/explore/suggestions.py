"""Words by their beginnings, and words that were probably meant.

Spelling is compared without case and accents, so that "munchen" finds "München". Everything here
looks at few words, the frequent ones first, to answer while somebody types.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

LONGEST_COMPARED = 40
LETTERS_PER_SLIP = 3
MOST_SLIPS = 3


def folded(word: str) -> str:
    """The word without case and accents, as it is compared; itself if it is so already."""
    if word.isascii():
        lower = word.lower()
    else:
        parts = unicodedata.normalize("NFKD", word.casefold())
        lower = "".join(part for part in parts if not unicodedata.combining(part))
    return word if lower == word else lower


def slips(word: str, other: str) -> int:
    """The number of slips between two words: a letter too much, missing, wrong, or exchanged."""
    return int(OSA.distance(folded(word), folded(other)))


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
        self._by_frequency = spelled

    def beginning_with(self, prefix: str, count: int) -> list[str]:
        """The most frequent words that begin like this, the exact spelling first."""
        rows = self._range(folded(prefix))
        some = np.sort(rows if len(rows) <= count else np.partition(rows, count)[:count])
        found = [self._words[row] for row in some]
        return sorted(found, key=lambda word: word != prefix)

    def in_other_case(self, word: str) -> str | None:
        """The most frequent word that differs only in case, None if there is none."""
        wanted = word.casefold()
        alike = (self._words[row] for row in np.sort(self._alike(folded(word))))
        return next((other for other in alike if other.casefold() == wanted), None)

    def close_to(self, word: str, count: int) -> list[str]:
        """Words that were probably meant: other cases and accents, then fewest slips."""
        wanted = folded(word)
        found = [self._words[row] for row in np.sort(self._alike(wanted))[:count]]
        if len(found) < count and 0 < len(wanted) <= LONGEST_COMPARED:
            found += self._similar(wanted, count)
        return list(dict.fromkeys(other for other in found if other != word))[:count]

    def _alike(self, wanted: str) -> np.ndarray:
        """The rows of the words with this folded spelling."""
        return self._rows[bisect_left(self._spelled, wanted) : bisect_right(self._spelled, wanted)]

    def _similar(self, wanted: str, count: int) -> list[str]:
        """The words with the fewest slips, the frequent ones of as many slips first."""
        most = min(MOST_SLIPS, max(1, len(wanted) // LETTERS_PER_SLIP))
        found = extract(
            wanted,
            self._by_frequency,
            scorer=OSA.distance,
            processor=None,
            score_cutoff=most,
            limit=4 * count,
        )
        ordered = sorted((distance, row) for _, distance, row in found if distance)
        return [self._words[row] for _, row in ordered[:count]]

    def _range(self, prefix: str) -> np.ndarray:
        """The rows of the words whose folded spelling begins with this."""
        start = bisect_left(self._spelled, prefix)
        stop = bisect_right(self._spelled, prefix, lo=start, key=lambda word: word[: len(prefix)])
        return self._rows[start:stop]
