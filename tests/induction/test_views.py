"""The maps of the views, and the dictionary that they grow."""

import numpy as np
import pytest

from lexalign.induction.view import ViewMaps, mapped
from lexalign.induction.views import FittedViews, fitted_views, with_chosen
from tests.conftest import random_rotation
from tests.induction.samples import unit_rows


@pytest.fixture
def planted():
    source = unit_rows(200, 10)
    return source, source @ random_rotation(10, np.random.default_rng(3)).astype(np.float32)


@pytest.mark.parametrize("seeds", [20, 80])
def test_both_views_bring_translations_together(planted, seeds):
    source, target = planted
    pairs = np.repeat(np.arange(seeds)[:, None], 2, axis=1)
    found = fitted_views(source, target, pairs)
    for maps in found.maps:
        one, other = mapped(source, maps.source), mapped(target, maps.target)
        np.testing.assert_allclose((one * other).sum(axis=1), 1, atol=1e-3)
    assert (found.maps[0].target is None) == (seeds < 40)


def test_the_grown_dictionary_has_the_seeds_and_the_mutual_pairs(planted):
    seeds = np.array([[number, number] for number in range(30)] + [[0, 1]])
    found = fitted_views(*planted, seeds)
    grown = set(map(tuple, found.pairs.tolist()))
    assert grown == {(number, number) for number in range(200)} | {(0, 1)}
    assert len(grown) == len(found.pairs)


def test_the_chosen_method_is_the_last_view_and_stands_once():
    one, other = ViewMaps(np.eye(2), None), ViewMaps(None, np.eye(2))
    views = FittedViews((one, other), np.empty((0, 2), dtype=int))
    same, new = ViewMaps(np.eye(2), None), ViewMaps(2 * np.eye(2), None)
    (found,) = with_chosen([views], [same])
    assert found.maps == (other, same)
    (found,) = with_chosen([views], [new])
    assert found.maps == (one, other, new)
    assert with_chosen([views], [None]) == (views,)


def test_all_fits_have_the_same_number_of_views():
    """A ranker that learned from the views of some folds could not be used otherwise."""
    one, other = ViewMaps(np.eye(2), None), ViewMaps(None, np.eye(2))
    views = FittedViews((one, other), np.empty((0, 2), dtype=int))
    found = with_chosen([views, views], [one, other])
    assert [len(fit.maps) for fit in found] == [3, 3]
    found = with_chosen([views, views], [other, other])
    assert [fit.maps for fit in found] == 2 * [(one, other)]


def test_few_pairs_in_many_dimensions_give_rotations():
    source, target = unit_rows(40, 30), unit_rows(40, 30, seed=1)
    found = fitted_views(source, target, np.repeat(np.arange(10)[:, None], 2, axis=1))
    for maps in found.maps:
        np.testing.assert_allclose(maps.source @ maps.source.T, np.eye(30), atol=1e-5)
        assert maps.target is None
