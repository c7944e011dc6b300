"""A pair whose mutual pairs hold outliers."""

import numpy as np

from lexalign.vectors import Embeddings
from tests.conftest import planted_pair, small_rotation

WORDS, OUTLIERS = 300, 30


def bent_pair() -> tuple[Embeddings, Embeddings]:
    """Translations up to one small rotation, but for the last tenth, which is turned far away."""
    source, target, _ = planted_pair(words=WORDS, dimension=20, noise=0.005, tilt=0.3)
    turn = small_rotation(20, 2.5, np.random.default_rng(1)).astype(np.float32)
    matrix = source.matrix.copy()
    matrix[-OUTLIERS:] = matrix[-OUTLIERS:] @ turn
    return source.with_matrix(matrix), target
