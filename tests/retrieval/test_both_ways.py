"""A search both ways: exact, whatever it remembers of the search before."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lexalign.arrays import to_numpy
from lexalign.retrieval import both_ways
from lexalign.retrieval.both_ways import BothWays, ranked

KINDS = [
    np.asarray,
    torch.tensor,
    pytest.param(partial(torch.tensor, device="cuda"), marks=pytest.mark.gpu),
]


def problem(generator, words=70, others=50, dimension=6):
    """Words, others, penalties of both, and ranks, some of them deep."""
    sides = tuple(
        generator.standard_normal((count, dimension)).astype(np.float32)
        for count in (words, others)
    )
    penalties = tuple(generator.random(len(side), dtype=np.float32) for side in sides)
    ranks = tuple(
        np.minimum(generator.geometric(0.1, len(side)), len(other)) - 1
        for side, other in (sides, sides[::-1])
    )
    return sides, penalties, ranks


def brute_force(words, others, penalty, rank):
    """All scores in order, and who has them."""
    scores = words.astype(np.float64) @ others.T - penalty
    order = np.argsort(-scores, axis=1)
    return np.take_along_axis(scores, order, 1), order, order[np.arange(len(words)), rank]


def check(found, sides, penalties, ranks, count):
    ways = (sides[0], sides[1], penalties[1]), (sides[1], sides[0], penalties[0])
    for side, way, rank in zip(found, ways, ranks, strict=True):
        scores, order, asked = brute_force(*way, rank)
        np.testing.assert_allclose(to_numpy(side.scores), scores[:, :count], rtol=1e-5, atol=2e-6)
        np.testing.assert_array_equal(to_numpy(side.indices), order[:, :count])
        np.testing.assert_array_equal(to_numpy(side.asked), asked)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entries", [2**25, 300, 1])
def test_every_search_is_that_of_brute_force(kind, entries, monkeypatch):
    """While the words move a little, and when they are all new."""
    monkeypatch.setattr(both_ways, "ENTRIES_AT_ONCE", entries)
    monkeypatch.setattr(both_ways, "ENTRIES_AT_ONCE_ON_GPU", entries)
    generator, search = np.random.default_rng(0), BothWays(8)
    sides, penalties, ranks = problem(generator)
    for step in (0, 0.01, 0.1, 10):
        sides = tuple(
            side + np.float32(step) * generator.standard_normal(side.shape, dtype=np.float32)
            for side in sides
        )
        found = search.search(*(tuple(map(kind, both)) for both in (sides, penalties)), ranks)
        check(found, sides, penalties, ranks, 8)
        assert [tuple(tail.shape) for tail in search.tails] == [(2, 70), (2, 50)]


@pytest.mark.parametrize("kind", KINDS)
@given(st.floats(-5, 5, width=32), st.floats(0, 2, width=32), st.integers(0, 2**32 - 1))
def test_it_is_exact_whatever_it_remembers(kind, last, fall, seed):
    """All entries above the thresholds, some, or none."""
    generator, search = np.random.default_rng(seed), BothWays(4)
    sides, penalties, ranks = problem(generator, 20, 30)
    search.tails = tuple(
        kind(
            np.stack(
                (last + generator.standard_normal(len(side)), np.full(len(side), fall))
            ).astype(np.float32)
        )
        for side in sides
    )
    found = search.search(*(tuple(map(kind, both)) for both in (sides, penalties)), ranks)
    check(found, sides, penalties, ranks, 4)


def test_settled_words_are_hardly_searched_again(monkeypatch):
    """Else one product would be several; here the second search has the same words."""
    generator, search, again = np.random.default_rng(2), BothWays(16), []
    sides, penalties, _ = problem(generator, 2000, 3000, 20)
    ranks = np.zeros(2000, dtype=int), np.zeros(3000, dtype=int)
    search.search(sides, penalties, ranks)

    def counted(words, *rest):
        again.append(len(words))
        return ranked(words, *rest)

    monkeypatch.setattr(both_ways, "ranked", counted)
    search.search(sides, penalties, ranks)
    assert sum(again) < 100


def test_scores_are_ordered_by_their_bits():
    scores = np.float32([-np.inf, -2.5, -1e-30, 0, 1e-30, 0.1, 2, np.inf])
    words = np.repeat([0, 1, 40_000], len(scores))
    keys = both_ways._by_word_and_falling_score(words, np.tile(scores, 3))
    order = np.argsort(keys)
    assert words[order].tolist() == words.tolist()
    assert np.tile(scores, 3)[order].tolist() == np.tile(scores[::-1], 3).tolist()
