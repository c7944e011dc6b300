"""Candidates of words, against brute force."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexalign.induction.candidates import Candidates

SCORES = st.lists(
    st.lists(st.integers(-50, 50), min_size=1, max_size=6, unique=True), min_size=1, max_size=6
)


class Fixed:
    """Gives the same candidates to every word."""

    def __init__(self, *found):
        self.found = found

    def best(self, rows, count):
        """The candidates."""
        return np.array([self.found for _ in rows])


def made(scores):
    rows = np.repeat(np.arange(len(scores)) * 3, [len(part) for part in scores])
    return Candidates(rows, np.concatenate([np.arange(len(part)) for part in scores]))


def test_candidates_are_the_union_in_order_without_repeats():
    found = Candidates.of([Fixed(4, 2, 7), Fixed(7, 9, 2)], Fixed(1, 4, -1), np.array([5, 8]))
    assert found.rows.tolist() == [5] * 5 + [8] * 5
    assert found.keys.tolist() == [1, 2, 4, 7, 9] * 2
    assert (found.starts.tolist(), found.counts.tolist()) == ([0, 5], [5, 5])
    assert found.words.tolist() == [5, 8]
    assert len(found) == 10


def test_a_word_may_have_fewer_candidates():
    found = Candidates.of([Fixed(-1, -1)], Fixed(3, -1), np.array([0]))
    assert (found.rows.tolist(), found.keys.tolist()) == ([0], [3])


@given(SCORES)
def test_places_and_sums_are_those_of_each_word(parts):
    found, scores = made(parts), np.concatenate(parts).astype(float)
    places = [sorted(part, reverse=True).index(score) for part in parts for score in part]
    assert found.places(scores).tolist() == places
    assert found.highest(scores).tolist() == [max(part) for part in parts for _ in part]
    assert found.total(scores).tolist() == [sum(part) for part in parts for _ in part]


@given(SCORES)
def test_the_lead_is_over_the_best_other_candidate(parts):
    found, scores = made(parts), np.concatenate(parts).astype(float)
    expected = []
    for part in parts:
        for place, score in enumerate(part):
            others = part[:place] + part[place + 1 :]
            expected.append(score - max(others, default=score))
    assert found.lead(scores).tolist() == expected


def test_equal_scores_have_different_places_and_no_lead():
    found, scores = made([[0, 1, 2]]), np.array([1.0, 1.0, 0.0])
    assert found.places(scores).tolist() == [0, 1, 2]
    assert found.lead(scores).tolist() == [0, 0, -1]


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1))
def test_right_are_the_candidates_among_the_pairs(pairs):
    rows, keys = (axis.ravel() for axis in np.mgrid[:4, :4])
    got = Candidates(rows, keys).right(np.array(sorted(pairs)))
    assert got.tolist() == [pair in pairs for pair in zip(rows, keys, strict=True)]
