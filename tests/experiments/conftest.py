"""Vectors of three small languages, dictionaries between them, and a grid over all of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexalign import write
from lexalign.vectors import Embeddings
from tests.conftest import random_rotation

WORDS, DIMENSION = 300, 12

GRID = """
title = "Small translation"
source = "nobody"
vectors = "toy"
pairs = ["en-de", "en-fr"]
seeds = [0, 1]
metric = "p@1"

[evaluation]
kind = "translation"
lexicon = "test"
protocol = "muse"

[[aligners]]
label = "Procrustes"
method = "procrustes"
lexicon = "train"

[[aligners]]
label = "VecMap"
method = "vecmap"
preset = "unsupervised"
patience = 5

[[refinements]]
label = "ℓ1"
loss = "l1"
horizon = 5e-3

[published]
"Procrustes-ℓ1" = { en-de = 98.5 }
"""

INPUTS = """
[vectors.toy]
file = "{language}.npz"
title = "toys"

[lexicons]
train = "{source}-{target}.train.txt"
test = "{source}-{target}.test.txt"
"""


def made_language(name: str, generator: np.random.Generator, noise: float) -> Embeddings:
    """The same meanings in a space of its own, each as a word of the language."""
    meanings = np.random.default_rng(0).standard_normal((WORDS, DIMENSION))
    meanings *= np.linspace(2, 0.5, DIMENSION)
    rotated = meanings @ random_rotation(DIMENSION, generator)
    vectors = rotated + noise * generator.standard_normal(rotated.shape)
    return Embeddings([f"{name}{i}" for i in range(WORDS)], vectors.astype(np.float32))


@pytest.fixture
def toys(tmp_path) -> Path:
    """A folder with everything that a grid needs."""
    for number, name in enumerate(("en", "de", "fr")):
        language = made_language(name, np.random.default_rng(number + 1), 0.3)
        write(language, tmp_path / f"{name}.npz")
    for target in ("de", "fr"):
        pairs = [f"en{i} {target}{i}\n" for i in range(WORDS)]
        (tmp_path / f"en-{target}.train.txt").write_text("".join(pairs[:60]))
        (tmp_path / f"en-{target}.test.txt").write_text("".join(pairs[100:250]))
    (tmp_path / "small.toml").write_text(GRID)
    (tmp_path / "inputs.toml").write_text(INPUTS)
    return tmp_path
