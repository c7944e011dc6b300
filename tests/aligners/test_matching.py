"""The sparse one-to-one matching, against a dense assignment."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from lexalign.aligners.matching import best_matching


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("rows", "columns", "each"), [(30, 30, 3), (40, 12, 2), (12, 60, 3)])
def test_it_has_most_pairs_and_of_those_the_largest_sum(rows, columns, each, seed):
    """A dense assignment in which every missing edge costs more than all edges together."""
    generator = np.random.default_rng(seed)
    popular = generator.dirichlet(np.full(columns, 0.3)) + 1e-3
    candidates = np.array(
        [
            generator.choice(columns, each, replace=False, p=popular / popular.sum())
            for _ in range(rows)
        ]
    )
    scores = generator.uniform(-1, 1, candidates.shape)
    dense = np.full((rows, columns), -1e4)
    np.put_along_axis(dense, candidates, scores, axis=1)
    expected = np.column_stack(linear_sum_assignment(-dense))
    expected = expected[dense[tuple(expected.T)] > -2]
    np.testing.assert_array_equal(best_matching(scores, candidates, columns), expected)


def test_words_with_one_candidate_in_common_leave_it_to_the_best():
    scores = np.array([[0.2], [0.9], [0.5]])
    assert best_matching(scores, np.zeros((3, 1), dtype=int), 4).tolist() == [[1, 0]]


def test_without_a_conflict_everybody_has_a_partner():
    found = best_matching(np.full((3, 1), 0.5), np.array([[2], [0], [1]]), 3)
    assert found.tolist() == [[0, 2], [1, 0], [2, 1]]
