"""Adversarial alignment: what it learns, that it repeats itself, and goes on after a stop."""

import json
import logging
import sys

import numpy as np
import pytest
import torch

from lexalign.aligners import muse
from lexalign.aligners.adversary import Adversary
from lexalign.aligners.muse import AdversarialTraining, Muse
from lexalign.cli.wording import in_options
from lexalign.errors import LexalignError, MissingExtraError
from lexalign.evaluation import evaluate
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import StoppedError, Stops, random_rotation, small_rotation

SHORT = {"epochs": 2, "epoch_size": 1040, "hidden": 16, "batch": 16, "vocabulary": 300, "rounds": 1}


def clouds(words=1500, dimension=10, tilt=3.0, noise=0.02):
    """Words in clusters, some large, along axes of different length; the source is rotated."""
    generator = np.random.default_rng(0)
    lengths = np.linspace(2.0, 0.5, dimension)
    centres = generator.standard_normal((30, dimension))[generator.integers(30, size=words)]
    target = lengths * (centres + 0.5 * generator.standard_normal((words, dimension)))
    target += np.abs(generator.standard_normal((words, 1))) * generator.standard_normal(dimension)
    source = target @ small_rotation(dimension, tilt, generator).T
    source += noise * generator.standard_normal(source.shape)
    return (
        Embeddings([f"s{i}" for i in range(words)], source.astype(np.float32)),
        Embeddings([f"t{i}" for i in range(words)], target.astype(np.float32)),
    )


def translations(words):
    return Lexicon([(f"s{i}", f"t{i}") for i in range(words)])


@pytest.fixture(scope="module")
def pair():
    return clouds(words=400, dimension=6)


@pytest.fixture(scope="module")
def aligned():
    """An alignment of the large clouds, with its log."""
    records, handler = list[str](), logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())
    logger = logging.getLogger("lexalign")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        alignment = Muse(epochs=2, epoch_size=12_800, hidden=64, learning_rate=0.5, rounds=2).fit(
            *clouds()
        )
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    return alignment, records


def test_it_finds_a_planted_rotation_from_nothing(aligned):
    source, target = clouds()
    assert evaluate(source, target, translations(1500)).precision(1) < 0.1
    found = aligned[0]
    assert evaluate(found.source, found.target, translations(1500)).precision(1) > 0.97


def test_adversarial_training_alone_gets_most_of_the_way(aligned):
    epochs = [entry for entry in aligned[0].history if "epoch" in entry]
    assert [entry["epoch"] for entry in epochs] == [0, 1, 2]
    assert epochs[0]["discriminator_loss"] is None
    criteria = [entry["criterion"] for entry in epochs]
    assert criteria[0] < 0.9 < 0.98 < max(criteria[1:])
    assert epochs[2]["learning_rate"] == pytest.approx(0.98 * epochs[1]["learning_rate"])


def test_the_history_ends_with_the_rounds_and_all_of_it_is_logged(aligned):
    alignment, records = aligned
    rounds = alignment.history[3:]
    assert [entry["round"] for entry in rounds] == [1, 2]
    assert rounds[0]["pairs"] > 1000
    assert set(rounds[0]) == {"round", "pairs", "criterion"}
    logged = [json.loads(record.partition(": ")[2]) for record in records]
    assert logged == list(alignment.history)


def test_the_map_is_a_rotation_of_the_source_alone(aligned, pair):
    for alignment in (aligned[0], Muse(**(SHORT | {"rounds": 0})).fit(*pair)):
        matrix = alignment.map.source.matrix
        np.testing.assert_allclose(matrix.T @ matrix, np.eye(len(matrix)), atol=1e-6)
        assert alignment.map.target.matrix is None
    assert len(alignment.lexicon) == 0
    assert [next(iter(entry)) for entry in alignment.history] == ["epoch"] * 3


def test_one_step_is_that_of_the_definition():
    """The gradients written out against those that torch derives."""
    random = np.random.default_rng(3)
    x, z = random.standard_normal((2, 40, 5))
    adversary = Adversary(x, z, hidden=7, batch=4, discriminator_steps=3, beta=0.01, seed=1)
    state = {name: torch.tensor(array) for name, array in adversary.state().items()}
    parameters = [state[f"{kind}.{n}"] for n in range(3) for kind in ("weights", "biases")]
    loss = adversary.train(1, 0.3, lambda units: None)
    x, z = (torch.tensor(side, dtype=torch.float32) for side in (x, z))
    # AdversarialTraining filled the buffers for its one step, which the reference takes again.
    rows, others, kept = adversary._source_rows[0], adversary._target_rows[0], adversary._kept[0]
    assert 0.5 < (kept > 0).float().mean() < 1

    def cross_entropy(inputs, labels):
        first, bias, second, other_bias, last, last_bias = parameters
        hidden = torch.nn.functional.leaky_relu(inputs @ first + bias, 0.2)
        hidden = torch.nn.functional.leaky_relu(hidden @ second + other_bias, 0.2)
        odds = torch.sigmoid(hidden @ last + last_bias)[:, 0]
        return torch.nn.functional.binary_cross_entropy(odds, labels)

    sources_and_targets, losses = torch.tensor([0.9] * 4 + [0.1] * 4), []
    for step in range(3):
        inputs = torch.cat((x[rows[step]] @ state["map"], z[others[step]])) * kept[step]
        parameters = [value.detach().requires_grad_() for value in parameters]
        losses.append(cross_entropy(inputs, sources_and_targets))
        slopes = torch.autograd.grad(losses[-1], parameters)
        parameters = [value - 0.3 * slope for value, slope in zip(parameters, slopes, strict=True)]
    matrix = state["map"].requires_grad_()
    both = torch.cat((x[rows[3]] @ matrix, z[:4]))
    (slope,) = torch.autograd.grad(cross_entropy(both, 1 - sources_and_targets), matrix)
    moved = (matrix - 0.3 * slope).detach()
    expected = 1.01 * moved - 0.01 * moved @ moved.T @ moved
    np.testing.assert_allclose(adversary.map, expected, atol=1e-6)
    np.testing.assert_allclose(adversary.state()["weights.0"], parameters[0].detach(), atol=1e-6)
    np.testing.assert_allclose(adversary.state()["biases.2"], parameters[5].detach(), atol=1e-6)
    assert loss == pytest.approx(np.mean([value.item() for value in losses]), abs=1e-6)


def test_orthogonalisation_draws_the_map_to_the_rotations():
    """At a rate of nothing, a stretched map returns."""
    rows = np.random.default_rng(0).standard_normal((30, 4))
    adversary = Adversary(rows, rows, hidden=4, beta=0.2)
    turned = 1.2 * random_rotation(4, np.random.default_rng(1))
    adversary.restore({**adversary.state(), "map": turned.astype(np.float32)})
    adversary.train(60, 0.0, lambda units: None)
    np.testing.assert_allclose(adversary.map, turned / 1.2, atol=1e-5)


def test_the_rate_is_halved_from_the_second_drop_on():
    training = AdversarialTraining(Adversary(np.eye(3), np.eye(3), hidden=2), 1.0, np.eye(3))
    rates = []
    for criterion in (0.3, 0.5, 0.4, 0.6, 0.55, 0.5, 0.7):
        training.note(np.eye(3), criterion, 0.5)
        rates.append(training.rate / 0.98 ** len(rates))
    assert rates == pytest.approx([1, 1, 1, 1, 0.5, 0.25, 0.25])


def test_the_rotation_of_the_best_epoch_is_kept():
    training = AdversarialTraining(Adversary(np.eye(3), np.eye(3), hidden=2), 1.0, np.eye(3))
    for number, criterion in enumerate((0.3, 0.5, 0.4)):
        training.note(number * np.eye(3), criterion, 0.5)
    np.testing.assert_array_equal(training.best, np.eye(3))


def test_a_seed_gives_the_same_bits_and_leaves_those_of_the_caller_alone(pair):
    torch.manual_seed(7)
    before, legacy = torch.get_rng_state(), np.random.get_state()[1].copy()
    one, same, other = (Muse(**SHORT, seed=seed).fit(*pair) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.source.matrix, same.source.matrix)
    assert one.history == same.history
    assert Muse().draws_random_numbers
    assert one.history[1] != other.history[1]
    assert torch.equal(torch.get_rng_state(), before)
    assert (np.random.get_state()[1] == legacy).all()


@pytest.mark.parametrize(("stage", "after"), [("adversarial training", 1040), ("refining", 0)])
def test_an_interrupted_run_ends_with_the_same_bits(pair, tmp_path, stage, after):
    whole, muse = Muse(**SHORT).fit(*pair), Muse(**SHORT, checkpoint=str(tmp_path / "states"))
    with pytest.raises(StoppedError):
        muse.fit(*pair, progress=Stops(stage, after))
    resumed = muse.fit(*pair, progress=Stops("adversarial training", 2080))
    np.testing.assert_array_equal(resumed.source.matrix, whole.source.matrix)
    assert resumed.history == whole.history


def test_a_folder_of_checkpoints_serves_several_runs(pair, tmp_path):
    """Other settings or other vectors start anew; what comes after training may change."""
    folder = str(tmp_path / "states")
    with pytest.raises(StoppedError):
        Muse(**SHORT, checkpoint=folder).fit(*pair, progress=Stops("refining", 0))
    other = {**SHORT, "seed": 1}
    alone, beside = (Muse(**other, checkpoint=name).fit(*pair) for name in ("", folder))
    np.testing.assert_array_equal(alone.source.matrix, beside.source.matrix)
    Muse(**SHORT, checkpoint=folder).fit(pair[0].top(399), pair[1])
    assert len(list((tmp_path / "states").iterdir())) == 3
    changed = SHORT | {"rounds": 2, "loss": "l1"}
    resumed = Muse(**changed, checkpoint=folder).fit(
        *pair, progress=Stops("adversarial training", 2080)
    )
    assert len(list((tmp_path / "states").iterdir())) == 3
    np.testing.assert_array_equal(resumed.source.matrix, Muse(**changed).fit(*pair).source.matrix)


def test_divergence_is_an_error_with_advice(pair):
    with pytest.raises(LexalignError, match=r"diverged at a learning rate of 1e\+30: .*; lower"):
        Muse(**SHORT, learning_rate=1e30).fit(*pair)


def test_long_work_on_a_cpu_is_announced_before_it_begins(pair, monkeypatch, caplog):
    """The trial leaves no trace in the result."""
    long = SHORT | {"epoch_size": 8_000}
    expected = Muse(**long).fit(*pair)
    assert not caplog.records
    monkeypatch.setattr(muse, "SECONDS_WORTH_A_WARNING", 0.0)
    monkeypatch.setattr(muse, "STEPS_WORTH_A_TRIAL", 1000)
    found = Muse(**long).fit(*pair)
    (record,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert record.getMessage().startswith("muse takes about 0 minutes on this CPU")
    np.testing.assert_array_equal(found.source.matrix, expected.source.matrix)


def test_the_announcement_names_the_time_and_the_ways_out():
    sentence = muse.long_work_sentence(10_900)
    assert sentence.startswith("muse takes about 3.0 hours on this CPU.")
    assert "30 minutes" in muse.long_work_sentence(1_800)
    options = in_options(sentence)
    assert "--device cuda" in options
    assert "--preset unsupervised" in options


def test_it_takes_no_lexicon(pair):
    with pytest.raises(LexalignError, match="muse with these parameters uses no lexicon"):
        Muse(**SHORT).fit(*pair, translations(10))


def test_without_torch_it_says_what_to_install(pair, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"The method muse needs .*lexalign\[torch\]"):
        Muse(**SHORT).fit(*pair)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"epochs": 0},
            "`epochs` parameter of muse must be a whole number, at least 1. Got 0 instead",
        ),
        ({"hidden": -1}, "`hidden` parameter of muse must be a whole number, at least 1. Got -1"),
        (
            {"discriminator_steps": 0},
            "`discriminator_steps` parameter of muse must be a whole number, at least 1",
        ),
        ({"neighbours": 0}, "`neighbours` parameter of muse must be a whole number, at least 1"),
        ({"rounds": -1}, "`rounds` parameter of muse must be a whole number, at least 0. Got -1"),
        (
            {"learning_rate": 0.0},
            "`learning_rate` parameter of muse must be a finite number, at least 1e-06. Got 0.0",
        ),
        ({"learning_rate": float("nan")}, "`learning_rate` .* Got nan"),
        ({"beta": 0.6}, "`beta` .* at least 0 and at most 0.5. Got 0.6"),
        ({"device": "tpu"}, "`device` parameter of muse must be one of .* Got 'tpu'"),
        ({"loss": "l3"}, "`loss` parameter of muse must be one of"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(LexalignError, match=message):
        Muse(**parameters)


@pytest.mark.gpu
def test_the_recorded_graph_computes_what_its_steps_do():
    """The same random numbers with and without the graph; the GPU learns as well as the CPU."""
    rows = np.random.default_rng(0).standard_normal((2, 200, 8))
    maps = []
    for recorded in (True, False):
        adversary = Adversary(*rows, hidden=16, device="cuda")
        for _ in range(4):
            adversary.train(adversary._at_once, 0.1, lambda units: None)
            if not recorded:
                adversary._graph = None
        maps.append(adversary.map)
    np.testing.assert_allclose(*maps, atol=1e-4)
    source, target = clouds()
    found = Muse(epochs=2, epoch_size=12_800, hidden=64, learning_rate=0.5, device="cuda").fit(
        source, target
    )
    assert evaluate(found.source, found.target, translations(1500)).precision(1) > 0.97
