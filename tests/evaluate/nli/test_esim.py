"""The model: padding must not matter, and attention is what the formula says."""

import pytest
import torch

from lexalign.evaluate.nli.esim import Esim


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Esim(6, 5, 0.5).eval()


def test_padding_does_not_matter(model):
    """A pair has the same logits alone and beside longer ones, whatever fills it up."""
    torch.manual_seed(1)
    lengths = torch.tensor([3, 7, 2, 4])
    vectors = torch.randn(4, 7, 6)
    both = model(vectors, lengths)
    alone = model(torch.stack((vectors[0, :3], torch.cat((vectors[2, :2], torch.randn(1, 6))))),
                  torch.tensor([3, 2]))  # fmt: skip
    torch.testing.assert_close(both[0], alone[0])
    vectors[0, 3:], vectors[2, 2:] = 100.0, -100.0
    torch.testing.assert_close(model(vectors, lengths), both)


def test_the_order_of_words_and_of_sentences_matters(model):
    torch.manual_seed(2)
    vectors, lengths = torch.randn(2, 4, 6), torch.tensor([4, 4])
    logits = model(vectors, lengths)
    assert not torch.allclose(model(vectors.flip(1), lengths), logits)
    assert not torch.allclose(model(vectors.flip(0), lengths), logits)


def test_it_has_as_many_weights_as_the_publication_says(model):
    """Two BiLSTMs, one projection and two layers: by hand for d = 6 and h = 5."""
    lstm = lambda d: 2 * (4 * 5 * (d + 5) + 8 * 5)  # noqa: E731
    expected = lstm(6) + (40 * 5 + 5) + lstm(5) + (40 * 5 + 5) + (5 * 3 + 3)
    assert sum(weights.numel() for weights in model.parameters()) == expected
