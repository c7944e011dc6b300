"""Two corpora as one balanced stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.training.corpus import Text
from lexalign.training.counts import Counts


@dataclass(frozen=True)
class BalancedCorpora:
    """The lines of two corpora; the next line comes from the corpus with fewer tokens so far.

    Each line of the larger corpus is kept with the probability that makes both corpora equal in
    size. Every pass keeps the same lines. So nothing is shuffled or held in memory.
    """

    corpora: tuple[Text, Text]
    counts: tuple[Counts, Counts]
    seed: int = 0

    @property
    def kept(self) -> tuple[float, float]:
        """The share of each corpus that is kept."""
        one, other = (counts.tokens for counts in self.counts)
        return min(one, other) / one, min(one, other) / other

    @property
    def tokens(self) -> int:
        """The expected number of tokens in a pass."""
        return 2 * min(counts.tokens for counts in self.counts)

    def vocabulary(self, size: int, minimum: int) -> dict[str, int]:
        """The most frequent words of each corpus, with their expected count in the stream.

        ``minimum`` is the minimum count of a word in the kept part of its corpus. No dictionary is
        used.
        """
        sides = list(zip(self.kept, self.counts, strict=True))
        words = set[str]()
        for share, counts in sides:
            words.update(counts.most_frequent(size, (minimum - 0.5) / share))
        expected = {
            word: sum(share * counts.words.get(word, 0) for share, counts in sides)
            for word in words
        }
        order = sorted(expected.items(), key=lambda entry: (-entry[1], entry[0]))
        return {word: max(1, round(count)) for word, count in order}

    @property
    def identity(self) -> Any:
        """The identity of both corpora, in order, and the seed."""
        return [*(corpus.identity for corpus in self.corpora), self.seed]

    def __iter__(self) -> Iterator[list[str]]:
        """One pass."""
        streams = [
            _thinned(corpus, share, np.random.default_rng((self.seed, side)))
            for side, (corpus, share) in enumerate(zip(self.corpora, self.kept, strict=True))
        ]
        given = [0, 0]
        while True:
            side = int(given[1] < given[0])
            piece = next(streams[side], None)
            if piece is None:
                yield from streams[1 - side]
                return
            given[side] += len(piece)
            yield piece


def _thinned(
    corpus: Iterable[list[str]], share: float, random: np.random.Generator
) -> Iterator[list[str]]:
    return (piece for piece in corpus if share == 1 or random.random() < share)
