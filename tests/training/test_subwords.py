"""Words have the parts and the hashes that fastText gives them."""

import numpy as np
import pytest

from lexalign.training.subwords import Subwords, hashes, pieces


def test_the_parts_of_a_word():
    assert pieces("ab") == ["<ab", "<ab>", "ab>"]
    assert pieces("a") == ["<a>"]
    assert len(pieces("water")) == 5 + 4 + 3 + 2
    assert "<wa" in pieces("water")
    assert "water>" in pieces("water")


@pytest.mark.parametrize("text", ["<wa", "", "ß", "вода", "水<", "a\0b", "\U0001f600"])
def test_hashes_are_those_of_fasttext(text):
    from gensim.models.fasttext_inner import ft_hash_bytes

    assert hashes([text, "other"])[0] == ft_hash_bytes(text.encode())


def test_words_are_cut_as_gensim_cuts_them():
    from gensim.models.fasttext import ft_ngram_hashes

    words = ["water", "é", "straßenbahn"]
    subwords = Subwords.of(words, 1000)
    for row, word in enumerate(words):
        found = subwords.parts[subwords.starts[row] :][: subwords.counts[row]]
        assert found[0] == row
        assert sorted(found[1:] - len(words)) == sorted(ft_ngram_hashes(word, 3, 6, 1000))


def test_without_buckets_a_word_is_its_only_part():
    subwords = Subwords.of(["a", "b"], 0)
    np.testing.assert_array_equal(subwords.parts, [0, 1])
    np.testing.assert_array_equal(subwords.counts, [1, 1])
