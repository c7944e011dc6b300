"""Agreement of neighbourhoods, against brute force."""

import numpy as np
import pytest

from lexalign.induction.agreement import FEATURES, NEIGHBOURS, OwnNeighbours, agreement
from lexalign.induction.view import AlignedView, ViewMaps
from tests.conftest import random_rotation
from tests.induction.samples import unit_rows

ROWS, KEYS = np.array([0, 3, 3, 17, 5]), np.array([1, 2, 9, 17, 1])


@pytest.fixture
def sides():
    return unit_rows(30, 6), unit_rows(25, 6, seed=1)


@pytest.fixture
def view(sides):
    return AlignedView(*sides, ViewMaps(random_rotation(6, np.random.default_rng(2)), None))


def neighbours(matrix, row):
    return np.argsort(-(matrix @ matrix[row]))[1 : NEIGHBOURS + 1]


def by_hand(view, sides, row, key):
    source, target = sides
    near = neighbours(source, row), neighbours(target, key)
    around = view.source[near[0]], view.target[near[1]]
    between = around[0] @ around[1].T
    centres = around[0].mean(axis=0), around[1].mean(axis=0)
    dense = (source[near[0]] @ source[row]).mean(), (target[near[1]] @ target[key]).mean()
    return [
        between.max(axis=1).mean() + between.max(axis=0).mean(),
        centres[0] @ centres[1],
        *dense,
        dense[0] - dense[1],
        view.source[row] @ centres[1],
        view.target[key] @ centres[0],
    ]


def test_values_are_those_of_brute_force(view, sides):
    own = OwnNeighbours(*sides)
    found = agreement(view, own, ROWS, KEYS, np.ones(5, dtype=bool))
    expected = [by_hand(view, sides, row, key) for row, key in zip(ROWS, KEYS, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_only_close_pairs_are_compared_in_full(view, sides):
    close = np.array([True, False, True, False, False])
    own = OwnNeighbours(*sides)
    found = agreement(view, own, ROWS, KEYS, close)
    whole = agreement(view, own, ROWS, KEYS, np.ones(5, dtype=bool))
    np.testing.assert_array_equal(np.isnan(found[:, 0]), ~close)
    np.testing.assert_array_equal(found[:, 1:], whole[:, 1:])
    np.testing.assert_array_equal(found[close], whole[close])


def test_the_other_direction_sees_the_same(view, sides):
    own, close = OwnNeighbours(*sides), np.ones(5, dtype=bool)
    found = agreement(view, own, ROWS, KEYS, close)
    turned = agreement(view.swapped, own.swapped, KEYS, ROWS, close)
    assert len(FEATURES) == found.shape[1]
    for one, other in ((0, 0), (1, 1), (2, 3), (3, 2), (5, 6), (6, 5)):
        np.testing.assert_allclose(found[:, one], turned[:, other], atol=1e-5)
