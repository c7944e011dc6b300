"""Lists are exact although penalties are bounds; few penalties are made exact for them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.retrieval import penalty, top_k
from lexalign.retrieval.penalties import bounded_penalty
from lexalign.retrieval.settled import settled_top_k


def clouds(seed, rows, columns):
    generator = np.random.default_rng(seed)
    return [generator.integers(-3, 4, (n, 4)).astype(np.float32) for n in (rows, columns)]


@settings(max_examples=30)
@given(
    st.integers(0, 2**31),
    st.integers(5, 60),
    st.integers(5, 60),
    st.integers(1, 5),
    st.sampled_from([None, 1, 3]),
)
def test_lists_are_those_of_exact_penalties(seed, rows, columns, k, at_once):
    """The vectors are small integers, so that many scores tie."""
    queries, keys = clouds(seed, rows, columns)
    exact = penalty("csls", keys, queries, neighbours=3).values
    costs = bounded_penalty(keys, queries, neighbours=3, head=4)
    found = settled_top_k(queries, keys, k, costs, at_once=at_once)
    expected = top_k(queries, keys, k, exact)
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(costs.values[costs.known], exact[costs.known])
    assert (costs.values <= exact + 1e-12).all()


@pytest.mark.parametrize(("at_once", "most"), [(None, 120), (2, 60)])
def test_fewer_at_once_resolve_fewer(at_once, most):
    generator = np.random.default_rng(0)
    queries, keys = (generator.standard_normal((n, 20)).astype(np.float32) for n in (5, 2000))
    costs = bounded_penalty(keys, np.vstack((queries, -keys)), neighbours=3, head=2000)
    settled_top_k(queries, keys, 2, costs, at_once=at_once)
    assert 0 < costs.known.sum() <= most
