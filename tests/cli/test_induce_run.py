"""``lexalign induce RUN``, without a lexicon, and what it says at the end."""

import json
from pathlib import Path

import numpy as np
import pytest

from lexalign.cli.induce import START, _remarks
from lexalign.vectors import Lexicon, read, write
from tests.cli.test_commands import run
from tests.conftest import exit_code
from tests.induction.samples import noisy_pair, with_identical

QUICK = ("--trees", "5", "--ranking", "learned", "--max-rank", "100")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Vectors with identical words and numerals, seeds, a test, and the run of an alignment."""
    folder = tmp_path_factory.mktemp("cli-induce-run")
    source, target, _ = noisy_pair(words=350, dimension=50, noise=0.5)
    source, target = with_identical(source, target, 6)
    write(source, folder / "s.vec")
    write(target, folder / "t.vec")
    pairs = list(zip(source.words, target.words, strict=True))
    Lexicon(pairs[:100]).write(folder / "seeds.tsv")
    Lexicon(pairs[100:200]).write(folder / "test.tsv")
    sides = (folder / "s.vec", folder / "t.vec", "--lexicon", folder / "seeds.tsv")
    assert exit_code("align", "procrustes", *sides, "--output", folder / "aligned") == 0
    assert exit_code("induce", folder / "aligned", "--output", folder / "induced", *QUICK) == 0
    return folder


@pytest.fixture
def folder(home, monkeypatch):
    monkeypatch.chdir(home)
    return home


def test_the_map_of_an_induced_run_applies_to_the_original_vectors(capsys, folder, tmp_path):
    for side, file in (("source", "s.vec"), ("target", "t.vec")):
        output = tmp_path / file
        arguments = ("apply", "induced/map.safetensors", file, "--side", side, "--output", output)
        assert run(capsys, *arguments)[0] == 0
        expected = read(Path("induced") / f"{side}.vec").matrix
        np.testing.assert_allclose(read(output).matrix, expected, atol=2e-5)


def test_an_induced_run_is_translated_and_evaluated(capsys, folder):
    word, expected = read("s.vec").words[0], read("t.vec").words[0]
    code, out, _ = run(capsys, "translate", "induced", word, "-k", "1", "--table", "csv")
    assert code == 0
    assert out.splitlines()[1].startswith(f"{word},1,{expected},")
    code, out, _ = run(capsys, "evaluate", "induced", "--lexicon", "test.tsv", "--table", "csv")
    assert code == 0
    assert "learned" in out


def test_it_says_that_the_alignment_is_kept(capsys, folder):
    code, out, _ = run(capsys, "induce", "aligned", "--output", "told", "--overwrite", *QUICK)
    assert code == 0
    assert "The two embeddings already share one space." in out
    assert START["given"] in out
    assert "A model that was trained on mutual pairs ranks the translations" in out
    assert "Methods " not in out


def test_two_files_are_given_too(capsys, folder):
    sides = ("aligned/source.vec", "aligned/target.vec", "--method", "given")
    code, out, _ = run(capsys, "induce", *sides, "--output", "same", "--json", *QUICK)
    assert code == 0
    summary = json.loads(out)
    assert (summary["start"], summary["seeds"]) == ("given", 100)
    dictionaries = [Path(name, "dictionary.tsv").read_text("utf-8") for name in ("same", "induced")]
    assert dictionaries[0] == dictionaries[1]


def test_without_a_lexicon_it_starts_from_identical_words(capsys, folder):
    arguments = ("induce", "s.vec", "t.vec", "--output", "seedless", *QUICK)
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "Methods without seeds" in out
    assert "from identical words was chosen: " in out
    assert START["identical"] in out
    assert "held-out mutual pairs" in out
    assert "calibration error" not in out
    assert "mutual pairs and are too high" in " ".join(out.split())
    code, out, _ = run(capsys, "evaluate", "seedless", "--lexicon", "test.tsv", "--table", "csv")
    assert code == 0


@pytest.mark.parametrize(
    ("arguments", "expected", "sentence"),
    [
        (("s.vec", "t.vec", "s.vec"), 1, "s.vec: it needs a second file"),
        (("s.vec", "t.vec", "s.vec", "t.vec"), 2, "Expected one pair of files or one run, found 2"),
        (("aligned", "induced"), 2, "Expected one pair of files or one run, found 2"),
        (("aligned", "s.vec"), 1, "s.vec: it needs a second file"),
        (("no-run",), 1, "no-run: the folder holds no run.json"),
        (("nowhere",), 1, "nowhere: there is no such file or folder"),
        (("s.vec", "missing.vec"), 1, "missing.vec"),
        (("aligned", "--method", "vecmap"), 2, "The vectors of aligned are already aligned"),
        (("aligned", "--lexicon", "identical"), 1, "cannot use 'identical' as seeds"),
        (("aligned", "--lexicon", "alike"), 1, "alike: it cannot be read"),
        (("s.vec", "t.vec", "--lexicon", "alike"), 1, "alike: it cannot be read"),
        ((), 2, "Missing argument"),
    ],
)
def test_what_cannot_be_done_gets_one_sentence_and_leaves_nothing(
    capsys, folder, arguments, expected, sentence
):
    Path("no-run").mkdir(exist_ok=True)
    before = {path.name for path in folder.iterdir()}
    code, out, err = run(capsys, "induce", *arguments, "--output", "new", *QUICK)
    assert (code, out) == (expected, "")
    assert sentence in " ".join(err.split())
    assert "Traceback" not in err
    assert {path.name for path in folder.iterdir()} == before


def summary_of(start="seeds", **forward):
    direction = {
        "kind": "csls",
        "weak_labels": False,
        "seed_words": 400,
        "selected_by": "source",
        "csls": {"p@1": 0.5},
        **forward,
    }
    return {
        "start": start,
        "ranking": {"forward": direction},
        "expected_precision": 0.614,
        "examples": [{"source": "dog", "target": "Hund", "probability": 0.9}],
    }


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        ("seeds", "The alignment was fitted to the seed lexicon."),
        ("identical", "The alignment was fitted to identical words."),
        ("numerals", "The alignment was fitted to numerals."),
        ("nothing", "The alignment is unsupervised and uses no seed lexicon."),
        ("given", "The vectors are already aligned; the alignment is kept."),
    ],
)
def test_the_first_sentence_says_where_the_alignment_started(start, sentence):
    assert _remarks(summary_of(start))[0] == sentence
    assert _remarks(summary_of(start))[-1] == "  dog → Hund  0.90"


@pytest.mark.parametrize(
    ("forward", "sentence"),
    [
        ({}, "CSLS ranks the translations."),
        (
            {"learned": {"p@1": 0.5}},
            "CSLS ranks the translations; a trained model is no better on held-out words.",
        ),
        (
            {"kind": "learned", "learned": {"p@1": 0.6}},
            "A model that was trained on the seeds ranks the translations.",
        ),
        (
            {"kind": "learned", "weak_labels": True, "learned": {"p@1": 0.6}, "seed_words": 60},
            "A model that was trained on mutual pairs ranks the translations. "
            "On 60 seed words, it is better than CSLS.",
        ),
        (
            {"kind": "learned", "weak_labels": True, "learned": {"p@1": 0.4}, "seed_words": 60},
            "A model that was trained on mutual pairs ranks the translations.",
        ),
        (
            {"kind": "learned", "weak_labels": True, "learned": {"p@1": 0.6}, "seed_words": 0},
            "A model that was trained on mutual pairs ranks the translations.",
        ),
    ],
)
def test_the_second_sentence_says_what_ranks(forward, sentence):
    assert _remarks(summary_of(**forward))[1] == sentence


def test_probabilities_are_trusted_only_with_seeds():
    found = _remarks(summary_of())[2]
    assert found == "About 61 % of the first translations are expected to be right."
    turned = _remarks(summary_of(selected_by="target"))[2]
    assert turned.startswith(found)
    assert "probabilities can be off by 0.1 to 0.2; seeds that are frequent source words" in turned
    found = _remarks(summary_of(seed_words=0, weak_labels=True))[2]
    assert found == (
        "The probabilities are calibrated on mutual pairs and are too high; give 50 or more seed "
        "words."
    )
