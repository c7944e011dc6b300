"""An initial dictionary without seeds: pairs of words with similar similarity distributions.

A word and its translation have similar relations to the other words of their languages. The sorted
row of a word in (XXᵀ)^(1/2) describes these relations without naming the words. So these rows can
be compared across languages without any dictionary.

Source: Artetxe, Labaka & Agirre 2018b, "A robust self-learning method for fully unsupervised
cross-lingual mappings of word embeddings".
"""

from __future__ import annotations

import numpy as np

from lexalign.aligners.pairs import Pairs
from lexalign.arrays import to_device
from lexalign.retrieval import neighbourhood, top_k
from lexalign.spaces.normalise import normalise_rows


def match_by_similarity_distribution(
    source: np.ndarray,
    target: np.ndarray,
    *,
    words: int,
    neighbours: int,
    steps: str,
    device: str = "cpu",
) -> Pairs:
    """The best CSLS match of each of the ``words`` most frequent words, in both directions.

    The profiles are normalised by the same ``steps`` as the vectors (n, d) and (m, d).
    """
    words = min(words, len(source), len(target))
    x, z = (
        to_device(normalise_rows(_profiles(side[:words]), steps), device)
        for side in (source, target)
    )
    rank = np.arange(words)
    forward = top_k(x, z, 1, 0.5 * neighbourhood(z, x, neighbours)).indices[:, 0]
    backward = top_k(z, x, 1, 0.5 * neighbourhood(x, z, neighbours)).indices[:, 0]
    return Pairs(
        np.concatenate((np.column_stack((rank, forward)), np.column_stack((backward, rank))))
    )


def _profiles(vectors: np.ndarray) -> np.ndarray:
    """The sorted rows of (XXᵀ)^(1/2) = U S Uᵀ, with USVᵀ the SVD of X; (n, n), float32."""
    left, lengths, _ = np.linalg.svd(vectors.astype(np.float64), full_matrices=False)
    left = left.astype(np.float32)
    return np.sort((left * lengths.astype(np.float32)) @ left.T, axis=1)
