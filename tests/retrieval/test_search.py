import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.errors import LexalignError
from lexalign.retrieval import search as search_module
from lexalign.retrieval import top_k


def brute_force(queries, keys, k, penalty=None):
    scores = queries.astype(np.float64) @ keys.astype(np.float64).T
    scores -= 0 if penalty is None else penalty
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(scores, order, 1), order


def cloud(count, dimension, seed):
    return np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize(("queries", "keys", "k"), [(50, 3000, 10), (1, 7, 7), (30, 40, 1)])
def test_agrees_with_brute_force(kind, penalised, queries, keys, k):
    x, y = cloud(queries, 9, 0), cloud(keys, 9, 1)
    penalty = np.random.default_rng(2).random(keys) if penalised else None
    found = top_k(kind(x), kind(y), k, penalty)
    scores, indices = brute_force(x, y, k, penalty)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.scores, scores, atol=1e-9)


def test_blocks_do_not_change_the_result(monkeypatch):
    from lexalign.retrieval import on_gpu

    x, y = cloud(23, 5, 0), cloud(101, 5, 1)
    whole = top_k(torch.tensor(x), torch.tensor(y), 4)
    for module, name, size in (
        (on_gpu, "QUERIES_AT_ONCE", 7),
        (on_gpu, "KEYS_AT_ONCE", 10),
        (search_module, "RESCORED_AT_ONCE", 3),
    ):
        monkeypatch.setattr(module, name, size)
    pieces = top_k(torch.tensor(x), torch.tensor(y), 4)
    np.testing.assert_array_equal(pieces.indices, whole.indices)
    np.testing.assert_array_equal(pieces.scores, whole.scores)


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
@pytest.mark.parametrize("copies", [3, 60])
def test_the_lower_rank_wins_ties_however_many_there_are(kind, copies):
    """The same vector at many ranks, mixed with worse ones."""
    best, others = cloud(1, 8, 0), 0.1 * cloud(200, 8, 1)
    keys = others.copy()
    places = np.random.default_rng(2).permutation(200)[:copies]
    keys[places] = best
    found = top_k(kind(best), kind(keys), 3)
    assert found.indices[0].tolist() == sorted(places.tolist())[:3]


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_all_keys_equal(kind):
    keys = np.tile(cloud(1, 4, 0), (50, 1))
    assert top_k(kind(cloud(3, 4, 1)), kind(keys), 5).indices.tolist() == [[0, 1, 2, 3, 4]] * 3


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(1, 30), st.integers(0, 2**31), st.data())
def test_any_small_problem_with_ties(queries, keys, seed, data):
    """Small whole numbers make exact ties everywhere."""
    generator = np.random.default_rng(seed)
    x = generator.integers(-2, 3, (queries, 3)).astype(np.float32)
    y = generator.integers(-2, 3, (keys, 3)).astype(np.float32)
    k = data.draw(st.integers(1, keys))
    scores, indices = brute_force(x, y, k)
    for kind in (np.asarray, torch.tensor):
        found = top_k(kind(x), kind(y), k)
        np.testing.assert_array_equal(found.indices, indices)
        np.testing.assert_array_equal(found.scores, scores)


def test_no_queries_find_nothing():
    assert top_k(cloud(0, 4, 0), cloud(9, 4, 1), 2).indices.shape == (0, 2)


def test_impossible_searches_get_one_sentence():
    with pytest.raises(LexalignError, match=r"between 1 and the number of candidates, 9. Got 10"):
        top_k(cloud(2, 4, 0), cloud(9, 4, 1), 10)
    with pytest.raises(LexalignError, match="Queries have 3 dimensions and keys 4"):
        top_k(cloud(2, 3, 0), cloud(9, 4, 1), 1)


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_queries_of_zeros_are_answered_by_penalty_and_rank(kind):
    queries, keys = np.zeros((2000, 4), np.float32), cloud(5000, 4, 1)
    assert (top_k(kind(queries), kind(keys), 3).indices == [0, 1, 2]).all()
    costs = np.ones(5000)
    costs[[7, 99]] = 0.5
    assert (top_k(kind(queries), kind(keys), 3, costs).indices == [7, 99, 0]).all()
