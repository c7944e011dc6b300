"""Spelling: romanised words, similar words, and their features."""

import numpy as np
import pytest

from lexalign.induction.spelling import FEATURES, SpellingIndex, romanised

SOURCE = ["moscow", "gorbachev", "house", "schön", "日本"]
TARGET = ["дом", "москва", "горбачев", "house", "schon", "x"]


@pytest.fixture
def spelling():
    return SpellingIndex(SOURCE, TARGET)


def features(spelling, row, key):
    values = spelling.features(np.array([row]), np.array([key]))
    assert values.dtype == np.float32
    return dict(zip(FEATURES, values[0].tolist(), strict=True))


def test_words_of_every_script_become_latin():
    found = romanised(["Москва", "SCHÖN", "abc", ""])
    assert found == ["moskva", "schon", "abc", ""]


def test_the_best_share_most_with_a_word(spelling):
    found = spelling.best(np.array([1, 0, 2]), 2)
    assert found[:, 0].tolist() == [2, 1, 3]
    assert found.shape == (3, 2)


def test_a_word_that_shares_letters_with_none_has_no_candidates():
    found = SpellingIndex(["abc"], ["xyz", "abd"]).best(np.array([0]), 3)
    assert found.tolist() == [[1, -1, -1]]


def test_the_best_are_those_of_the_highest_dice():
    generator = np.random.default_rng(0)
    words = ["".join(generator.choice(list("abcd"), 6)) for _ in range(120)]
    spelling = SpellingIndex(words[:60], words[60:])
    rows, keys = (axis.ravel() for axis in np.mgrid[:60, :60])
    table = spelling.features(rows, keys)[:, FEATURES.index("bigram dice")].reshape(60, 60)
    found = spelling.best(np.arange(60), 3)
    highest = -np.sort(-table, axis=1)[:, :3]
    np.testing.assert_allclose(np.take_along_axis(table, found, axis=1), highest, atol=1e-6)


def test_features_of_words_spelled_alike(spelling):
    same = features(spelling, 3, 4)
    assert same["source length"] == 5
    assert same["length difference"] == 0
    assert all(
        value == pytest.approx(1, abs=1e-6)
        for name, value in same.items()
        if name not in ("source length", "length difference")
    )


def test_features_are_shares(spelling):
    rows, keys = (axis.ravel() for axis in np.mgrid[: len(SOURCE), : len(TARGET)])
    values = spelling.features(rows, keys)[:, :6]
    assert (values >= 0).all()
    assert (values <= 1 + 1e-6).all()
    prefix = features(SpellingIndex(["international"], ["internacional"]), 0, 0)
    assert prefix["common prefix"] == pytest.approx(7 / 13)
    assert prefix["common suffix"] == pytest.approx(5 / 13)
    assert prefix["edit similarity"] == pytest.approx(12 / 13)
    assert prefix["same spelling"] == 0


def test_a_swapped_spelling_compares_the_same_words(spelling):
    rows, keys = (axis.ravel() for axis in np.mgrid[: len(SOURCE), : len(TARGET)])
    one, other = spelling.features(rows, keys), spelling.swapped.features(keys, rows)
    np.testing.assert_allclose(one[:, :6], other[:, :6], atol=1e-6)
    difference = FEATURES.index("length difference")
    np.testing.assert_array_equal(one[:, difference], -other[:, difference])
    assert spelling.swapped.best(np.array([2]), 1).tolist() == [[1]]
