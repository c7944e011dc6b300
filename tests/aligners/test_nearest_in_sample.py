"""The quick search of the health check finds what the exact search of retrieval finds."""

import numpy as np
import pytest

from lexalign.aligners import nearest_in_sample
from lexalign.aligners.nearest_in_sample import best_others, densities, neighbourhoods
from lexalign.retrieval import neighbourhood, top_k
from lexalign.spaces.normalise import unit_rows

K = 3


@pytest.fixture(params=[7, 512])
def sides(request, monkeypatch):
    monkeypatch.setattr(nearest_in_sample, "ROWS_AT_ONCE", request.param)
    random = np.random.default_rng(0)
    return tuple(
        unit_rows(random.standard_normal((rows, 6)).astype(np.float32)) for rows in (40, 50)
    )


def test_densities_are_the_neighbourhoods_of_csls(sides):
    words, others = sides
    np.testing.assert_allclose(
        densities(words, others, K), neighbourhood(words, others, K), rtol=1e-5
    )


def test_the_best_others_are_those_by_csls(sides):
    words, others = sides
    density = neighbourhood(others, words, K)
    expected = top_k(words, others, 1, density / 2).indices[:, 0]
    np.testing.assert_array_equal(best_others(words, others, density), expected)


def test_one_look_tells_all(sides):
    words, others = sides
    density = neighbourhood(others, words, K)
    found = neighbourhoods(words, others, density, K)
    np.testing.assert_array_equal(found.density, densities(words, others, K))
    np.testing.assert_array_equal(found.best, best_others(words, others, density))
    expected = np.bincount(top_k(words, others, K).indices.ravel(), minlength=len(others))
    np.testing.assert_array_equal(found.near, expected)
