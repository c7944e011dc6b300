import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.arrays import to_device
from lexalign.retrieval import inverted_ranks, ranking, ranks, top_k


def unit(rows, dimension, seed):
    matrix = np.random.default_rng(seed).standard_normal((rows, dimension))
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def brute_ranks(queries, keys, wanted, penalty):
    scores = queries.astype(np.float64) @ keys.T.astype(np.float64) - penalty
    order = np.argsort(-scores, axis=1, kind="stable")
    return np.array([list(row).index(key) + 1 for row, key in zip(order, wanted, strict=True)])


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_places_are_those_of_a_full_sort(device, monkeypatch):
    """Also where a tile ends in the middle."""
    monkeypatch.setattr(ranking, "QUERIES_AT_ONCE", 7)
    monkeypatch.setattr(ranking, "KEYS_AT_ONCE", 64)
    queries, keys = unit(40, 9, 1), unit(500, 9, 2)
    generator = np.random.default_rng(3)
    wanted, penalty = generator.integers(0, 500, 40), 0.1 * generator.random(500)
    found = ranks(to_device(queries, device), to_device(keys, device), wanted, penalty)
    assert found.tolist() == brute_ranks(queries, keys, wanted, penalty).tolist()


@pytest.mark.gpu
def test_a_gpu_finds_the_same_places_at_full_width():
    """A GPU sums in an order that depends on the shape; a key must still tie with itself."""
    queries, keys = unit(1000, 300, 1), unit(5000, 300, 2)
    keys[2500:] = keys[:2500]
    wanted = np.random.default_rng(3).integers(0, 5000, 1000)
    on_cpu = ranks(queries, keys, wanted)
    on_gpu = ranks(to_device(queries, "cuda"), to_device(keys, "cuda"), wanted)
    assert on_gpu.tolist() == on_cpu.tolist()


@settings(max_examples=40)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=12), st.data())
def test_of_equal_scores_the_lower_index_comes_first(kinds, data):
    """Keys are drawn from four vectors, so that most of them tie."""
    vectors = np.array([[1, 0], [0.6, 0.8], [0, 1], [0, 0]], dtype=np.float32)
    keys = vectors[kinds]
    queries = vectors[data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))]
    for wanted in range(len(keys)):
        asked = np.full(len(queries), wanted)
        places = ranks(queries, keys, asked)
        listed = top_k(queries, keys, len(keys)).indices
        assert [int(row[place - 1]) for row, place in zip(listed, places, strict=True)] == [
            wanted
        ] * len(queries)


def brute_inverted(query, sources, keys, wanted):
    similarity = keys @ sources.T
    nearer = (similarity > similarity[:, [query]]).sum(axis=1)
    order = np.lexsort((np.arange(len(keys)), -similarity[:, query], nearer))
    return list(order).index(wanted) + 1


@pytest.mark.parametrize("dimension", [3, 50, 300])
def test_inverted_places_of_equal_keys_follow_their_index(dimension):
    """Asked one by one or together, whatever the shape of the product."""
    sources, keys = unit(20, dimension, 1), np.repeat(unit(1, dimension, 2), 3, axis=0)
    together = inverted_ranks(np.zeros(3, dtype=int), sources, keys, np.arange(3))
    alone = [inverted_ranks(np.array([0]), sources, keys, np.array([key]))[0] for key in range(3)]
    assert together.tolist() == alone == [1, 2, 3]


@pytest.mark.parametrize("device", ["cpu", "tensor", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_inverted_places_are_those_of_the_definition(device, monkeypatch):
    monkeypatch.setattr(ranking, "SORTED_AT_ONCE", 16)
    sources, keys = unit(60, 5, 1), unit(80, 5, 2)
    generator = np.random.default_rng(3)
    queries, wanted = generator.integers(0, 60, 30), generator.integers(0, 80, 30)
    sides = (
        [torch.tensor(rows) for rows in (sources, keys)]
        if device == "tensor"
        else [to_device(rows, device) for rows in (sources, keys)]
    )
    found = inverted_ranks(queries, *sides, wanted)
    assert found.tolist() == [
        brute_inverted(query, sources, keys, key)
        for query, key in zip(queries, wanted, strict=True)
    ]
