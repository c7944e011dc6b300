"""Sentences as numbers: the known words, in batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lexalign.evaluation.nli.examples import Examples
from lexalign.vectors.tokens import Tokeniser

LONGEST = 128
"""Maximum number of known words per sentence; later words are cut off."""

POOL = 64
"""Number of batches that are drawn together and sorted by length."""

NOTHING = -1
"""The row of a sentence without known words; its vector is zero."""


class TokenCoverage(NamedTuple):
    """Counts of tokens, known tokens, sentences without known words, and shortened sentences."""

    tokens: int
    known: int
    empty: int
    cut: int


class Batch(NamedTuple):
    """Pairs in the layout of an LSTM: the first words of all sentences, then the second words, ...

    The sentences are the premises, then the hypotheses, with ``lengths`` (2n,). ``rows`` are the
    words of all sentences, longest sentence first. ``sizes`` counts the sentences with a first
    word, a second word, and so on. ``places`` gives the place of each word in a matrix of sentences
    × ``width``.
    """

    rows: np.ndarray
    sizes: np.ndarray
    places: np.ndarray
    lengths: np.ndarray
    width: int


@dataclass(frozen=True)
class Sentences:
    """Rows of vectors, sentence after sentence; number i is ``rows[starts[i]:starts[i + 1]]``."""

    rows: np.ndarray
    starts: np.ndarray

    @cached_property
    def lengths(self) -> np.ndarray:
        """The number of words of each sentence."""
        return np.diff(self.starts)


@dataclass(frozen=True)
class EncodedPairs:
    """Labelled pairs as rows of a vocabulary.

    Words without a vector are left out. The first half of ``sentences`` are premises, the second
    half hypotheses.
    """

    sentences: Sentences
    labels: np.ndarray
    coverage: TokenCoverage

    def __len__(self) -> int:
        return len(self.labels)

    def order(self, size: int, random: np.random.Generator | None = None) -> Iterator[np.ndarray]:
        """The numbers of the pairs in batches of similar length, optionally in random order."""
        lengths = self.sentences.lengths.reshape(2, -1).max(axis=0)
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

    def batch(self, chosen: np.ndarray) -> Batch:
        """The chosen pairs."""
        both = np.concatenate((chosen, chosen + len(self)))
        lengths = self.sentences.lengths[both]
        width = int(lengths.max())
        longest_first = np.argsort(-lengths, kind="stable")
        sizes = np.searchsorted(np.sort(lengths), np.arange(width), side="right")
        sizes = len(both) - sizes
        word = np.repeat(np.arange(width), sizes)
        sentence = longest_first[np.arange(len(word)) - np.repeat(np.cumsum(sizes) - sizes, sizes)]
        rows = self.sentences.rows[self.sentences.starts[both][sentence] + word]
        return Batch(rows, sizes, sentence * width + word, lengths, width)


def encode(examples: Examples, index: Mapping[str, int], tokenise: Tokeniser) -> EncodedPairs:
    """Encode pairs by the rows of their words in ``index``."""
    rows, starts, counts = list[int](), [0], np.zeros(4, dtype=np.int64)

    def add(texts: Sequence[str]) -> None:
        for text in texts:
            tokens = tokenise(text)
            known = [index[token] for token in tokens if token in index]
            counts[:] += len(tokens), len(known), not known, len(known) > LONGEST
            rows.extend(known[:LONGEST] or [NOTHING])
            starts.append(len(rows))

    add([pair.premise for pair in examples.pairs])
    add([pair.hypothesis for pair in examples.pairs])
    return EncodedPairs(
        sentences=Sentences(np.array(rows, dtype=np.int64), np.array(starts, dtype=np.int64)),
        labels=np.array([pair.label for pair in examples.pairs], dtype=np.int64),
        coverage=TokenCoverage(*counts.tolist()),
    )
