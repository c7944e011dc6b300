"""Full-size vocabularies made from the embedded demonstration vectors."""

from __future__ import annotations

import numpy as np

from lexalign.aligners import Procrustes
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.vectors import Embeddings


def aligned_demo() -> tuple[Embeddings, Embeddings]:
    """The demonstration pair in one space, 10,000 words a side."""
    alignment = Procrustes(rounds=3).fit(
        demo_embeddings("en"), demo_embeddings("de"), demo_lexicon("seeds")
    )
    return alignment.source, alignment.target


def enlarged(words: Embeddings, rows: int, seed: int) -> Embeddings:
    """As many rows as asked for: after the real words come rare ones.

    A rare word is a real one blended with two others and some noise, as inflections, names and
    misspellings are to the frequent words they resemble.
    """
    generator = np.random.default_rng(seed)
    count, rare = len(words), rows - len(words)
    matrix = np.empty((rows, words.dimension), dtype=np.float32)
    matrix[: min(rows, count)] = words.matrix[:rows]
    for start in range(0, max(rare, 0), 10_000):
        block = matrix[count + start : count + min(start + 10_000, rare)]
        parents = generator.integers(0, count, (3, len(block)))
        noise = generator.standard_normal(block.shape, dtype=np.float32)
        block[:] = words.matrix[parents[0]]
        block += 0.5 * words.matrix[parents[1]] + 0.25 * words.matrix[parents[2]]
        block += 0.5 / np.sqrt(words.dimension) * noise
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    names = [*words.words[:rows], *(f"rare{seed}_{number}" for number in range(max(rare, 0)))]
    return Embeddings(names, matrix)
