"""Whether two spaces are aligned at all, judged without a dictionary.

Mutual pairs are found between any two clouds of points, also where nothing was aligned. In a common
space a word is about as near to its translation as to the nearest word of its own language; in
spaces that have nothing to do with each other the pairs are much farther apart than that.
"""

from __future__ import annotations

import numpy as np

from lexalign.retrieval import MutualPairs, top_k
from lexalign.retrieval.search import similarities
from lexalign.spaces.arrays import Array

PAIRS_LOOKED_AT = 500
DOUBTFUL_RATIO = 0.5


def doubt(source: Array, target: Array, mutual: MutualPairs, max_rank: int) -> str | None:
    """A sentence if the surest pairs are less than half as similar as words of one language."""
    pairs = mutual.pairs[:PAIRS_LOOKED_AT]
    words = source[pairs[:, 0]]
    across = float(similarities(words, target, pairs[:, 1:]).mean())
    frequent = source[:max_rank]
    if len(pairs) < 10 or int(frequent.shape[0]) < 2:
        return None
    within = float(np.mean(top_k(words, frequent, 2).scores[:, 1]))
    if across >= DOUBTFUL_RATIO * within:
        return None
    return (
        f"The mutual pairs have a mean similarity of {across:.2f}, but words of one language "
        f"{within:.2f} to their nearest neighbour, which is what two spaces look like that are not "
        "aligned; align them first, or measure with 'lexalign evaluate' before you use the result."
    )
