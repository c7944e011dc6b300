"""The model does what its formula says, sentence by sentence."""

from pathlib import Path

import numpy as np
import pytest
import torch

from lexalign.evaluation.nli import Example, Examples, encode
from lexalign.evaluation.nli.esim import Esim
from lexalign.evaluation.nli.inference import logits, predict

HIDDEN, DIMENSION = 5, 6
WORDS = {f"w{number}": number for number in range(20)}


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Esim(DIMENSION, HIDDEN, 0.5).eval()


@pytest.fixture
def table():
    torch.manual_seed(1)
    return torch.cat((torch.randn(len(WORDS), DIMENSION), torch.zeros(1, DIMENSION)))


@pytest.fixture
def pairs():
    """Sentences of very different lengths, one of them without a known word."""
    generator = np.random.default_rng(2)

    def sentence(length):
        return " ".join(f"w{number}" for number in generator.integers(0, len(WORDS), length))

    lengths = [(3, 7), (7, 1), (1, 1), (0, 4), (6, 2)]
    examples = [Example("", sentence(one), sentence(two), 0) for one, two in lengths]
    return encode(Examples(Path("x"), examples, 0), WORDS, str.split)


def by_hand(model, one, other):
    """One pair, one step after the other, as in the publication."""
    a, b = (model.reader(rows.unsqueeze(1))[0][:, 0] for rows in (one, other))
    scores = torch.stack([torch.stack([x @ y for y in b]) for x in a])
    from_b, from_a = (
        torch.stack([sum(w * y for w, y in zip(s.softmax(0), ys, strict=True)) for s in rows])
        for rows, ys in ((scores, b), (scores.T, a))
    )
    pooled = []
    for own, seen in ((a, from_b), (b, from_a)):
        compared = torch.cat((own, seen, own - seen, own * seen), dim=1)
        states = model.composer(torch.relu(model.projection(compared)).unsqueeze(1))[0][:, 0]
        pooled += [states.mean(0), states.amax(0)]
    return model.outer(torch.tanh(model.inner(torch.cat(pooled))))


def test_every_pair_is_computed_as_published(model, table, pairs):
    """Whatever else is in its batch, and however long that is."""
    chosen = np.array([3, 0, 4, 2, 1])
    found = logits(model, table, pairs, chosen)
    sentences = pairs.sentences
    for place, number in enumerate(chosen):
        rows = [
            table[sentences.rows[sentences.starts[s] : sentences.starts[s + 1]]]
            for s in (number, number + len(pairs))
        ]
        torch.testing.assert_close(found[place], by_hand(model, *rows), rtol=1e-5, atol=1e-6)


def test_predictions_come_in_the_order_of_the_pairs(model, table, pairs):
    found = predict(model, table, pairs)
    for number in range(len(pairs)):
        alone = logits(model, table, pairs, np.array([number]))
        assert found[number] == int(alone.argmax())


def test_gradients_reach_every_weight(model, table, pairs):
    model.train()
    logits(model, table, pairs, np.arange(5)).sum().backward()
    for name, weights in model.named_parameters():
        assert weights.grad is not None, name
        assert weights.grad.abs().sum() > 0, name
