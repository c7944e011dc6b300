"""Candidates: possible translations of a word, from every view and from spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lexalign.induction.spelling import SpellingIndex
from lexalign.induction.view import AlignedView

PER_VIEW = 30
BY_SPELLING = 5


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of some source words, adjacent for each word, frequent ones first.

    Parameters
    ----------
    rows : int array, shape (n,)
        The source word of each candidate.
    keys : int array, shape (n,)
        The candidate: a row of the target.
    """

    rows: np.ndarray
    keys: np.ndarray

    @classmethod
    def of(
        cls, views: Sequence[AlignedView], spelling: SpellingIndex, words: np.ndarray
    ) -> Candidates:
        """The best candidates of every view by CSLS, and the words of most similar spelling."""
        found = [view.best(words, PER_VIEW) for view in views]
        found.append(spelling.best(words, BY_SPELLING))
        keys = np.sort(np.concatenate(found, axis=1), axis=1)
        new = keys >= 0
        new[:, 1:] &= keys[:, 1:] != keys[:, :-1]
        return cls(np.repeat(words.astype(np.int64), new.sum(axis=1)), keys[new].astype(np.int64))

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def starts(self) -> np.ndarray:
        """The index of the first candidate of each word."""
        changes = self.rows[1:] != self.rows[:-1]
        return np.flatnonzero(np.r_[True, changes][: len(self.rows)])

    @cached_property
    def counts(self) -> np.ndarray:
        """The number of candidates of every word."""
        return np.diff(np.append(self.starts, len(self.rows)))

    @cached_property
    def words(self) -> np.ndarray:
        """The source words, each once."""
        return np.asarray(self.rows[self.starts])

    def highest(self, scores: np.ndarray) -> np.ndarray:
        """The highest score among the candidates of the same word."""
        return np.repeat(np.maximum.reduceat(scores, self.starts), self.counts)

    def total(self, weights: np.ndarray) -> np.ndarray:
        """The sum over the candidates of the same word."""
        return np.repeat(np.add.reduceat(weights, self.starts), self.counts)

    def places(self, scores: np.ndarray) -> np.ndarray:
        """The place of each candidate of a word by descending score, counted from 0."""
        groups = np.repeat(np.arange(len(self.starts)), self.counts)
        order = np.lexsort((-scores, groups))
        places = np.empty(len(scores), dtype=np.int64)
        places[order] = np.arange(len(scores)) - np.repeat(self.starts, self.counts)
        return places

    def lead(self, scores: np.ndarray) -> np.ndarray:
        """The margin of each candidate over the best other candidate of its word."""
        best, places = self.highest(scores), self.places(scores)
        second = self.highest(np.where(places == 0, -np.inf, scores))
        second = np.where(np.isfinite(second), second, scores)
        return scores - np.where(places == 0, second, best)

    def right(self, pairs: np.ndarray) -> np.ndarray:
        """Whether each candidate is among these pairs, (m, 2) rows."""
        width = 1 + max(int(self.keys.max(initial=0)), int(pairs[:, 1].max(initial=0)))
        return np.isin(self.rows * width + self.keys, pairs[:, 0] * width + pairs[:, 1])
