"""A model learns to infer, and keeps what it knows in another language of the same space."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from lexalign.errors import LexalignError
from lexalign.evaluation.nli import Learner
from tests.conftest import exit_code

SMALL = ["--hidden", "24", "--batch", "32", "--rate", "0.005", "--epochs", "8", "--dropout", "0.1"]


def train(nli, output, *more):
    return exit_code(
        "nli", "train", "--vectors", nli / "en.npz", "--train", nli / "train.jsonl",
        "--dev", nli / "dev.jsonl", "--output", output, *SMALL, *more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def model(nli):
    assert train(nli, nli / "model") == 0
    return nli / "model"


def ask(capsys, *arguments):
    capsys.readouterr()
    assert exit_code("nli", "test", *arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_it_learns_far_above_chance_and_transfers(nli, model, capsys):
    record = json.loads((model / "run.json").read_text())
    assert record["dev_accuracy"] > 0.8
    english, german, unaligned = ask(
        capsys, model,
        "--vectors", nli / "en.npz", "--test", nli / "test.en.jsonl",
        "--vectors", nli / "de.npz", "--test", nli / "test.de.jsonl",
        "--vectors", nli / "unaligned.npz", "--test", nli / "test.de.jsonl",
    )  # fmt: skip
    assert english["accuracy"] > 0.8
    assert german["accuracy"] == english["accuracy"]
    assert unaligned["accuracy"] < 0.6
    assert english["coverage"]["known"] == english["coverage"]["tokens"]
    assert np.mean(list(english["recall"].values())) == pytest.approx(english["accuracy"])


def test_one_file_may_hold_all_languages(nli, model, capsys, tmp_path):
    path = tmp_path / "xnli.tsv"
    lines = ["language\tgold_label\tsentence1\tsentence2\tpairID"]
    for language in ("en", "de"):
        rows = map(json.loads, (nli / f"test.{language}.jsonl").read_text().splitlines())
        lines += [
            "\t".join((language, row["label"], row["premise"], row["hypothesis"], str(number)))
            for number, row in enumerate(rows)
        ]
    path.write_text("\n".join(lines))
    both = [
        "--vectors",
        nli / "en.npz",
        "--test",
        path,
        "--vectors",
        nli / "de.npz",
        "--test",
        path,
    ]
    assert exit_code("nli", "test", model, *both) == 1
    assert "the file has several languages, such as en and de" in capsys.readouterr().err
    english, german = ask(capsys, model, *both, "--language", "en", "--language", "de")
    assert english["pairs"] == german["pairs"] == 300
    assert english["accuracy"] == german["accuracy"] > 0.8
    assert exit_code("nli", "test", model, *both, "--language", "en") == 2


def test_a_class_that_is_absent_has_no_recall(nli, model, capsys, tmp_path):
    lines = (nli / "test.en.jsonl").read_text().splitlines()
    path = tmp_path / "some.jsonl"
    path.write_text("\n".join(line for line in lines if "neutral" not in line))
    (found,) = ask(capsys, model, "--vectors", nli / "en.npz", "--test", path)
    assert found["recall"]["neutral"] is None
    assert found["pairs"] == 200


def test_other_test_sets_are_not_compared(nli, model, capsys, tmp_path):
    for name in ("en", "de"):
        answers = ask(
            capsys, model, "--vectors", nli / f"{name}.npz", "--test", nli / f"test.{name}.jsonl"
        )
        (tmp_path / f"{name}.json").write_text(json.dumps(answers))
    assert exit_code("compare", tmp_path / "en.json", tmp_path / "de.json") == 1
    assert "they differ" in capsys.readouterr().err


def test_the_answers_can_be_compared(nli, model, capsys, tmp_path):
    for name in ("de", "unaligned"):
        answers = ask(
            capsys, model, "--vectors", nli / f"{name}.npz", "--test", nli / "test.de.jsonl"
        )
        (tmp_path / f"{name}.json").write_text(json.dumps(answers))
    code = exit_code("compare", tmp_path / "unaligned.json", tmp_path / "de.json", "--json")
    assert code == 0
    (difference,) = json.loads(capsys.readouterr().out)["differences"]
    assert difference["difference"]["p"] < 0.01


def test_the_table_has_a_row_for_every_model_and_language(nli, model, capsys):
    arguments = ["--vectors", nli / "de.npz", "--test", nli / "test.de.jsonl"] * 2
    assert exit_code("nli", "test", model, model, *arguments, "--table", "csv") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("model,vectors,test,accuracy,recall entailment")


def test_the_same_seed_gives_the_same_model_and_a_stop_changes_nothing(
    nli, model, tmp_path, monkeypatch
):
    from tests.conftest import StoppedError, Stops

    states = tmp_path / "states"
    with monkeypatch.context() as patch:
        stops = Stops("training", 4000)
        patch.setattr("lexalign.cli.progress.progress_for_humans", lambda: stops)
        with pytest.raises(StoppedError):
            train(nli, tmp_path / "again", "--checkpoint", states)
    assert not (tmp_path / "again").exists()
    assert train(nli, tmp_path / "again", "--checkpoint", states) == 0
    one, two = (load_file(folder / "model.safetensors") for folder in (model, tmp_path / "again"))
    for name, weights in one.items():
        np.testing.assert_array_equal(weights, two[name])
    records = [json.loads((f / "run.json").read_text()) for f in (model, tmp_path / "again")]
    assert records[0]["history"] == records[1]["history"]


def test_training_that_diverges_says_so(nli, tmp_path, capsys, monkeypatch):
    from lexalign.evaluation.nli import learner

    logits = learner.logits
    monkeypatch.setattr(learner, "logits", lambda *inputs: logits(*inputs) * float("inf"))
    assert train(nli, tmp_path / "wild") == 1
    assert "Training diverged in epoch 1" in capsys.readouterr().err
    assert not (tmp_path / "wild").exists()


def test_a_part_of_the_pairs_is_enough_to_try(nli, tmp_path):
    assert train(nli, tmp_path / "part", "--pairs", 100, "--epochs", 1) == 0
    record = json.loads((tmp_path / "part" / "run.json").read_text())
    assert record["inputs"]["train"]["pairs"] == 100
    assert [entry["epoch"] for entry in record["history"]] == [0]


def test_bad_input_is_one_sentence(nli, model, tmp_path, capsys):
    test = ["--vectors", nli / "de.npz", "--test", nli / "test.de.jsonl"]
    assert exit_code("nli", "test", tmp_path, *test) == 1
    assert "there is no NLI model in this folder" in capsys.readouterr().err
    assert exit_code("nli", "test", model, *test, "--vectors", nli / "en.npz") == 2
    assert "Each --test needs its --vectors" in " ".join(capsys.readouterr().err.split())
    from lexalign import write
    from lexalign.vectors import Embeddings

    write(Embeddings(["dething1"], np.ones((1, 3), np.float32)), tmp_path / "small.npz")
    small = ["--vectors", tmp_path / "small.npz", "--test", nli / "test.de.jsonl"]
    assert exit_code("nli", "test", model, *small) == 1
    assert "small.npz: the model expects vectors of dimension 16. Got 3" in capsys.readouterr().err
    assert train(nli, model) == 1
    assert "already exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"hidden": 0}, "`hidden` parameter of the learner must be a whole number, at least 1"),
        (
            {"dropout": 1},
            "`dropout` parameter of the learner must be a finite number, at least 0 and below 1",
        ),
        ({"seed": -1}, "`seed` .* at least 0"),
        ({"device": "tpu"}, "`device` parameter of the learner must be one of"),
    ],
)
def test_wrong_parameters_are_refused(parameters, problem):
    with pytest.raises(LexalignError, match=problem):
        Learner(**parameters)


@pytest.mark.gpu
def test_on_a_gpu_a_stop_changes_nothing(nli, tmp_path, monkeypatch):
    from tests.conftest import StoppedError, Stops

    cuda = "--device", "cuda"
    assert train(nli, tmp_path / "whole", *cuda) == 0
    with monkeypatch.context() as patch:
        stops = Stops("training", 4000)
        patch.setattr("lexalign.cli.progress.progress_for_humans", lambda: stops)
        with pytest.raises(StoppedError):
            train(nli, tmp_path / "again", *cuda, "--checkpoint", tmp_path / "states")
    assert train(nli, tmp_path / "again", *cuda, "--checkpoint", tmp_path / "states") == 0
    one, two = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "again"))
    for name, weights in one.items():
        np.testing.assert_array_equal(weights, two[name])


@pytest.mark.gpu
def test_on_a_gpu_it_learns_as_well_and_repeatably(nli, tmp_path):
    for name in ("one", "two"):
        assert train(nli, tmp_path / name, "--device", "cuda") == 0
    one, two = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    for name, weights in one.items():
        np.testing.assert_array_equal(weights, two[name])
    record = json.loads((tmp_path / "one" / "run.json").read_text())
    assert record["dev_accuracy"] > 0.8


@pytest.mark.parametrize("damage", ["size", "dropout", "rule", "weights", "file"])
def test_a_damaged_model_is_one_sentence(model, nli, tmp_path, capsys, damage):
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    record = json.loads((folder / "run.json").read_text())
    if damage == "size":
        record["parameters"]["hidden"] = 10**9  # would need exabytes
    elif damage == "dropout":
        record["parameters"]["dropout"] = float("nan")
    elif damage == "rule":
        del record["tokens"]["rule"]
    elif damage == "weights":
        weights = load_file(folder / "model.safetensors")
        save_file({name: w * np.nan for name, w in weights.items()}, folder / "model.safetensors")
    else:
        (folder / "model.safetensors").write_bytes(b"damaged")
    (folder / "run.json").write_text(json.dumps(record))
    test = ["--vectors", nli / "de.npz", "--test", nli / "test.de.jsonl"]
    assert exit_code("nli", "test", folder, *test) == 1
    message = " ".join(capsys.readouterr().err.split())
    assert "there is no NLI model in this folder, or it is damaged" in message
