"""Training by torch learns what gensim learns, repeatably, and goes on after a stop."""

import numpy as np
import pytest

from lexalign.errors import LexalignError
from lexalign.training import Trainer, torch_models, train
from tests.conftest import StoppedError, Stops
from tests.training.test_trainer import SMALL, topics_apart

pytest.importorskip("torch")

MODELS = ("fasttext", "skipgram")
on_devices = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
of_models = pytest.mark.parametrize("model", MODELS)


def trainer(**changes):
    return Trainer(**{**SMALL, "engine": "torch", **changes})


@on_devices
@of_models
def test_words_of_one_topic_come_close(corpus_file, model, device):
    trained, counts = train([corpus_file], trainer(model=model, device=device))
    assert trained.matrix.shape == (48, 16)
    assert list(trained.words) == list(counts.most_frequent(48, 1))
    assert topics_apart(trained) > 0.3


@on_devices
@of_models
def test_a_seed_gives_the_same_vectors_every_time(corpus_file, model, device):
    one, two, other = (
        train([corpus_file], trainer(model=model, seed=seed, device=device))[0]
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one.matrix, two.matrix)
    assert not np.array_equal(one.matrix, other.matrix)


@on_devices
@of_models
def test_an_interrupted_training_ends_with_the_same_bits(corpus_file, tmp_path, model, device):
    folder = str(tmp_path / "states")
    whole, _ = train([corpus_file], trainer(model=model, device=device))
    for after in (10_000, 25_000):  # of 7,200 tokens an epoch
        with pytest.raises(StoppedError):
            train(
                [corpus_file],
                trainer(model=model, device=device),
                checkpoints=folder,
                progress=Stops("training", after),
            )
    resumed, _ = train([corpus_file], trainer(model=model, device=device), checkpoints=folder)
    np.testing.assert_array_equal(resumed.matrix, whole.matrix)


def test_the_state_of_one_engine_is_not_that_of_the_other(corpus_file, tmp_path):
    for engine in ("gensim", "torch"):
        train([corpus_file], trainer(engine=engine), checkpoints=str(tmp_path / "states"))
    assert len(list((tmp_path / "states").iterdir())) == 2


def test_without_downsampling_all_words_are_kept():
    assert torch_models.kept_shares({"a": 90, "b": 10}, 0).tolist() == [1, 1]


def test_words_are_kept_as_word2vec_keeps_them():
    kept = torch_models.kept_shares({"a": 9900, "b": 100}, 0.01)
    assert kept == pytest.approx([(99**0.5 + 1) / 99, 1.0])


def test_a_step_takes_fewer_words_of_a_short_text():
    assert [torch_models.tiles_at_once(words) for words in (1, 512 * 320, 1e9)] == [4, 10, 256]


@pytest.mark.filterwarnings("ignore:.*overflow:RuntimeWarning")
def test_vectors_that_are_no_numbers_are_an_error(corpus_file):
    with pytest.raises(LexalignError, match="no longer finite after epoch 1; lower the `rate`"):
        train([corpus_file], trainer(model="skipgram", rate=1e38))


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"model": "cbow"}, "`model` .* 'fasttext', 'skipgram' if torch trains. Got 'cbow'"),
        ({"engine": "jax"}, "`engine` parameter of training must be one of"),
    ],
)
def test_what_torch_cannot_train_is_refused(parameters, problem):
    with pytest.raises(LexalignError, match=problem):
        trainer(**parameters)


def test_torch_trains_only_where_it_is_asked_for():
    assert not Trainer().uses_torch
    assert Trainer(engine="torch").uses_torch
