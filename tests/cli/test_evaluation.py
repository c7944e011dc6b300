"""Evaluation and translation from the command line: tables, JSON, sentences and exit codes."""

import csv
import json

import numpy as np
import pytest

from lexalign.vectors import Embeddings, Lexicon, write
from tests.cli.test_commands import run
from tests.conftest import planted_pair


@pytest.fixture
def files(tmp_path):
    """An aligned pair of 200 words, a better one, and a lexicon of 60 pairs."""
    source, target, _ = planted_pair(words=200, dimension=8, noise=0.35)
    better, _, _ = planted_pair(words=200, dimension=8, noise=0.1)
    for name, side in (("s", source), ("t", target), ("b", better)):
        write(side, tmp_path / f"{name}.vec")
    lines = "".join(f"s{i} t{i}\n" for i in range(60))
    (tmp_path / "test.txt").write_text(lines, encoding="utf-8")
    return tmp_path


def test_one_evaluation_is_one_json_object(capsys, files):
    code, out, err = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec", "--lexicon", files / "test.txt",
        "--json",
    )  # fmt: skip
    result = json.loads(out)
    assert code == 0
    assert {"p@1", "p@5", "p@10", "mrr", "coverage", "queries"} <= set(result)
    assert 0 < result["p@1"] < result["p@10"] <= 1
    assert (result["queries"], result["coverage"], result["protocol"]) == (60, 1.0, "muse")
    assert "ranking translations: done" in err


def test_the_table_names_the_rules_and_what_they_were_applied_to(capsys, files):
    code, out, _ = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec", "--lexicon", files / "test.txt",
        "--retrieval", "nn", "--breakdown", "frequency",
    )  # fmt: skip
    assert code == 0
    assert "protocol: muse, but nn" in out.replace("\n", " ")
    assert "rank 1–1,000" in out


def test_several_pairs_and_lexicons_give_one_table(capsys, files):
    (files / "more.txt").write_text("s70\tt70\ns71\tt71\nbad\n", encoding="utf-8")
    code, out, err = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec", files / "b.vec", files / "t.vec",
        "--lexicon", files / "test.txt", "--lexicon", files / "more.txt",
        "--malformed", "skip", "--table", "csv",
    )  # fmt: skip
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0
    assert [(row["pair"], row["lexicon"], row["queries"]) for row in rows] == [
        ("s.vec t.vec", "test.txt", "60"),
        ("s.vec t.vec", "more.txt", "2"),
        ("b.vec t.vec", "test.txt", "60"),
        ("b.vec t.vec", "more.txt", "2"),
    ]
    assert float(rows[2]["P@1"]) > float(rows[0]["P@1"])
    assert "more.txt, line 3: skipped, two words are wanted, but there are 1." in err
    for kind, beginning in (("markdown", "| pair |"), ("latex", r"\begin{tabular}")):
        _, out, _ = run(
            capsys, "evaluate", files / "s.vec", files / "t.vec", files / "b.vec", files / "t.vec",
            "--lexicon", files / "test.txt", "--table", kind,
        )  # fmt: skip
        assert out.startswith(beginning)


def test_a_folder_of_a_run_is_a_pair(capsys, files):
    run(capsys, "refine", files / "s.vec", files / "t.vec", "--output", files / "refined")
    code, out, _ = run(
        capsys, "evaluate", files / "refined", files / "s.vec", files / "t.vec",
        "--lexicon", files / "test.txt", "--lexicon", files / "test.txt", "--match", "--json",
    )  # fmt: skip
    assert code == 0
    assert [result["source"].split("/")[-1] for result in json.loads(out)] == [
        "source.vec",
        "s.vec",
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["s.vec", "t.vec", "--lexicon", "none.txt"], "none.txt: it cannot be read (No such file"),
        (["s.vec", "t.vec", "--lexicon", "comma.txt"], "comma.txt, line 1: two words are wanted, "
         "but there are 1 (they seem to be separated by ','"),
        (["s.vec", "t.vec", "--lexicon", "empty.txt"], "empty.txt: the file holds no pairs"),
        (["s.vec", "t.vec", "--lexicon", "other.txt"], "other.txt: source and target know none"),
        (["t.vec", "s.vec", "--lexicon", "test.txt"], "test.txt: the lexicon seems to be the other "
         "way round: source and target know 0 of its 60 pairs as they are and 60 with"),
        (["s.vec", "--lexicon", "test.txt"], "s.vec: it has no partner"),
        (["s.vec", "t.vec"], "Name a test dictionary with --lexicon"),
        (["s.vec", "t.vec", "--lexicon", "test.txt", "--lexicon", "test.txt", "--match"],
         "1 pairs and 2 lexicons"),
        (["s.vec", "narrow.vec", "--lexicon", "test.txt"], "its vectors have 8 dimensions and"),
        (["s.vec", "t.vec", "--lexicon", "test.txt", "--breakdown", "no"], "no: it cannot be read"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(capsys, files, monkeypatch, arguments, sentence):
    monkeypatch.chdir(files)
    (files / "comma.txt").write_text("s1,t1\n", encoding="utf-8")
    (files / "empty.txt").write_text("\n", encoding="utf-8")
    (files / "other.txt").write_text("dog hund\n", encoding="utf-8")
    write(Embeddings(["t1"] + [f"x{i}" for i in range(20)], np.ones((21, 3))), files / "narrow.vec")
    code, out, err = run(capsys, "evaluate", *arguments)
    assert code != 0
    assert out == ""
    assert sentence in err.replace("\n", " ")
    assert "Traceback" not in err


def test_similarity_of_one_language_and_of_two(capsys, files):
    lines = "".join(f"s{i}\ts{i + 1}\t{i % 7}\n" for i in range(30))
    (files / "mono.tsv").write_text(lines, encoding="utf-8")
    (files / "cross.tsv").write_text(
        "".join(f"s{i}\tt{i + i % 2}\t{1 - i % 2}\n" for i in range(30)), encoding="utf-8"
    )
    code, out, _ = run(
        capsys, "evaluate", files / "s.vec", "--similarity", files / "mono.tsv", "--json"
    )
    assert code == 0
    assert json.loads(out)["queries"] == 30
    code, out, _ = run(
        capsys, "evaluate", files / "b.vec", files / "t.vec", "--similarity", files / "cross.tsv"
    )
    assert code == 0
    assert "Spearman" in out


def test_systems_are_compared(capsys, files):
    for name in "sb":
        _, out, _ = run(
            capsys, "evaluate", files / f"{name}.vec", files / "t.vec",
            "--lexicon", files / "test.txt", "--json",
        )  # fmt: skip
        (files / f"{name}.json").write_text(out, encoding="utf-8")
    code, out, _ = run(capsys, "compare", files / "s.json", files / "b.json", "--table", "markdown")
    assert code == 0
    assert out.splitlines()[0].startswith("| system | runs | failed | P@1 | 95 % | gain |")
    code, out, _ = run(capsys, "compare", files / "s.json", files / "b.json", "--json")
    gain = json.loads(out)["differences"][0]["difference"]
    assert gain["low"] > 0
    assert gain["p"] < 0.05
    code, _, err = run(capsys, "compare", files / "s.json")
    assert code == 1
    assert "at least two systems" in err


def test_outliers_are_listed_and_left_out(capsys, files):
    wrong = "".join(f"s{i} t{i}\n" for i in range(100)) + "s150 t3\ns151 t9\n"
    (files / "train.txt").write_text(wrong, encoding="utf-8")
    arguments = (
        "outliers", files / "b.vec", files / "t.vec", "--lexicon", files / "train.txt",
        "--test", files / "test.txt", "--inliers", files / "clean.tsv",
    )  # fmt: skip
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "fitted without outliers" in out
    clean = Lexicon.read(files / "clean.tsv")
    assert ("s150", "t3") not in clean.pairs
    assert ("s5", "t5") in clean.pairs
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert "clean.tsv exists already" in err
    code, out, _ = run(capsys, *arguments, "--overwrite", "--json")
    assert ["s150", "t3"] in [pair[:2] for pair in json.loads(out)["outliers"]]


def test_words_are_translated_in_both_directions(capsys, files):
    code, out, err = run(
        capsys, "translate", files / "b.vec", files / "t.vec", "s3", "t4", "zzz", "--direction",
        "both", "-k", "2", "--json",
    )  # fmt: skip
    found = {entry["word"]: entry for entry in json.loads(out)}
    assert code == 0
    assert found["s3"]["direction"] == "forward"
    assert found["s3"]["translations"][0]["word"] == "t3"
    assert found["t4"]["direction"] == "backward"
    assert found["t4"]["translations"][0]["word"] == "s4"
    assert "'zzz' is not among the 200 source words" in err
    code, out, err = run(capsys, "translate", files / "b.vec", files / "t.vec", "t4")
    assert code == 1
    assert "it is a word of the target" in err


@pytest.mark.parametrize("format", ["tsv", "muse", "xling", "vecmap"])
def test_dictionaries_are_exported_in_every_format(capsys, files, format):
    output = files / "out.txt"
    code, _, err = run(
        capsys, "translate", files / "b.vec", files / "t.vec", "--mutual", "--min-margin", "0.05",
        "--output", output, "--format", format,
    )  # fmt: skip
    assert code == 0
    lexicon = Lexicon.read(output)
    assert f"{len(lexicon)} pairs" in err
    assert np.mean([pair[0][1:] == pair[1][1:] for pair in lexicon]) > 0.9
    assert (lexicon.weights is not None) == (format == "tsv")
    assert (b"\t" in output.read_bytes()) == (format in ("tsv", "xling"))


def test_all_words_and_words_of_a_file(capsys, files):
    (files / "words").write_text("s1\ns2\n", encoding="utf-8")
    for arguments, count in ((["--all"], 200), (["--file", files / "words", "-k", "3"], 6)):
        code, _, _ = run(
            capsys, "translate", files / "b.vec", files / "t.vec", *arguments,
            "--output", files / "d.tsv", "--overwrite",
        )  # fmt: skip
        assert code == 0
        assert len(Lexicon.read(files / "d.tsv")) == count


def test_translate_wants_one_kind_of_words(capsys, files):
    for arguments in ([], ["s1", "--all"], ["s1", "--min-margin", "1"]):
        code, _, err = run(capsys, "translate", files / "b.vec", files / "t.vec", *arguments)
        assert code == 2
        assert "--mutual" in err
