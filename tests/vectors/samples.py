"""What the tests of this folder share: five words, odd words, odd numbers, every way to write."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lexalign.vectors import Embeddings

WORDS = ["der", "die", "das", "Straße", "naïve"]
MATRIX = np.array(
    [[0.5, -1.0], [0.25, 3e-5], [1e-45, -0.0], [3.4028235e38, 7.0], [0.1, 1 / 3]], dtype=np.float32
)
WRITABLE = ("a.vec", "a.txt", "a.vec.gz", "a.txt.bz2", "a.vec.xz", "a.bin", "a.npz", "a")

_CHARACTERS = st.one_of(
    st.sampled_from(
        "aZ1.#\"'\\,;|_- \t\v\f\xa0\x85\u2028\u3000\ufeff\x00\u0301\u05d0\u0627\U0001f600"
    ),
    st.characters(exclude_categories=["Cs"]),
)
_NUMBER_AFTER_BLANK = re.compile(r"[ \t\v\f]\S*(\d|nan|inf)", re.IGNORECASE)
odd_floats = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.sampled_from([-0.0, 1e-45, -1e-45, 1.1754942e-38, 3.4028235e38, 16777216.0, 0.1]).map(
        lambda number: float(np.float32(number))
    ),
)


def words_for(name: str) -> st.SearchStrategy[str]:
    """Odd words that a file of this name can hold."""
    words = st.text(_CHARACTERS, min_size=1, max_size=6).filter(
        lambda word: "\n" not in word and "\r" not in word
    )
    if name == "a.bin":
        return words.filter(lambda word: " " not in word)
    if name == "a.npz":
        return words.filter(lambda word: not word.endswith("\0"))
    if name == "a":
        return words
    return words.map(lambda word: word.strip(" \t\v\f")).filter(
        lambda word: word and not _NUMBER_AFTER_BLANK.search(word)
    )


@st.composite
def embeddings_for(draw: st.DrawFn, name: str) -> Embeddings:
    """Small embeddings that a file of this name can hold."""
    words = draw(st.lists(words_for(name), min_size=1, max_size=6, unique=True))
    shape = (len(words), draw(st.integers(1, 4)))
    return Embeddings(words, draw(arrays.arrays(np.float32, shape, elements=odd_floats)))


def tiny() -> Embeddings:
    """Five words in two dimensions."""
    return Embeddings(WORDS, MATRIX, language="de", normalisation=("unit", "centre"))


def assert_same(left: Embeddings, right: Embeddings) -> None:
    """The same words and the same bits."""
    assert list(left.words) == list(right.words)
    np.testing.assert_array_equal(left.matrix.view(np.uint32), right.matrix.view(np.uint32))
