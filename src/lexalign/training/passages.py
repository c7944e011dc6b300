"""A sample of passages from a text of any size, taken while the text is read for another purpose.

A passage is a line, or 20 words of a longer one. So every part of the text has the same chance,
whether it is a line of one sentence or a file in one line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

PASSAGES = 2_000
"""How many passages are looked at: the error of a share of 14 % is then 0.8 points."""

PASSAGE_WORDS = 20
LONGEST_PASSAGE = 300
"""Characters; text without spaces has words of any length."""


class PassageSample:
    """A uniform random sample of the passages of a text, the same for the same text.

    Passages replace each other as by Li 1994: most are skipped by one comparison, so sampling
    costs next to nothing beside the reading.

    Parameters
    ----------
    size : int
        The number of passages to keep.
    seed : int
        Seed of the random numbers.

    Examples
    --------
    >>> sample = PassageSample(2)
    >>> lines = [["a", "b"], ["c"], ["d"], ["e"]]
    >>> list(sample.watch(lines)) == lines, len(sample.passages)
    (True, 2)

    References
    ----------
    .. [1] Li 1994, "Reservoir-Sampling Algorithms of Time Complexity O(n(1 + log(N/n)))".
    """

    def __init__(self, size: int = PASSAGES, seed: int = 0) -> None:
        self.passages = list[str]()
        self._size, self._random = size, np.random.default_rng(seed)
        self._seen, self._next, self._weight = 0, 0, 1.0

    def watch(self, pieces: Iterable[list[str]]) -> Iterator[list[str]]:
        """Give the pieces of a text, each a list of words, and take the sample from them."""
        for piece in pieces:
            first = self._seen
            self._seen += -(-len(piece) // PASSAGE_WORDS)
            while self._next < self._seen:
                start = (self._next - first) * PASSAGE_WORDS
                self._keep(" ".join(piece[start : start + PASSAGE_WORDS])[:LONGEST_PASSAGE])
            yield piece

    def _keep(self, passage: str) -> None:
        """Keep a passage, and find the number of the next one to keep."""
        if len(self.passages) < self._size:
            self.passages.append(passage)
        else:
            self.passages[self._random.integers(self._size)] = passage
        self._next += 1
        if len(self.passages) == self._size:
            # Neither 0 nor 1: these have no logarithm, or skip for ever.
            one, other = np.clip(self._random.random(2), 1e-12, 1 - 1e-12)
            self._weight *= min(math.exp(math.log(one) / self._size), 1 - 1e-12)
            self._next += int(math.log(other) / math.log1p(-self._weight))
