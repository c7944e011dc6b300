"""Training on the CPU in shards: the same gradients, whatever the number of threads."""

import threading
from pathlib import Path

import numpy as np
import pytest
import torch

from lexalign import threads
from lexalign.evaluation.nli import Example, Examples, encode, shards
from lexalign.evaluation.nli.esim import Esim, kept
from lexalign.evaluation.nli.inference import logits, predict
from lexalign.evaluation.nli.learner import _gradients_on_a_gpu, _gradients_on_the_cpu

DIMENSION, HIDDEN, PAIRS = 6, 5, 150
WORDS = {f"w{number}": number for number in range(20)}


@pytest.fixture
def table():
    torch.manual_seed(1)
    return torch.cat((torch.randn(len(WORDS), DIMENSION), torch.zeros(1, DIMENSION)))


@pytest.fixture
def pairs():
    generator = np.random.default_rng(2)

    def sentence():
        return " ".join(f"w{n}" for n in generator.integers(0, 20, generator.integers(0, 9)))

    examples = [Example("", sentence(), sentence(), n % 3) for n in range(PAIRS)]
    return encode(Examples(Path("x"), examples, 0), WORDS, str.split)


@pytest.fixture
def pool(monkeypatch):
    """Set the number of threads."""

    def of(count):
        threads._pool.cache_clear()
        monkeypatch.setattr(threads, "processors", lambda: count)

    yield of
    threads._pool.cache_clear()


def model(dropout):
    torch.manual_seed(0)
    return Esim(DIMENSION, HIDDEN, dropout).train()


def gradients(network):
    return {name: weights.grad for name, weights in network.named_parameters()}


def test_without_dropout_the_gradients_are_those_of_the_whole_batch(table, pairs):
    sharded, whole, chosen = model(0.0), model(0.0), np.arange(PAIRS)
    random = np.random.default_rng(0)
    loss = _gradients_on_the_cpu(torch, sharded, table, pairs, chosen, random)
    found = logits(whole, table, pairs, chosen)
    expected = torch.nn.functional.cross_entropy(found, torch.as_tensor(pairs.labels))
    expected.backward()
    torch.testing.assert_close(loss, expected.detach())
    torch.testing.assert_close(gradients(sharded), gradients(whole))


def test_gradients_lie_as_their_weights_do(table, pairs):
    """The fused Adam of torch reads both in the order of memory."""
    network = model(0.5)
    random = np.random.default_rng(0)
    _gradients_on_the_cpu(torch, network, table, pairs, np.arange(PAIRS), random)
    for weights in network.parameters():
        assert weights.grad.stride() == weights.stride()


def test_the_number_of_threads_changes_no_bit(table, pairs, pool):
    results = []
    for count in (1, 3):
        pool(count)
        network = model(0.5)
        chosen, random = np.arange(PAIRS), np.random.default_rng(0)
        loss = _gradients_on_the_cpu(torch, network, table, pairs, chosen, random)
        results.append((loss, gradients(network), predict(network, table, pairs)))
    (loss, first, answers), (other_loss, second, other_answers) = results
    assert loss == other_loss
    torch.testing.assert_close(first, second, rtol=0, atol=0)
    np.testing.assert_array_equal(answers, other_answers)


def test_every_shard_has_random_numbers_of_its_own(table, pairs, monkeypatch):
    """Every pair is the first one, so all shards have one loss unless dropout differs."""
    drawn = []
    network = model(0.5)
    monkeypatch.setattr(
        "lexalign.evaluation.nli.esim.kept",
        lambda *inputs: drawn.append(kept(*inputs)) or drawn[-1],
    )
    monkeypatch.setattr(threads, "processors", lambda: 1)
    chosen, random = np.zeros(2 * shards.SHARD, dtype=int), np.random.default_rng(0)
    _gradients_on_the_cpu(torch, network, table, pairs, chosen, random)
    first, second = drawn[: len(drawn) // 2], drawn[len(drawn) // 2 :]
    assert len(first) == 5
    assert all(not torch.equal(one, other) for one, other in zip(first, second, strict=True))


def test_shards_are_all_of_the_pairs_in_order(pool):
    pool(2)
    parts = shards.in_shards(lambda number, part: (number, part.start, part.stop), 150)
    assert parts == [(0, 0, 64), (1, 64, 128), (2, 128, 150)]
    assert [shards.shards(count) for count in (1, 64, 65, 150)] == [1, 1, 2, 3]


@pytest.mark.parametrize("count", [1, 2])
def test_operations_of_a_shard_have_one_thread(pool, count):
    pool(count)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        used = shards.in_shards(
            lambda *_: (threading.get_ident(), torch.get_num_threads()), 2 * shards.SHARD
        )
        assert {number for _, number in used} == {1}
        assert (threading.get_ident() in {thread for thread, _ in used}) == (count == 1)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_the_number_of_threads_comes_back_after_an_error():
    before = torch.get_num_threads()
    torch.set_num_threads(3)

    def fail(*_):
        raise ValueError("of the function")

    try:
        with pytest.raises(ValueError, match="of the function"):
            shards.in_shards(fail, 10)
        assert torch.get_num_threads() == 3
        with threads.one_thread_in_torch("cuda"):
            assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_dropout_leaves_out_its_share_and_keeps_the_mean(share):
    factors = kept((301, 333), share, np.random.default_rng(0))
    assert factors.dtype == torch.float32
    assert factors.shape == (301, 333)
    assert float((factors == 0).float().mean()) == pytest.approx(share, abs=0.005)
    assert float(factors.mean()) == pytest.approx(1, abs=0.02)
    values = factors[factors > 0]
    torch.testing.assert_close(values, torch.full_like(values, 1 / (1 - share)), rtol=1e-4, atol=0)
    again = kept((301, 333), share, np.random.default_rng(0))
    assert torch.equal(factors, again)
    assert not torch.equal(factors, kept((301, 333), share, np.random.default_rng(1))) or not share


def test_dropout_of_nearly_everything_stays_finite():
    assert kept((1000,), 1 - 1e-9, np.random.default_rng(0)).isfinite().all()


@pytest.mark.gpu
def test_on_a_gpu_the_gradients_are_those_of_the_cpu(table, pairs):
    """But for bfloat16."""
    here, there, chosen = model(0.0), model(0.0).cuda(), np.arange(PAIRS)
    _gradients_on_the_cpu(torch, here, table, pairs, chosen, np.random.default_rng(0))
    _gradients_on_a_gpu(torch, there, table.cuda(), pairs, chosen)
    for name, gradient in gradients(there).items():
        torch.testing.assert_close(
            gradient.cpu(),
            gradients(here)[name],
            rtol=0.05,
            atol=0.02 * float(gradient.abs().max()),
        )
