"""Procrustes problems with known answers."""

from __future__ import annotations

import numpy as np

from tests.conftest import small_rotation


def planted(
    pairs: int = 300,
    dimension: int = 12,
    outliers: float = 0.0,
    noise: float = 0.0,
    tilt: float = 0.5,
    seed: int = 0,
    dtype: type = np.float32,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, B and the rotation M with AM = B up to noise and a share of unrelated pairs."""
    generator = np.random.default_rng(seed)
    a = generator.standard_normal((pairs, dimension))
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    rotation = small_rotation(dimension, tilt, generator)
    b = a @ rotation + noise * generator.standard_normal(a.shape)
    wrong = generator.permutation(pairs)[: round(outliers * pairs)]
    b[wrong] = b[np.roll(wrong, 1)]
    return a.astype(dtype), b.astype(dtype), rotation
