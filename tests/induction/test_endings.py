"""Endings that go together."""

import numpy as np
import pytest

from lexalign.induction.endings import RARE, SHRINKAGE, SIZES, Endings

SOURCE = ["nation", "station", "quickly", "slowly", "motion", "rapidly", "zzz"]
TARGET = ["nación", "estación", "rápidamente", "lentamente", "moción", "velozmente", "qqq"]
ROWS = np.arange(6)


@pytest.fixture
def endings():
    return Endings(SOURCE, TARGET).fit(ROWS, ROWS)


def test_endings_that_go_together_are_associated(endings):
    together = endings.association(np.array([0, 2]), np.array([1, 3]))
    apart = endings.association(np.array([0, 2]), np.array([3, 1]))
    assert together.shape == (2, len(SIZES))
    assert (together > 0).all()
    assert (apart < 0).all()


def test_the_value_is_that_of_the_definition(endings):
    expected = SHRINKAGE * 3 * 3 / 6 + RARE
    value = np.log((3 + expected) / (expected / SHRINKAGE + expected))
    assert endings.association(np.array([0]), np.array([0]))[0, 1] == pytest.approx(value)


def test_an_unknown_ending_says_nothing(endings):
    assert not endings.association(np.array([6, 6, 0]), np.array([6, 0, 6])).any()


def test_swapped_endings_have_the_same_association(endings):
    rows, keys = (axis.ravel() for axis in np.mgrid[:7, :7])
    expected = endings.association(rows, keys)
    np.testing.assert_allclose(endings.swapped.association(keys, rows), expected, rtol=1e-6)


def test_without_pairs_nothing_is_associated():
    nothing = np.empty(0, dtype=np.int64)
    found = Endings(SOURCE, TARGET).fit(nothing, nothing)
    assert not found.association(ROWS, ROWS).any()
