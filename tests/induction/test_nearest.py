"""Nearest words, found when they are needed."""

import numpy as np
import pytest

from lexalign.induction.nearest import NearestWords
from tests.induction.samples import unit_rows


@pytest.fixture
def sides():
    return unit_rows(40, 8), unit_rows(30, 8, seed=1)


def test_rows_and_scores_are_those_of_brute_force(sides):
    queries, keys = sides
    nearest = NearestWords(queries, keys, 5)
    scores = queries @ keys.T
    order = np.argsort(-scores, axis=1)[:, :5]
    for asked in ([7, 3, 7], [3, 0], list(range(40))):
        rows = np.array(asked)
        np.testing.assert_array_equal(nearest.rows(rows), order[rows])
        expected = np.take_along_axis(scores, order, axis=1)[rows]
        np.testing.assert_allclose(nearest.scores(rows), expected, atol=1e-6)


@pytest.mark.parametrize(("few", "share"), [(256, 32), (256, 3), (0, 32)])
def test_the_blocks_of_a_search_do_not_matter(sides, monkeypatch, few, share):
    monkeypatch.setattr("lexalign.induction.nearest.FEW_WORDS", few)
    monkeypatch.setattr("lexalign.induction.nearest.WORDS_WORTH_A_THREAD", share)
    monkeypatch.setattr("lexalign.induction.nearest.WORDS_AT_ONCE", 7)
    order = np.argsort(-(sides[0] @ sides[1].T), axis=1)[:, :5]
    np.testing.assert_array_equal(NearestWords(*sides, 5).rows(np.arange(40)), order)


def test_a_word_is_looked_for_once(sides, monkeypatch):
    asked = []

    def counted(queries, keys, count):
        asked.append(len(queries))
        order = np.argsort(-(queries @ keys.T), axis=1)[:, :count]
        return np.zeros(order.shape), order

    monkeypatch.setattr("lexalign.induction.nearest.candidates", counted)
    nearest = NearestWords(*sides, 5)
    nearest.rows(np.array([1, 2, 1]))
    nearest.scores(np.array([1, 2]))
    nearest.rows(np.array([2, 3]))
    assert asked == [2, 1]


def test_there_are_no_more_neighbours_than_words(sides):
    assert NearestWords(sides[0], sides[1][:3], 5).rows(np.array([0])).shape == (1, 3)
