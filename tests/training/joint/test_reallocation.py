"""Every word goes to the language that has most of its mass, whatever the size of the corpora."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.errors import LexalignError
from lexalign.training import Counts
from lexalign.training.joint import reallocate

WORDS = ["house", "haus", "in", "hand", "paris", "ghost"]
ENGLISH = Counts({"house": 40, "in": 300, "hand": 9, "paris": 5, "haus": 1, "the": 645}, 1000)
GERMAN = Counts(
    {"haus": 400, "in": 2700, "hand": 10, "paris": 50, "house": 10, "die": 6830}, 10_000
)


def test_by_hand():
    """House: 40/1000 against 10/10,000, so 0.976 of it is English; hand: 0.009 against 0.001."""
    found = reallocate(WORDS, ENGLISH, GERMAN, 0.9)
    assert [WORDS[row] for row in found.own_source] == ["house", "hand"]
    assert [WORDS[row] for row in found.own_target] == ["haus"]
    assert [WORDS[row] for row in np.flatnonzero(found.shared)] == ["in", "paris"]
    assert [WORDS[row] for row in found.source] == ["in", "house", "hand", "paris"]
    assert [WORDS[row] for row in found.target] == ["in", "haus", "paris"]
    assert found.as_dict() == {"source": 2, "target": 1, "shared": 2, "unknown": 1}


def test_a_higher_threshold_shares_more():
    found = reallocate(WORDS, ENGLISH, GERMAN, 0.98)
    assert [WORDS[row] for row in np.flatnonzero(found.shared)] == WORDS[:-1]


def test_a_corpus_twice_as_large_changes_nothing():
    twice = Counts({word: 2 * count for word, count in GERMAN.words.items()}, 20_000)
    one, other = (reallocate(WORDS, ENGLISH, german) for german in (GERMAN, twice))
    np.testing.assert_array_equal(one.shared, other.shared)
    np.testing.assert_array_equal(one.source, other.source)


counted = st.dictionaries(st.sampled_from(WORDS), st.integers(1, 50), min_size=1)


@given(counted, counted, st.floats(0.51, 1))
def test_every_known_word_has_one_place(source, target, threshold):
    sides = Counts(source, 100), Counts(target, 300)
    found = reallocate(WORDS, *sides, threshold)
    own_source, own_target = set(found.own_source), set(found.own_target)
    shared = set(np.flatnonzero(found.shared))
    known = {row for row, word in enumerate(WORDS) if word in source or word in target}
    assert own_source | own_target | shared == known
    assert len(own_source) + len(own_target) + len(shared) == len(known)
    assert set(found.source) == own_source | shared
    assert set(found.target) == own_target | shared
    for row in shared:  # a word that a corpus lacks is never shared
        assert WORDS[row] in source
        assert WORDS[row] in target
    swapped = reallocate(WORDS, *sides[::-1], threshold)
    np.testing.assert_array_equal(swapped.shared, found.shared)
    np.testing.assert_array_equal(swapped.source, found.target)


@pytest.mark.parametrize("threshold", [0.5, 1.01, -1])
def test_other_thresholds_are_refused(threshold):
    with pytest.raises(
        LexalignError, match="`threshold` .* must be a finite number, above 0.5 and at most 1"
    ):
        reallocate(WORDS, ENGLISH, GERMAN, threshold)
