"""A character model of word pairs: how letters of one language correspond to letters of the other.

A memoryless transducer generates a pair of words (x, y) by operations that replace a letter a of x
by a letter b of y, drop a, or insert b. Its joint probability sums over all sequences of
operations,

    P(x, y) = Σ Π p(aᵢ → bᵢ),   found by dynamic programming over the prefixes,

and is compared with P(x)·P(y), the probability of two unrelated words. Most translations are not
related in form. So the training pairs are a mixture of related and unrelated pairs. EM estimates
the operations and the share of related pairs together.

Source: Ristad & Yianilos 1998, "Learning String-Edit Distance"; the mixture is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from lexalign.arrays import blocks
from lexalign.induction.spelling import romanised

LETTERS = 80
"""Rarer letters are treated as one letter."""

LONGEST = 24
ROUNDS = 8
SMOOTHING = 20.0
KEPT = 0.8
"""Share of replacements. It is fixed: otherwise unrelated words would count as related, by dropping
all letters of one word and inserting all letters of the other.
"""

PAIRS_AT_ONCE = 8192
RELATED_AT_FIRST = 0.3


@dataclass(frozen=True)
class Alphabet:
    """The letters of a language by number; 0 means a rare letter."""

    numbers: dict[str, int]

    @classmethod
    def of(cls, words: Sequence[str]) -> Alphabet:
        """The most frequent letters of these words."""
        counts = Counter(letter for word in words for letter in word)
        ordered = sorted(counts, key=lambda letter: (-counts[letter], letter))[:LETTERS]
        return cls({letter: number for number, letter in enumerate(ordered, start=1)})

    def __len__(self) -> int:
        return len(self.numbers) + 1

    def encoded(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Words as rows of letters, (n, LONGEST) int16, and their lengths."""
        letters = np.zeros((len(words), LONGEST), dtype=np.int16)
        lengths = np.zeros(len(words), dtype=np.int16)
        for row, word in enumerate(words):
            found = [self.numbers.get(letter, 0) for letter in word[:LONGEST]]
            letters[row, : len(found)], lengths[row] = found, len(found)
        return letters, lengths

    def shares(self, words: Sequence[str]) -> np.ndarray:
        """The frequency of each letter."""
        letters, lengths = self.encoded(words)
        inside = np.arange(LONGEST)[None, :] < lengths[:, None]
        return _normed(np.bincount(letters[inside], minlength=len(self)) + 0.5)


@dataclass(frozen=True)
class LetterTables:
    """The two alphabets, their letter frequencies, and the probabilities of all operations.

    ``replace`` is (a, b), ``drop`` (a,) and ``insert`` (b,); together they sum to 1. ``related`` is
    the share of related pairs among the training pairs.
    """

    alphabets: tuple[Alphabet, Alphabet]
    shares: tuple[np.ndarray, np.ndarray]
    replace: np.ndarray
    drop: np.ndarray
    insert: np.ndarray
    related: float = RELATED_AT_FIRST

    @classmethod
    def at_first(cls, source: Sequence[str], target: Sequence[str]) -> LetterTables:
        """Initial tables: letters with the same Latin form replace each other."""
        alphabets = Alphabet.of(source), Alphabet.of(target)
        shares = alphabets[0].shares(source), alphabets[1].shares(target)
        names = [["", *romanised(list(alphabet.numbers))] for alphabet in alphabets]
        alike = np.array([[a == b and a != "" for b in names[1]] for a in names[0]], dtype=float)
        chance, edge = np.outer(*shares), (1 - KEPT) / 2
        replace = KEPT * (0.75 * _normed(alike * np.sqrt(chance) + 1e-12) + 0.25 * chance)
        return cls(alphabets, shares, replace, edge * shares[0], edge * shares[1])

    @property
    def swapped(self) -> LetterTables:
        """The tables from target to source."""
        return LetterTables(
            self.alphabets[::-1],
            self.shares[::-1],
            self.replace.T,
            self.insert,
            self.drop,
            self.related,
        )


class LetterModel:
    """The log-odds that two words are related in form.

    Parameters
    ----------
    source, target : sequences of str
        The vocabularies.
    tables : LetterTables, optional
        The tables of a fitted model.
    """

    def __init__(
        self, source: Sequence[str], target: Sequence[str], tables: LetterTables | None = None
    ) -> None:
        self.tables = tables or LetterTables.at_first(source, target)
        self._words = tuple(
            alphabet.encoded(words)
            for alphabet, words in zip(self.tables.alphabets, (source, target), strict=True)
        )

    @property
    def swapped(self) -> LetterModel:
        """The model from target to source."""
        other = copy(self)
        other.tables, other._words = self.tables.swapped, self._words[::-1]
        return other

    def fit(self, rows: np.ndarray, keys: np.ndarray) -> LetterModel:
        """Return a copy that is fitted to pairs, some of which are related."""
        other = copy(self)
        for _ in range(ROUNDS):
            counts, odds = _Counts(other.tables), list[np.ndarray]()
            for some in blocks(len(rows), PAIRS_AT_ONCE):
                odds.append(other._expect(rows[some], keys[some], counts))
            related = float(np.clip(np.concatenate(odds).mean(), 0.01, 0.99))
            other.tables = counts.tables(related)
        return other

    def log_odds(self, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The log-odds log P(x, y) / P(x)P(y) of each pair, per letter of both words, float32."""
        found = np.empty(len(rows), dtype=np.float32)
        (_, one), (_, other) = self._words
        order = np.lexsort((other[keys], one[rows]))
        for block in blocks(len(rows), PAIRS_AT_ONCE):
            some = order[block]
            table, lengths = self._forward(rows[some], keys[some])
            joint = table[lengths[0], lengths[1], np.arange(len(some))]
            chance = self._chance(rows[some], keys[some])
            found[some] = (np.log(np.maximum(joint, 1e-300)) - chance) / (1 + sum(lengths))
        return found

    def _chance(self, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Log P(x)P(y), with independent letters."""
        total = np.zeros(len(rows))
        for (letters, lengths), shares, chosen in zip(
            self._words, self.tables.shares, (rows, keys), strict=True
        ):
            inside = np.arange(LONGEST)[None, :] < lengths[chosen][:, None]
            total += (np.log(shares)[letters[chosen]] * inside).sum(axis=1)
        return total

    def _letters(self, rows: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The letters of both words of every pair, (LONGEST, pairs)."""
        (one, _), (other, _) = self._words
        return one[rows].T.astype(np.int64), other[keys].T.astype(np.int64)

    def _forward(
        self, rows: np.ndarray, keys: np.ndarray
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """Probabilities of all pairs of prefixes, (i, j, pair), and the lengths."""
        x, y = self._letters(rows, keys)
        lengths = self._words[0][1][rows].astype(int), self._words[1][1][keys].astype(int)
        height, width = max(lengths[0], default=0), max(lengths[1], default=0)
        table = np.zeros((height + 1, width + 1, len(rows)))
        table[0, 0] = 1
        drop, insert = self.tables.drop[x[:height]], self.tables.insert[y[:width]]
        for i in range(height + 1):
            if i:
                table[i] += table[i - 1] * drop[i - 1]
                table[i, 1:] += table[i - 1, :-1] * self.tables.replace[x[i - 1], y[:width]]
            for j in range(1, width + 1):
                table[i, j] += table[i, j - 1] * insert[j - 1]
        return table, lengths

    def _expect(self, rows: np.ndarray, keys: np.ndarray, counts: _Counts) -> np.ndarray:
        """Add the expected operations of these pairs; return how likely each pair is related."""
        x, y = self._letters(rows, keys)
        ahead, lengths = self._forward(rows, keys)
        pairs = np.arange(len(rows))
        joint = ahead[lengths[0], lengths[1], pairs]
        chance = np.exp(self._chance(rows, keys))
        related = self.tables.related
        odds = related * joint / (related * joint + (1 - related) * chance + 1e-300)
        weight = odds / np.maximum(joint, 1e-300)
        behind = np.zeros_like(ahead)
        behind[lengths[0], lengths[1], pairs] = 1
        height, width = ahead.shape[0] - 1, ahead.shape[1] - 1
        for i in range(height, -1, -1):
            for j in range(width, -1, -1):
                here = behind[i, j]
                if i < height:
                    here += behind[i + 1, j] * self.tables.drop[x[i]]
                if j < width:
                    here += behind[i, j + 1] * self.tables.insert[y[j]]
                if i < height and j < width:
                    here += behind[i + 1, j + 1] * self.tables.replace[x[i], y[j]]
                mass = ahead[i, j] * weight
                if i < height:
                    counts.add_drop(x[i], mass * behind[i + 1, j])
                if j < width:
                    counts.add_insert(y[j], mass * behind[i, j + 1])
                if i < height and j < width:
                    counts.add_replace(x[i], y[j], mass * behind[i + 1, j + 1])
        return np.asarray(odds)


class _Counts:
    """Expected numbers of operations."""

    def __init__(self, tables: LetterTables) -> None:
        self._tables = tables
        self._replace, self._drop, self._insert = (
            np.zeros_like(part) for part in (tables.replace, tables.drop, tables.insert)
        )

    def add_replace(self, x: np.ndarray, y: np.ndarray, mass: np.ndarray) -> None:
        """Add replacements; ``mass`` is their probability without that of the operation."""
        codes, shape = x * self._replace.shape[1] + y, self._replace.shape
        self._replace += np.bincount(codes, mass, self._replace.size).reshape(shape)

    def add_drop(self, x: np.ndarray, mass: np.ndarray) -> None:
        """Add dropped letters."""
        self._drop += np.bincount(x, mass, len(self._drop))

    def add_insert(self, y: np.ndarray, mass: np.ndarray) -> None:
        """Add inserted letters."""
        self._insert += np.bincount(y, mass, len(self._insert))

    def tables(self, related: float) -> LetterTables:
        """The smoothed operation probabilities of these counts."""
        now, edge = self._tables, (1 - KEPT) / 2
        one, other = now.shares
        return replace(
            now,
            replace=KEPT * _normed(self._replace * now.replace + SMOOTHING * np.outer(one, other)),
            drop=edge * _normed(self._drop * now.drop + SMOOTHING * one),
            insert=edge * _normed(self._insert * now.insert + SMOOTHING * other),
            related=related,
        )


def _normed(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.sum())
