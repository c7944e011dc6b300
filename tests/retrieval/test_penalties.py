import numpy as np
import pytest
import torch

from lexalign.errors import LexalignError
from lexalign.retrieval import log_partition, neighbourhood, penalty

X = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
Y = np.array([[1, 0], [0.8, 0.6], [-1, 0]], dtype=np.float32)


def test_neighbourhood_by_hand():
    """x·y of the first y are 1, 0, 0.6; of the second 0.8, 0.6, 0.96; of the third −1, 0, −0.6."""
    np.testing.assert_allclose(neighbourhood(Y, X, 2), [0.8, 0.88, -0.3], atol=1e-7)


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_csls_ranks_by_twice_the_similarity_minus_the_neighbourhood(kind):
    costs = penalty("csls", kind(Y), kind(X), neighbours=2)
    np.testing.assert_allclose(costs.values, [0.4, 0.44, -0.15], atol=1e-7)
    csls = costs.factor * (X @ Y.T - costs.values)
    np.testing.assert_allclose(csls[0], [2 - 0.8, 1.6 - 0.88, -2 + 0.3], atol=1e-6)
    assert costs.known.all()


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_inverted_softmax_normalises_over_the_queries(kind):
    beta = 3.0
    costs = penalty("invsoftmax", kind(Y), kind(X), beta=beta)
    similarities = beta * (X @ Y.T).astype(np.float64)
    probability = np.exp(similarities) / np.exp(similarities).sum(axis=0)
    ours = np.exp(costs.factor * (X @ Y.T - costs.values))
    np.testing.assert_allclose(ours, probability, rtol=1e-5)


def test_log_partition_survives_large_numbers_and_blocks(monkeypatch):
    monkeypatch.setattr("lexalign.retrieval.penalties.KEYS_AT_ONCE", 2)
    generator = np.random.default_rng(0)
    x, y = (100 * generator.standard_normal((7, 3)).astype(np.float32) for _ in range(2))
    scores = 5.0 * x.astype(np.float64) @ y.astype(np.float64).T
    expected = scores.max(axis=0) + np.log(np.exp(scores - scores.max(axis=0)).sum(axis=0))
    np.testing.assert_allclose(log_partition(y, x, 5.0), expected, rtol=1e-5)


def test_bounds_lie_below_and_are_resolved_on_demand():
    generator = np.random.default_rng(1)
    x, y = (generator.standard_normal((60, 5)).astype(np.float32) for _ in range(2))
    exact = penalty("csls", y, x, neighbours=4).values
    lazy = penalty("csls", y, x, neighbours=4, head=10)
    np.testing.assert_allclose(lazy.values[:10], exact[:10])
    assert lazy.known.sum() == 10
    assert (lazy.values <= exact + 1e-12).all()
    assert (lazy.values[10:] < exact[10:]).any()
    lazy.resolve(np.array([40, 12]))
    np.testing.assert_array_equal(lazy.values[[12, 40]], exact[[12, 40]])
    assert lazy.known[[12, 40]].all()


def test_plain_nearest_neighbour_has_no_penalty():
    assert not penalty("nn", Y, X).values.any()


def test_an_unknown_criterion_is_named():
    with pytest.raises(LexalignError, match=r"must be one of .*'csls'.*Got 'magic'"):
        penalty("magic", Y, X)
