"""The written gradients are those of the loss, and steps go down."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from lexalign.training import skip_gram  # noqa: E402
from lexalign.training.context_tiles import Tiles  # noqa: E402
from lexalign.training.skip_gram import RANDOM_WORDS, SkipGram  # noqa: E402

WORDS = {"water": 40, "waters": 30, "house": 20, "houses": 10, "tree": 5}
NEGATIVE = 5


@pytest.fixture
def tile():
    random = torch.Generator().manual_seed(1)
    words = torch.randint(5, (3, 4), generator=random)
    around = torch.randint(5, (3, 6), generator=random)
    return Tiles(words, around, torch.rand(3, 4, 6, generator=random) < 0.4)


def model(buckets=0):
    made = SkipGram.of(WORDS, 7, buckets, seed=2, device="cpu")
    made.contexts.normal_(generator=made.random)
    made.inputs.normal_(generator=made.random)
    return made


def loss(made, tile, strangers):
    """The loss of the module's docstring, word by word, from weights that torch watches."""
    inputs, contexts = (each.clone().requires_grad_() for each in (made.inputs, made.contexts))
    subwords = (
        [[word] for word in range(5)]
        if made.parts is None
        else [
            made.parts[start : start + count]
            for start, count in zip(made.starts, made.counts, strict=True)
        ]
    )
    vectors = torch.stack([inputs[torch.as_tensor(parts)].mean(0) for parts in subwords])
    total = torch.zeros(())
    for t, row in np.ndindex(*tile.words.shape):
        vector = vectors[tile.words[t, row]]
        near = tile.near[t, row]
        for column in near.nonzero()[:, 0]:
            score = vector @ contexts[tile.around[t, column]]
            total = total - torch.nn.functional.logsigmoid(score)
        for stranger in strangers[t]:
            weight = near.sum() * NEGATIVE / RANDOM_WORDS
            total = total - weight * torch.nn.functional.logsigmoid(-vector @ contexts[stranger])
    total.backward()
    return inputs.grad, contexts.grad


@pytest.mark.parametrize("buckets", [0, 50])
def test_a_step_takes_the_gradient_of_the_loss(tile, buckets, monkeypatch):
    made = model(buckets)
    strangers = torch.randint(5, (3, RANDOM_WORDS), generator=torch.Generator().manual_seed(3))
    monkeypatch.setattr(SkipGram, "_strangers", lambda self, count: strangers)
    seen = {}

    def note(matrix, scale, rows, gradients, length):
        full = torch.zeros_like(matrix)
        full[rows] = gradients
        seen["contexts" if matrix is made.contexts else "inputs"] = full

    monkeypatch.setattr(skip_gram, "_descend", note)
    made.step(tile, NEGATIVE, 0.05)
    inputs, contexts = loss(made, tile, strangers)
    torch.testing.assert_close(seen["contexts"], contexts)
    if not buckets:
        torch.testing.assert_close(seen["inputs"], inputs)
    else:  # a part takes the whole gradient of its word, as in fastText, not its share of the mean
        for row in {int(part) for part in made.parts}:
            owners = [
                word
                for word, (start, count) in enumerate(zip(made.starts, made.counts, strict=True))
                if row in made.parts[start : start + count]
            ]
            if len(owners) == 1:
                times = int(made.counts[owners[0]])
                torch.testing.assert_close(seen["inputs"][row], inputs[row] * times)


def test_a_row_takes_the_step_of_its_scale():
    matrix, scale = torch.zeros(3, 2), torch.tensor([1.0, 7.0, 1.0])
    skip_gram._descend(matrix, scale, torch.tensor([1]), torch.tensor([[3.0, -3.0]]), 0.5)
    assert scale.tolist() == [1.0, 16.0, 1.0]
    assert matrix.tolist() == [[0, 0], [-0.375, 0.375], [0, 0]]


def test_gradients_of_one_place_are_added():
    total = skip_gram._added(torch.ones(3, 2), torch.tensor([1, 1, 0]), 2)
    assert total.tolist() == [[1, 1], [2, 2]]


def test_random_words_follow_the_flattened_counts():
    made = model()
    drawn = np.bincount(made._strangers(2000).flatten().numpy(), minlength=5)
    expected = np.array(list(WORDS.values())) ** 0.75
    np.testing.assert_allclose(drawn / drawn.sum(), expected / expected.sum(), atol=0.01)


def test_the_vector_of_a_word_is_the_mean_of_its_parts():
    made = model(buckets=50)
    start, count = int(made.starts[2]), int(made.counts[2])
    expected = made.inputs[made.parts[start : start + count]].mean(0)
    torch.testing.assert_close(made.vectors(torch.tensor([4, 2]))[1], expected)
