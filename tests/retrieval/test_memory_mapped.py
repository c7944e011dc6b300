"""Search over memory-mapped vectors against the exhaustive search."""

import numpy as np
import pytest

from lexalign.retrieval import neighbourhood, top_k
from lexalign.retrieval.memory_mapped import first_choices, front, mean_of_nearest


def test_equal_scores_are_all_looked_at():
    scores = np.array([0.5, 0.1, 0.5, 0.9, 0.5], dtype=np.float32)
    assert sorted(front(scores, 2).tolist()) == [0, 2, 3, 4]
    assert front(scores, 9).tolist() == [0, 1, 2, 3, 4]
    assert len(front(np.zeros(10_000, dtype=np.float32), 3)) == 4096


@pytest.mark.parametrize("rows", [30, 9_000, 50_000])
def test_the_mean_of_the_nearest_is_that_of_the_library(rows):
    generator = np.random.default_rng(0)
    matrix = generator.standard_normal((rows, 5)).astype(np.float32)
    vectors = generator.standard_normal((7, 5)).astype(np.float32)
    assert np.allclose(mean_of_nearest(vectors, matrix, 10), neighbourhood(vectors, matrix, 10))


@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize("rows", [5, 8_192, 20_000])
def test_first_choices_are_those_of_top_k(rows, penalised):
    generator = np.random.default_rng(1)
    matrix = generator.integers(-2, 3, (rows, 4)).astype(np.float32)  # ties everywhere
    queries = generator.integers(-2, 3, (40, 4)).astype(np.float32)
    penalty = generator.integers(0, 3, rows) / 2 if penalised else None
    expected = top_k(queries, matrix, 1, penalty).indices[:, 0]
    np.testing.assert_array_equal(first_choices(queries, matrix, penalty), expected)
