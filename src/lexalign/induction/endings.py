"""Endings: which endings of the two languages occur together in translations.

An ending carries the word class and the inflection. Let a be the last k letters of a source word,
and b those of a target word. Word pairs, most of them right, give their association

    log (n(a, b) + c·e(a, b)) / ((1 + c)·e(a, b)),   e(a, b) = n(a)·n(b) / n

the pointwise mutual information, shrunk towards 0 where there are few examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

SIZES = (1, 2, 3)
SHRINKAGE = 1.0
RARE = 1e-3
"""Keeps the association of rare endings small."""


class Endings:
    """The association of the endings of two languages, learned from pairs."""

    def __init__(self, source: Sequence[str], target: Sequence[str]) -> None:
        self._endings = [(_numbered(source, size), _numbered(target, size)) for size in SIZES]
        self._tables = list[_Association]()

    def fit(self, rows: np.ndarray, keys: np.ndarray) -> Endings:
        """Return a copy that has counted the endings of these pairs."""
        other = copy(self)
        other._tables = [_Association(one[rows], two[keys]) for one, two in self._endings]
        return other

    @property
    def swapped(self) -> Endings:
        """The association from target to source."""
        other = copy(self)
        other._endings = [(two, one) for one, two in self._endings]
        other._tables = [table.swapped for table in self._tables]
        return other

    def association(self, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The association of the endings of each pair, (len(rows), sizes), float32."""
        return np.column_stack(
            [
                table.of(one[rows], two[keys])
                for (one, two), table in zip(self._endings, self._tables, strict=True)
            ]
        )


class _Association:
    """Counts of endings, together and alone; computed once."""

    def __init__(self, one: np.ndarray, two: np.ndarray) -> None:
        self._pairs = one, two
        self._width = int(two.max(initial=0)) + 1
        self._alone = np.bincount(one, minlength=1), np.bincount(two, minlength=1)
        self._codes, self._counts = np.unique(one * self._width + two, return_counts=True)

    @property
    def swapped(self) -> _Association:
        return _Association(*self._pairs[::-1])

    def of(self, one: np.ndarray, two: np.ndarray) -> np.ndarray:
        """The association of each pair of endings."""
        seen = len(self._pairs[0])
        if not seen:
            return np.zeros(len(one), dtype=np.float32)
        alone = _count_of(one, self._alone[0]), _count_of(two, self._alone[1])
        known = (alone[0] > 0) & (alone[1] > 0)
        asked = np.where(known, one * self._width + two, -1)
        places = np.minimum(np.searchsorted(self._codes, asked), len(self._codes) - 1)
        together = np.where(self._codes[places] == asked, self._counts[places], 0)
        expected = SHRINKAGE * alone[0] * alone[1] / seen + RARE
        found = np.log((together + expected) / (expected / SHRINKAGE + expected))
        return np.where(known, found, 0.0).astype(np.float32)


def _count_of(endings: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """How often endings occur; one with a number beyond all counts never does."""
    inside = endings < len(counts)
    return np.where(inside, counts[np.where(inside, endings, 0)], 0)


def _numbered(words: Sequence[str], size: int) -> np.ndarray:
    numbers = dict[str, int]()
    return np.array([numbers.setdefault(word[-size:], len(numbers)) for word in words])
