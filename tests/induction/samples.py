"""Small pairs of languages whose translations are known."""

from __future__ import annotations

import numpy as np

from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import random_rotation

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def made_up_words(count: int, generator: np.random.Generator) -> list[str]:
    """Different words of four to eight letters."""
    words = dict[str, None]()
    while len(words) < count:
        length = generator.integers(4, 9)
        words["".join(generator.choice(list(LETTERS), length))] = None
    return list(words)


def noisy_pair(
    words: int = 600, dimension: int = 30, noise: float = 0.5, seed: int = 0
) -> tuple[Embeddings, Embeddings, Lexicon]:
    """Row i translates row i: a rotation with noise, and every third word is spelled alike."""
    generator = np.random.default_rng(seed)
    base = generator.standard_normal((words, dimension))
    rotation = random_rotation(dimension, generator)
    sides = (base, base @ rotation)
    one, other = (side + noise * generator.standard_normal(side.shape) for side in sides)
    names = made_up_words(2 * words, generator)
    source, target = names[:words], names[words:]
    target[::3] = [f"{word}o" for word in source[::3]]
    return (
        Embeddings(source, one.astype(np.float32)),
        Embeddings(target, other.astype(np.float32)),
        Lexicon(list(zip(source, target, strict=True))),
    )


def some_of(lexicon: Lexicon, step: int) -> tuple[Lexicon, Lexicon]:
    """Every ``step``-th pair for a test, and the others as seeds."""
    pairs = lexicon.pairs
    seeds = [pair for number, pair in enumerate(pairs) if number % step]
    return Lexicon(seeds), Lexicon(pairs[::step])


def unit_rows(rows: int, dimension: int, seed: int = 0) -> np.ndarray:
    """Random directions, float32."""
    matrix = np.random.default_rng(seed).standard_normal((rows, dimension))
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def with_identical(
    source: Embeddings, target: Embeddings, step: int, *, numerals: bool = False
) -> tuple[Embeddings, Embeddings]:
    """The same pair, but every ``step``-th translation is an identical word, or a numeral."""
    one, other = list(source.words), list(target.words)
    for row in range(0, len(one), step):
        one[row] = other[row] = str(1000 + row) if numerals else one[row]
    return Embeddings(one, source.matrix), Embeddings(other, target.matrix)
