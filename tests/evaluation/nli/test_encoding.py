"""Sentences as rows: unknown words left out, nothing lost, lengths alike in a batch."""

from pathlib import Path

import numpy as np
import pytest

from lexalign.evaluation.nli import Example, Examples, encode
from lexalign.evaluation.nli import encoding as module
from lexalign.vectors.tokens import tokeniser

INDEX = {"a": 0, "man": 1, "sleeps": 2}


def encoded(*pairs):
    examples = [Example(str(n), one, two, n % 3) for n, (one, two) in enumerate(pairs)]
    return encode(Examples(Path("x"), examples, 0), INDEX, tokeniser())


def test_known_words_stay_in_order_and_unknown_ones_are_left_out():
    found = encoded(("A tall man sleeps!", "Man."), ("???", "unknown words"))
    assert found.sentences.rows.tolist() == [0, 1, 2, module.NOTHING, 1, module.NOTHING]
    assert found.sentences.starts.tolist() == [0, 3, 4, 5, 6]
    assert found.coverage == (7, 4, 2, 0)
    assert found.labels.tolist() == [0, 1]


def test_long_sentences_are_cut(monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 2)
    found = encoded(("a man sleeps", "a man"))
    assert found.sentences.rows.tolist() == [0, 1, 0, 1]
    assert found.coverage.cut == 1


def test_a_batch_has_the_first_words_then_the_second():
    """By hand: premises "a man sleeps" and "man", hypotheses "sleeps a" and "man", 3 words wide."""
    found = encoded(("man", "man"), ("a man sleeps", "sleeps a")).batch(np.array([1, 0]))
    assert found.lengths.tolist() == [3, 1, 2, 1]
    assert found.width == 3
    assert found.sizes.tolist() == [4, 2, 1]
    assert found.rows.tolist() == [0, 2, 1, 1, 1, 0, 2]
    assert found.places.tolist() == [0, 6, 3, 9, 1, 7, 2]


@pytest.mark.parametrize("random", [None, np.random.default_rng(0)])
def test_batches_have_every_pair_once_and_like_lengths(random):
    generator = np.random.default_rng(1)
    sizes = generator.integers(1, 40, 500)
    found = encoded(*((" ".join(["a"] * size), "man") for size in sizes))
    batches = list(found.order(16, random))
    assert sorted(np.concatenate(batches).tolist()) == list(range(500))
    spreads = [np.ptp(sizes[batch]) for batch in batches]
    assert np.mean(spreads) < 3
    assert max(map(len, batches)) == 16
