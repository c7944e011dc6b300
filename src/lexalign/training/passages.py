"""A sample of passages from a text of any size, taken while the text is read for other work.

A passage is a line, or 20 words of a longer line. So every part of the text has the same chance,
even if the whole file is one line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

PASSAGES = 2_000
"""Number of sampled passages: the error of a share of 14 % is then 0.8 points."""

PASSAGE_WORDS = 20
LONGEST_PASSAGE = 300
"""Maximum number of characters; text without spaces has words of any length."""


class PassageSample:
    """A uniform random sample of the passages of a text; equal for equal text.

    Passages replace each other as in Li 1994. One comparison skips most passages, so sampling takes
    little time.

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
        """Yield the pieces of a text, each a list of words, and sample passages from them."""
        for piece in pieces:
            first = self._seen
            self._seen += -(-len(piece) // PASSAGE_WORDS)
            while self._next < self._seen:
                start = (self._next - first) * PASSAGE_WORDS
                self._keep(" ".join(piece[start : start + PASSAGE_WORDS])[:LONGEST_PASSAGE])
            yield piece

    def _keep(self, passage: str) -> None:
        """Keep a passage, and choose the number of the next one to keep."""
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
