"""Sentences as numbers: what of them the vectors know, in batches of like length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexalign.evaluate.nli.examples import Examples
from lexalign.tokens import Tokeniser

LONGEST = 128
"""Tokens of a sentence; what comes after them is cut off."""

POOL = 64
"""Batches that are drawn at a time and sorted by length among each other."""


class Coverage(NamedTuple):
    """Tokens, those with vectors, sentences that have none of these, and those that were cut."""

    tokens: int
    known: int
    empty: int
    cut: int


@dataclass(frozen=True)
class Sentences:
    """Rows of vectors, sentence after sentence; number i is ``rows[starts[i]:starts[i + 1]]``."""

    rows: np.ndarray
    starts: np.ndarray

    def padded(self, chosen: np.ndarray, padding: int) -> tuple[np.ndarray, np.ndarray]:
        """The chosen sentences as a matrix, filled up with ``padding``, and their lengths."""
        begin, lengths = self.starts[chosen], self.lengths[chosen]
        places = begin[:, None] + np.arange(lengths.max())
        inside = np.arange(lengths.max()) < lengths[:, None]
        return np.where(inside, self.rows[np.where(inside, places, 0)], padding), lengths

    @property
    def lengths(self) -> np.ndarray:
        """How many tokens each sentence has."""
        return np.diff(self.starts)


@dataclass(frozen=True)
class Encoded:
    """Labelled pairs in terms of a vocabulary of ``words`` words.

    Words without a vector are left out. A sentence of which nothing is left is one token with the
    row ``words``, whose vector is zero.
    """

    premises: Sentences
    hypotheses: Sentences
    labels: np.ndarray
    words: int
    coverage: Coverage

    def __len__(self) -> int:
        return len(self.labels)

    def batches(self, size: int, random: np.random.Generator | None = None) -> Iterator[np.ndarray]:
        """The numbers of the pairs, in batches of like length; in random order if asked for."""
        lengths = np.maximum(self.premises.lengths, self.hypotheses.lengths)
        if random is None:
            order = np.argsort(lengths, kind="stable")
            yield from (order[start : start + size] for start in range(0, len(self), size))
            return
        order = random.permutation(len(self))
        pools = [order[start : start + POOL * size] for start in range(0, len(self), POOL * size)]
        cut = [
            pool[start : start + size]
            for pool in (pool[np.argsort(lengths[pool], kind="stable")] for pool in pools)
            for start in range(0, len(pool), size)
        ]
        yield from (cut[number] for number in random.permutation(len(cut)))


def encode(examples: Examples, index: Mapping[str, int], tokenise: Tokeniser) -> Encoded:
    """The pairs by the rows of their words in ``index``."""
    counts = [0, 0, 0, 0]

    def sentences(texts: Sequence[str]) -> Sentences:
        rows, starts = list[int](), [0]
        for text in texts:
            tokens = tokenise(text)
            known = [index[token] for token in tokens if token in index]
            for place, amount in enumerate(
                (len(tokens), len(known), not known, len(known) > LONGEST)
            ):
                counts[place] += amount
            rows.extend(known[:LONGEST] or [len(index)])
            starts.append(len(rows))
        return Sentences(np.array(rows, dtype=np.int64), np.array(starts, dtype=np.int64))

    return Encoded(
        premises=sentences([pair.premise for pair in examples.pairs]),
        hypotheses=sentences([pair.hypothesis for pair in examples.pairs]),
        labels=np.array([pair.label for pair in examples.pairs], dtype=np.int64),
        words=len(index),
        coverage=Coverage(*counts),
    )
