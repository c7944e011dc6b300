"""Two corpora as one stream in which neither language outweighs the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.training.corpus import Text
from lexalign.training.counts import Counts


@dataclass(frozen=True)
class BalancedCorpora:
    """The lines of two corpora, always of the one that is behind in tokens.

    Of the larger corpus each line is kept with the probability that makes both equally large, the
    same lines in every pass. So nothing has to be shuffled, and nothing held in memory.
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
        """How many tokens a pass is expected to have."""
        return 2 * min(counts.tokens for counts in self.counts)

    def vocabulary(self, size: int, minimum: int) -> dict[str, int]:
        """The most frequent words of each corpus, with the count to be expected in the stream.

        ``minimum`` is what a word must reach in the part of its corpus that is kept. Nothing else
        decides which words there are: no dictionary is looked at.
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
        """That of both, in their order, and the seed."""
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
