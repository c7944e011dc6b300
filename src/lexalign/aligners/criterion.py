"""How well two spaces match, without a dictionary: what unsupervised methods select by.

Source: the validation criterion of Conneau et al. 2018.
"""

from __future__ import annotations

import numpy as np

from lexalign.retrieval import neighbourhood, top_k
from lexalign.retrieval.search import similarities
from lexalign.spaces.arrays import to_device
from lexalign.spaces.normalise import unit_rows


def matching_similarity(
    source: np.ndarray,
    target: np.ndarray,
    *,
    words: int = 10_000,
    neighbours: int = 10,
    device: str = "cpu",
) -> float:
    """The mean cosine of the ``words`` most frequent source words and their best matches by CSLS.

    ``source`` (n, d) is mapped; the matches are sought among as many targets (m, d).
    """
    x, z = (to_device(unit_rows(side[:words]), device) for side in (source, target))
    k = min(neighbours, len(x), len(z))
    matches = top_k(x, z, 1, 0.5 * neighbourhood(z, x, k)).indices
    return float(similarities(x, z, matches).mean())
