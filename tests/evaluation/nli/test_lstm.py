"""The LSTM on the CPU, and its derivatives, beside those of torch."""

import pytest
import torch
from torch.nn.utils.rnn import PackedSequence

from lexalign.evaluation.nli.lstm import states

SIZES = {
    "falling": [6, 6, 4, 1],
    "one word": [3],
    "alike": [4, 4, 4],
    "one sentence": [1, 1, 1, 1, 1],
}


@pytest.fixture
def layer():
    torch.manual_seed(0)
    return torch.nn.LSTM(7, 5, bidirectional=True).double()


def vectors(sizes, *, frozen=False):
    torch.manual_seed(1)
    return torch.randn(sum(sizes), 7, dtype=torch.float64, requires_grad=not frozen)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_states_and_gradients_are_those_of_torch(layer, sizes):
    rows = vectors(sizes)
    expected = layer(PackedSequence(rows, torch.tensor(sizes)))[0].data
    found = states(layer, rows, sizes)
    torch.testing.assert_close(found, expected)
    weighed = torch.randn_like(expected)
    inputs = [rows, *layer.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad((found * weighed).sum(), inputs),
        torch.autograd.grad((expected * weighed).sum(), inputs),
    )


def test_no_two_gradients_share_memory(layer):
    """Otherwise what adds to or scales them in place would do so twice."""
    found = states(layer, vectors(SIZES["falling"]), SIZES["falling"]).sum()
    gradients = torch.autograd.grad(found, list(layer.parameters()))
    assert len({gradient.data_ptr() for gradient in gradients}) == len(gradients)


def test_frozen_vectors_have_no_gradient(layer):
    rows = vectors(SIZES["falling"], frozen=True)
    states(layer, rows, SIZES["falling"]).sum().backward()
    assert rows.grad is None
    assert all(weights.grad.abs().sum() > 0 for weights in layer.parameters())


def test_nothing_that_is_given_is_changed(layer):
    rows, sizes = vectors(SIZES["falling"]), SIZES["falling"]
    before = [tensor.detach().clone() for tensor in (rows, *layer.parameters())]
    found = states(layer, rows, sizes)
    kept = found.detach().clone()
    weighed = torch.randn_like(found)
    weighed_before = weighed.clone()
    found.backward(weighed)
    torch.testing.assert_close(found, kept, rtol=0, atol=0)
    torch.testing.assert_close(weighed, weighed_before, rtol=0, atol=0)
    for tensor, was in zip((rows, *layer.parameters()), before, strict=True):
        torch.testing.assert_close(tensor.detach(), was, rtol=0, atol=0)
