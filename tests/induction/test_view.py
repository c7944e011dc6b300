"""Views: CSLS by its definition, and backwards."""

import numpy as np
import pytest

from lexalign.induction.view import NEIGHBOURS, AlignedView, ViewMaps, mapped
from tests.conftest import random_rotation
from tests.induction.samples import unit_rows

ROWS, KEYS = (axis.ravel() for axis in np.mgrid[:25, :20])


@pytest.fixture
def view():
    maps = ViewMaps(random_rotation(6, np.random.default_rng(2)), None)
    return AlignedView(unit_rows(25, 6), 3 * unit_rows(20, 6, seed=1), maps)


@pytest.fixture
def cosines():
    rotation = random_rotation(6, np.random.default_rng(2))
    return unit_rows(25, 6).astype(float) @ rotation @ unit_rows(20, 6, seed=1).T.astype(float)


def csls_of(cosines):
    forward = np.sort(cosines, axis=1)[:, -NEIGHBOURS:].mean(axis=1)
    backward = np.sort(cosines, axis=0)[-NEIGHBOURS:].mean(axis=0)
    return 2 * cosines - forward[:, None] - backward


def test_cosines_and_csls_are_those_of_the_definition(view, cosines):
    np.testing.assert_allclose(view.cosines(ROWS, KEYS), cosines.ravel(), atol=1e-6)
    np.testing.assert_allclose(view.csls(ROWS, KEYS), csls_of(cosines).ravel(), atol=1e-5)


def test_the_best_are_those_of_highest_csls(view, cosines):
    rows = np.array([4, 0, 9])
    expected = np.argsort(-csls_of(cosines), axis=1)[rows, :7]
    np.testing.assert_array_equal(view.best(rows, 7), expected)
    assert view.best(rows, 99).shape == (3, 20)


def test_one_word_is_searched_without_a_copy_of_the_target(view, cosines, monkeypatch):
    """A search of many words copies the target with its penalties; the answers are the same."""
    expected = np.argsort(-csls_of(cosines), axis=1)[:, :7]
    many = view.best(np.arange(25), 7)
    monkeypatch.setattr("lexalign.induction.view.candidates", lambda *_: pytest.fail("copied"))
    np.testing.assert_array_equal(many, expected)
    for row in range(25):
        np.testing.assert_array_equal(view.best(np.array([row]), 7)[0], many[row])


def test_backward_places_are_those_among_the_source_words(view, cosines):
    csls = csls_of(cosines)
    places, first = view.backward(ROWS, KEYS)
    expected = np.argsort(np.argsort(-csls, axis=0), axis=0)
    np.testing.assert_array_equal(places, expected.ravel())
    np.testing.assert_allclose(first, np.broadcast_to(csls.max(axis=0), csls.shape).ravel(), 1e-4)


def test_places_beyond_the_searched_words_count_as_one(monkeypatch, cosines):
    monkeypatch.setattr("lexalign.induction.view.BACKWARD", NEIGHBOURS)
    rotation = random_rotation(6, np.random.default_rng(2))
    view = AlignedView(unit_rows(25, 6), unit_rows(20, 6, seed=1), ViewMaps(rotation, None))
    far = np.argsort(np.argsort(-cosines, axis=0), axis=0) >= NEIGHBOURS
    places, _ = view.backward(ROWS, KEYS)
    np.testing.assert_array_equal(places == NEIGHBOURS, far.ravel())


def test_a_swapped_view_looks_from_the_other_side(view, cosines):
    swapped = view.swapped
    np.testing.assert_allclose(swapped.csls(KEYS, ROWS), view.csls(ROWS, KEYS), atol=1e-6)
    rows = np.arange(20)
    expected = np.argsort(-csls_of(cosines), axis=0).T[:, :5]
    np.testing.assert_array_equal(swapped.best(rows, 5), expected)
    places = swapped.backward(KEYS, ROWS)[0]
    by_row = np.argsort(np.argsort(-csls_of(cosines), axis=1), axis=1)
    np.testing.assert_array_equal(places, by_row.ravel())
    assert swapped.maps.target is view.maps.source
    np.testing.assert_array_equal(swapped.swapped.source, view.source)


def test_known_densities_are_not_computed_again(view):
    given = view.source_density + 1, view.target_density
    other = AlignedView(view.source, view.target, ViewMaps(None, None), given)
    assert other.source_density is given[0]


def test_maps_are_equal_up_to_rounding():
    one = ViewMaps(np.eye(2), None)
    assert one.equals(ViewMaps(np.eye(2) + 1e-12, None))
    assert not one.equals(ViewMaps(np.eye(2), np.eye(2)))
    assert not one.equals(ViewMaps(2 * np.eye(2), None))
    assert one.swapped.equals(ViewMaps(None, np.eye(2)))


def test_mapped_rows_have_unit_length():
    found = mapped(unit_rows(5, 3), 7 * np.eye(3))
    np.testing.assert_allclose(found, unit_rows(5, 3), atol=1e-6)
