from __future__ import annotations

import sys

import numpy as np
import pytest

from lexalign.errors import InputError, MissingExtraError
from lexalign.vectors import Embeddings

from .samples import MATRIX, WORDS, assert_same, tiny


def test_lookup_and_length():
    embeddings = tiny()
    assert len(embeddings) == 5
    assert embeddings.dimension == 2
    assert embeddings.index["das"] == 2
    assert "das" in embeddings
    assert "den" not in embeddings
    np.testing.assert_array_equal(embeddings["die"], MATRIX[1])
    assert repr(embeddings) == "Embeddings(5 words x 2, language='de')"


def test_unknown_word_is_named():
    with pytest.raises(InputError, match="'den' is not among the 5 words of language 'de'"):
        tiny()["den"]


def test_matrix_is_not_copied_and_only_our_view_is_read_only():
    matrix = MATRIX.copy()
    embeddings = Embeddings(WORDS, matrix)
    assert np.shares_memory(matrix, embeddings.matrix)
    assert matrix.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        embeddings.matrix[0, 0] = 1


def test_top_is_a_view():
    embeddings = tiny()
    top = embeddings.top(2)
    assert list(top.words) == WORDS[:2]
    assert np.shares_memory(top.matrix, embeddings.matrix)
    assert (top.language, top.normalisation) == ("de", ("unit", "centre"))
    assert len(embeddings.top(99)) == 5
    with pytest.raises(InputError, match="at least 1"):
        embeddings.top(0)


def test_with_matrix_keeps_the_words():
    other = tiny().with_matrix(np.ones((5, 3)), normalisation=["unit"])
    assert other.dimension == 3
    assert other.matrix.dtype == np.float32
    assert other.normalisation == ("unit",)
    assert tiny().with_matrix(MATRIX).normalisation == ("unit", "centre")


@pytest.mark.parametrize(
    ("words", "matrix", "message"),
    [
        (["a"], np.ones((2, 2)), "1 words do not fit 2 vectors"),
        (["a"], np.ones(2), "two-dimensional"),
        (["a"], np.array([["x"]]), "real numbers"),
        ([], np.ones((0, 2)), "need at least one word and one dimension"),
        (["a"], np.ones((1, 0)), "need at least one word and one dimension"),
        (["a", "b"], [[1.0], [np.nan]], "the vector of 'b' in row 1"),
        (["a"], np.array([[1e39]]), "the vector of 'a' in row 0"),
        (["a", "b", "a"], np.ones((3, 1)), "'a' appears 2 times"),
    ],
)
def test_invalid_embeddings(words, matrix, message):
    with pytest.raises(InputError, match=message):
        Embeddings(words, matrix)


def test_infinity_far_down_is_found():
    matrix = np.ones((20_000, 2), dtype=np.float32)
    matrix[19_999, 1] = np.inf
    with pytest.raises(InputError, match="row 19999"):
        Embeddings([str(row) for row in range(20_000)], matrix)


def test_gensim_and_back():
    assert_same(Embeddings.from_gensim(tiny().to_gensim()), tiny())


def test_gensim_keys_must_be_strings():
    class Numbered:
        index_to_key = (1, 2)
        vectors = np.ones((2, 2))

    with pytest.raises(InputError, match="not strings"):
        Embeddings.from_gensim(Numbered())


def test_missing_gensim_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingExtraError, match=r"lexalign\[train\]"):
        tiny().to_gensim()
