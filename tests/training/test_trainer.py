"""Training learns from text, repeatably, and goes on after a stop."""

import numpy as np
import pytest

from lexalign.errors import InputError, LexalignError
from lexalign.training import MODELS, Counts, Trainer, train
from tests.conftest import StoppedError, Stops

SMALL = {"dimension": 16, "epochs": 6, "minimum_count": 1, "buckets": 1000, "sample": 0.0}


def topics_apart(embeddings) -> float:
    """How much more alike words of one topic are than words of two."""
    matrix = embeddings.matrix / np.linalg.norm(embeddings.matrix, axis=1, keepdims=True)
    topics = np.array([word[:6] for word in embeddings.words])
    same = topics[:, None] == topics
    similarity = matrix @ matrix.T
    return float(similarity[same].mean() - similarity[~same].mean())


@pytest.mark.parametrize("model", MODELS)
def test_words_of_one_topic_come_close(corpus_file, model):
    trained, counts = train([corpus_file], Trainer(model=model, **SMALL))
    assert len(trained) == 48
    assert trained.matrix.shape == (48, 16)
    assert counts.tokens == 7200
    assert list(trained.words) == list(counts.most_frequent(48, 1))
    assert topics_apart(trained) > 0.3


@pytest.mark.parametrize("model", MODELS)
def test_one_worker_gives_the_same_vectors_every_time(corpus_file, model):
    one, two, other = (
        train([corpus_file], Trainer(model=model, seed=seed, **SMALL))[0] for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one.matrix, two.matrix)
    assert not np.array_equal(one.matrix, other.matrix)


@pytest.mark.parametrize("model", MODELS)
def test_an_interrupted_training_ends_with_the_same_bits(corpus_file, tmp_path, model):
    trainer, folder = Trainer(model=model, **SMALL), str(tmp_path / "states")
    whole, _ = train([corpus_file], trainer)
    for after in (10_000, 25_000):  # of 7,200 tokens an epoch
        with pytest.raises(StoppedError):
            train([corpus_file], trainer, checkpoints=folder, progress=Stops("training", after))
        assert len(list((tmp_path / "states").iterdir())) == 1
    resumed, _ = train([corpus_file], trainer, checkpoints=folder)
    np.testing.assert_array_equal(resumed.matrix, whole.matrix)


def test_several_workers_learn_as_well(corpus_file):
    trained, _ = train([corpus_file], Trainer(workers=2, **SMALL))
    assert topics_apart(trained) > 0.3


def test_the_vocabulary_is_cut(corpus_file):
    trained, counts = train([corpus_file], Trainer(vocabulary=10, **SMALL))
    assert list(trained.words) == list(counts.most_frequent(10, 1))


def test_text_that_breaks_off_during_training_is_an_error_and_no_hang():
    class Broken:
        passes, identity = 0, "broken"

        def __iter__(self):
            self.passes += 1
            yield ["a", "b"] * 50
            if self.passes > 2:
                raise InputError("the file is cut off", path="text.xz")

    counts = Counts({"a": 50, "b": 50}, 100)
    with pytest.raises(InputError, match="text.xz: the file is cut off"):
        Trainer(**SMALL).train(Broken(), counts.words, counts.tokens)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"model": "glove"}, "`model` parameter of training must be one of"),
        ({"dimension": 0}, "`dimension` parameter of training must be a whole number, at least 1"),
        ({"rate": float("inf")}, "`rate` parameter of training must be a finite number, above 0"),
        ({"workers": -1}, "`workers` parameter of training must be a whole number, at least 1"),
        (
            {"sample": 1.0},
            "`sample` parameter of training must be a finite number, at least 0 and below 1",
        ),
        ({"seed": -1}, "`seed` .* at least 0 and below 4294967296"),
    ],
)
def test_wrong_parameters_are_refused(parameters, problem):
    with pytest.raises(LexalignError, match=problem):
        Trainer(**parameters)
