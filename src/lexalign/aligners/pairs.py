"""Word pairs by their ranks: what aligners learn from and what they find."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexalign.vectors import Embeddings, Lexicon
from lexalign.vectors.lexicon import require_direction, require_lexicon


@dataclass(frozen=True)
class Pairs:
    """Word pairs as rows: ``rows`` (n, 2) in source and target, perhaps with ``weights`` (n,)."""

    rows: np.ndarray
    weights: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def lexicon(self, source: Embeddings, target: Embeddings) -> Lexicon:
        """The same pairs as words."""
        one, other = source.words, target.words
        return Lexicon([(one[i], other[j]) for i, j in self.rows.tolist()], self.weights)


NO_SEEDS = Pairs(np.empty((0, 2), dtype=np.int64))


def known_seeds(source: Embeddings, target: Embeddings, lexicon: Lexicon) -> Pairs:
    """The seeds that have vectors on both sides, at least one."""
    require_lexicon(lexicon)
    require_direction(lexicon.pairs, source.index, target.index)
    found = lexicon.indices(source, target)
    return Pairs(found.pairs, found.weights)
