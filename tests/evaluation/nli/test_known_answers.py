"""Small parts of natural language inference, worked by hand."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lexalign.errors import LexalignError
from lexalign.evaluation.nli.encoding import EncodedPairs, Sentences, TokenCoverage, encode
from lexalign.evaluation.nli.esim import Esim
from lexalign.evaluation.nli.examples import Example, Examples
from lexalign.evaluation.nli.inference import predict, require_torch, word_table
from lexalign.evaluation.nli.learner import Learner
from lexalign.evaluation.nli.transfer import Answers, answer
from lexalign.vectors import Embeddings

EXAMPLES = Examples(
    Path("folder/test.tsv"),
    [
        Example("1", "a dog barks", "an animal", 0),
        Example("2", "a dog", "a cat", 2),
        Example("3", "x" * 50, "sun", 0),
    ],
    unlabelled=4,
)


def test_words_have_the_length_of_the_root_of_the_dimension():
    table = word_table(Embeddings(["a", "b"], [[3, 4, 0, 0], [0, 0, 0, 0]]), "cpu")
    expected = [[1.2, 1.6, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    torch.testing.assert_close(table, torch.tensor(expected))


@pytest.mark.parametrize(
    ("accuracies", "over"),
    [
        ([], False),
        ([0.5], False),
        ([0.5, 0.4], False),
        ([0.5, 0.4, 0.4], True),
        ([0.5, 0.4, 0.6], False),
        ([0.6, 0.6, 0.6], True),
    ],
)
def test_training_is_over_after_two_epochs_without_a_better_one(accuracies, over):
    history = [{"dev_accuracy": accuracy} for accuracy in accuracies]
    assert Learner(patience=2)._is_over(history) is over


def test_streams_of_random_numbers_differ_by_seed_and_epoch():
    seeds = {Learner(seed=seed)._seed_of(stream) for seed in (0, 1) for stream in (0, 1, 2)}
    assert len(seeds) == 6
    assert Learner(seed=1)._seed_of(2) == Learner(seed=1)._seed_of(2)


def test_answers_as_json():
    answers = Answers(EXAMPLES, np.array([0, 1, 0]), TokenCoverage(10, 7, 1, 0))
    assert answers.right.tolist() == [True, False, True]
    assert json.loads(json.dumps(answers.as_dict())) == {
        "protocol": "nli",
        "lexicon": "folder/test.tsv",
        "p@1": pytest.approx(2 / 3),
        "accuracy": pytest.approx(2 / 3),
        "recall": {"entailment": 1.0, "neutral": None, "contradiction": 0.0},
        "pairs": 3,
        "unlabelled": 4,
        "coverage": {"tokens": 10, "known": 7, "empty": 1, "cut": 0},
        "ranks": [
            ["test.tsv 1 a dog barks", ["entailment"], 1],
            ["test.tsv 2 a dog", ["contradiction"], 0],
            [f"test.tsv 3 {'x' * 40}", ["entailment"], 1],
        ],
    }


def test_sentences_are_rows_of_known_words():
    encoded = encode(EXAMPLES, {"dog": 5, "a": 1, "cat": 2}, str.split)
    assert encoded.sentences.rows.tolist() == [1, 5, 1, 5, -1, -1, 1, 2, -1]
    assert encoded.sentences.starts.tolist() == [0, 2, 4, 5, 6, 8, 9]
    assert encoded.sentences.lengths.tolist() == [2, 2, 1, 1, 2, 1]
    assert encoded.labels.tolist() == [0, 2, 0]
    assert encoded.coverage == TokenCoverage(tokens=11, known=6, empty=3, cut=0)


def test_batches_are_sorted_by_the_longer_sentence():
    lengths = np.array([3, 1, 2, 1, 1, 4])  # of pairs: 3, 1 and 4
    sentences = Sentences(np.zeros(12, dtype=int), np.concatenate(([0], lengths.cumsum())))
    pairs = EncodedPairs(sentences, np.zeros(3, dtype=int), TokenCoverage(12, 12, 0, 0))
    assert [batch.tolist() for batch in pairs.order(2)] == [[1, 0], [2]]
    drawn = [batch.tolist() for batch in pairs.order(2, np.random.default_rng(0))]
    assert sorted(number for batch in drawn for number in batch) == [0, 1, 2]


def test_pairs_without_a_label_are_counted(tmp_path):
    rows = [("a", "b", "-"), ("c", "d", "neutral"), ("e", "f", "-"), ("g", "h", "-")]
    lines = [
        json.dumps({"premise": one, "hypothesis": other, "label": label})
        for one, other, label in rows
    ]
    file = tmp_path / "test.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    found = Examples.read(file)
    assert found.unlabelled == 3
    assert found.pairs == [Example("2", "c", "d", 1)]


def test_without_torch_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(LexalignError, match=r"^Natural language inference needs .*lexalign\[torch"):
        require_torch()


def test_a_model_is_asked_in_the_vectors_of_a_language():
    torch.manual_seed(0)
    model = Esim(4, 3, 0.0).eval()
    words = ["a", "dog", "cat", "sun"]
    vectors = Embeddings(words, np.random.default_rng(0).standard_normal((4, 4)))
    found = answer(model, vectors, EXAMPLES, str.split)
    encoded = encode(EXAMPLES, vectors.index, str.split)
    expected = predict(model, word_table(vectors, "cpu"), encoded)
    assert found.given.tolist() == expected.tolist()
    assert found.examples is EXAMPLES
    assert found.coverage == encoded.coverage
    with pytest.raises(LexalignError, match="expects vectors of dimension 4. Got 3 instead"):
        answer(model, Embeddings(["a"], np.eye(3)[:1]), EXAMPLES, str.split)
