import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.errors import LexalignError
from lexalign.progress import Stage
from lexalign.retrieval import RETRIEVALS, mutual_pairs, penalty, top_k
from tests.conftest import planted_pair


def naive(source, target, retrieval, neighbours, max_rank):
    """Every neighbourhood computed, every word a candidate."""
    head = max_rank if retrieval == "invsoftmax" else None
    costs = {
        side: penalty(retrieval, keys, queries, neighbours=neighbours, head=head)
        for side, keys, queries in (("target", target, source), ("source", source, target))
    }
    forward = top_k(source[:max_rank], target, 1, costs["target"].values)
    backward = top_k(target[:max_rank], source, 1, costs["source"].values)
    frequent = min(2, max_rank, len(source), len(target))
    leads = [
        top_k(queries[:max_rank], keys[:max_rank], frequent, costs[side].values[:max_rank]).scores
        for queries, keys, side in ((source, target, "target"), (target, source, "source"))
    ]
    pairs = {}
    for i, j in enumerate(forward.indices[:, 0].tolist()):
        if j < len(backward.indices) and backward.indices[j, 0] == i:
            gaps = leads[0][i], leads[1][j]
            pairs[i, j] = costs["target"].factor * min(gap[0] - gap[-1] for gap in gaps)
    return pairs


def clouds(seed, rows, columns, dimension=6):
    generator = np.random.default_rng(seed)
    both = [generator.standard_normal((n, dimension)).astype(np.float32) for n in (rows, columns)]
    return [side / np.linalg.norm(side, axis=1, keepdims=True) for side in both]


@pytest.mark.parametrize("retrieval", RETRIEVALS)
@settings(max_examples=30)
@given(
    st.integers(0, 2**31),
    st.integers(12, 150),
    st.integers(12, 150),
    st.integers(1, 200),
    st.integers(1, 10),
)
def test_the_bound_changes_nothing(retrieval, seed, rows, columns, max_rank, neighbours):
    source, target = clouds(seed, rows, columns)
    expected = naive(source, target, retrieval, neighbours, max_rank)
    found = mutual_pairs(
        source, target, retrieval=retrieval, neighbours=neighbours, max_rank=max_rank
    )
    assert {tuple(pair) for pair in found.pairs.tolist()} == set(expected)
    for pair, margin in zip(found.pairs.tolist(), found.margins, strict=True):
        assert margin == pytest.approx(expected[tuple(pair)], abs=1e-4)


@pytest.mark.parametrize("retrieval", RETRIEVALS)
def test_torch_finds_the_same_pairs(retrieval):
    source, target = clouds(0, 300, 400)
    ours = mutual_pairs(source, target, retrieval=retrieval, max_rank=100)
    theirs = mutual_pairs(
        torch.tensor(source), torch.tensor(target), retrieval=retrieval, max_rank=100
    )
    assert len(ours) > 5
    np.testing.assert_array_equal(theirs.pairs, ours.pairs)
    np.testing.assert_allclose(theirs.margins, ours.margins, atol=1e-4)


def test_translations_find_each_other_and_the_surest_come_first():
    source, target, _ = planted_pair(tilt=0.05)
    found = mutual_pairs(source.matrix, target.matrix)
    assert (found.pairs[:, 0] == found.pairs[:, 1]).mean() > 0.99
    assert len(found) > 390
    assert (np.diff(found.margins) <= 0).all()
    assert (found.margins >= 0).all()


def test_a_threshold_keeps_the_sure_pairs():
    source, target, _ = planted_pair(tilt=0.05)
    everything = mutual_pairs(source.matrix, target.matrix)
    threshold = float(np.median(everything.margins))
    sure = mutual_pairs(source.matrix, target.matrix, min_margin=threshold)
    np.testing.assert_array_equal(sure.pairs, everything.pairs[everything.margins >= threshold])


def test_no_rank_beyond_max_rank_appears():
    source, target, _ = planted_pair()
    assert mutual_pairs(source.matrix, target.matrix, max_rank=50).pairs.max() < 50


def test_too_small_a_vocabulary_gets_one_sentence():
    source, target = clouds(0, 5, 100)
    with pytest.raises(LexalignError, match="source vocabulary has 5 words, fewer than the 10"):
        mutual_pairs(source, target)
    with pytest.raises(LexalignError, match="`max_rank` must be at least 1. Got 0"):
        mutual_pairs(target, target, max_rank=0)


@settings(max_examples=30)
@given(st.integers(0, 2**31), st.integers(12, 60), st.integers(12, 60), st.integers(2, 40))
def test_the_bound_changes_nothing_where_everything_ties(seed, rows, columns, max_rank):
    generator = np.random.default_rng(seed)
    source, target = (
        generator.integers(-1, 2, (count, 3)).astype(np.float32) for count in (rows, columns)
    )
    expected = naive(source, target, "csls", 4, max_rank)
    found = mutual_pairs(source, target, neighbours=4, max_rank=max_rank)
    nonzero = {(i, j) for i, j in expected if source[i].any() and target[j].any()}
    assert {tuple(pair) for pair in found.pairs.tolist()} == nonzero


def rare_blends(seed, frequent=60, rows=600):
    """Two vocabularies whose rare words resemble frequent ones, with copies and a zero vector."""
    generator = np.random.default_rng(seed)
    common = generator.standard_normal((frequent, 16))
    sides = []
    for _ in range(2):
        words = common + 0.2 * generator.standard_normal(common.shape)
        parents = generator.integers(0, frequent, (2, rows - frequent))
        rare = words[parents[0]] + words[parents[1]]
        rare += 0.2 * generator.standard_normal(rare.shape)
        side = np.vstack((words, rare)).astype(np.float32)
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        copies = generator.integers(0, rows, 40)
        side[generator.integers(0, rows, 40)] = side[copies]
        side[generator.integers(0, rows)] = 0
        sides.append(side * generator.choice([0.9, 1.0, 1.1], (rows, 1)).astype(np.float32))
    return sides


@settings(max_examples=25)
@given(st.integers(0, 2**31), st.sampled_from([20, 60, 150]), st.integers(1, 12))
def test_the_bound_changes_nothing_where_rare_words_spoil_pairs(seed, max_rank, neighbours):
    source, target = rare_blends(seed)
    expected = naive(source, target, "csls", neighbours, max_rank)
    found = mutual_pairs(source, target, neighbours=neighbours, max_rank=max_rank)
    nonzero = {(i, j) for i, j in expected if source[i].any() and target[j].any()}
    assert {tuple(pair) for pair in found.pairs.tolist()} == nonzero
    for pair, margin in zip(found.pairs.tolist(), found.margins, strict=True):
        assert margin == pytest.approx(expected[tuple(pair)], abs=1e-4)


def test_few_neighbourhoods_are_computed_and_torch_needs_the_same():
    source, target = rare_blends(0, rows=3000)
    stages, found = [], []
    for kind in (np.asarray, torch.tensor):
        stage = Stage("")
        found.append(mutual_pairs(kind(source), kind(target), max_rank=60, stage=stage))
        stages.append(stage)
    assert len(found[0]) > 10
    np.testing.assert_array_equal(found[0].pairs, found[1].pairs)
    np.testing.assert_allclose(found[0].margins, found[1].margins, atol=1e-6)
    assert stages[0].done < 0.7 * len(source) * len(target)
    assert stages[1].done == pytest.approx(stages[0].done, rel=0.02)


def test_pairs_do_not_depend_on_the_number_of_threads(monkeypatch):
    source, target = rare_blends(1, rows=2000)
    found = []
    for threads in (1, 2):
        monkeypatch.setattr("lexalign.threads.processors", lambda threads=threads: threads)
        found.append(mutual_pairs(source, target, max_rank=60))
    np.testing.assert_array_equal(found[0].pairs, found[1].pairs)
    np.testing.assert_array_equal(found[0].margins, found[1].margins)


def test_words_without_a_vector_have_no_translation():
    source, target, _ = planted_pair(tilt=0.05)
    a, b = source.matrix.copy(), target.matrix.copy()
    a[5] = b[9] = 0
    pairs = mutual_pairs(a, b).pairs
    assert 5 not in pairs[:, 0]
    assert 9 not in pairs[:, 1]


def test_the_temperature_of_the_inverted_softmax_counts():
    source, target, _ = planted_pair(words=60, dimension=4, noise=0.8)
    margins = [
        mutual_pairs(source.matrix, target.matrix, retrieval="invsoftmax", beta=beta).margins
        for beta in (1.0, 100.0)
    ]
    assert len(margins[0]) != len(margins[1]) or not np.allclose(*margins)
