"""Splitting, swapping and checking lexicons from the command line."""

import json
import os
from pathlib import Path

import pytest

from lexalign.vectors import Lexicon, write
from tests.cli.test_commands import run
from tests.conftest import planted_pair

TABS = "".join(f"s{i}\tt{i} x\n" for i in range(50))
BLANKS = TABS.replace(" x", "").replace("\t", " ")
WEIGHTS = "".join(f"s{i}\tt{i}\t{i / 4}\n" for i in range(50))
CLASSES = "".join(f"s{i}\tt{i}\t{'noun' if i % 3 else 'verb'}\n" for i in range(50))
TEXTS = {"tabs": TABS, "blanks": BLANKS, "weights": WEIGHTS, "classes": CLASSES}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Lexicons of several formats, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(f"{name}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def contents():
    return {path.name for path in Path().iterdir()}


@pytest.mark.parametrize("name", list(TEXTS))
def test_the_parts_of_a_split_have_the_lines_of_the_file(capsys, name):
    code, out, _ = run(
        capsys, "lexicon", "split", f"{name}.txt", "--train", "train.txt", "--test", "test.txt"
    )
    assert code == 0
    assert out == (
        "train.txt: 40 pairs of 40 source words\ntest.txt: 10 pairs of 10 source words\n"
    )
    whole, train, test = (
        Path(f"{part}.txt").read_text("utf-8").splitlines() for part in (name, "train", "test")
    )
    assert sorted(train + test) == sorted(whole)


def test_the_seed_and_the_share_are_options(capsys):
    drawn = []
    for seed in (0, 0, 1):
        code, out, _ = run(
            capsys, "lexicon", "split", "tabs.txt", "--train", "train.txt", "--test", "test.txt",
            "--test-share", "0.5", "--seed", seed, "--overwrite", "--json",
        )  # fmt: skip
        assert code == 0
        assert json.loads(out) == {
            name: {"path": f"{name}.txt", "pairs": 25, "source_words": 25}
            for name in ("train", "test")
        }
        drawn.append(Path("test.txt").read_text("utf-8"))
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tabs.txt", "--train", "x.txt", "--test", "x.txt"], "x.txt is both --train and --test;"),
        (["tabs.txt", "--train", "tabs.txt", "--test", "x.txt", "--overwrite"],
         "tabs.txt is both the lexicon and --train;"),
        (["tabs.txt", "--train", "x.txt", "--test", "./tabs.txt", "--overwrite"],
         "tabs.txt is both the lexicon and --test;"),
        (["tabs.txt", "--train", "x.txt", "--test", "blanks.txt"],
         "blanks.txt already exists; choose another name or set --overwrite."),
        (["tabs.txt", "--train", "x.txt", "--test", "no/y.txt"], "its folder does not exist"),
        (["tabs.txt", "--train", "x.txt", "--test", "y.txt", "--test-share", "1"],
         "The option --test-share of the split must be a finite number, above 0 and below 1"),
        (["none.txt", "--train", "x.txt", "--test", "y.txt"], "none.txt: it cannot be read"),
        (["bad.txt", "--train", "x.txt", "--test", "y.txt"], "bad.txt, line 1: expected 2 words"),
        (["one.txt", "--train", "x.txt", "--test", "y.txt"], "one.txt: the lexicon has 1 source"),
    ],
)  # fmt: skip
def test_a_refused_split_writes_nothing(capsys, arguments, sentence):
    Path("bad.txt").write_text("lonely\n", encoding="utf-8")
    Path("one.txt").write_text("dog Hund\n", encoding="utf-8")
    before = contents()
    code, out, err = run(capsys, "lexicon", "split", *arguments)
    assert code == 1
    assert out == ""
    assert sentence in err
    assert contents() == before
    assert Path("tabs.txt").read_text("utf-8") == TABS


def test_both_parts_are_written_or_neither(capsys, monkeypatch):
    Path("train.txt").write_text("old", encoding="utf-8")
    before, link = contents(), os.link

    def refuse(source, target):
        if Path(target).name == "test.txt":
            raise PermissionError(13, "Permission denied")
        link(source, target)

    monkeypatch.setattr("lexalign.renaming.os.link", refuse)
    code, _, err = run(
        capsys, "lexicon", "split", "tabs.txt", "--train", "train.txt", "--test", "test.txt",
        "--overwrite",
    )  # fmt: skip
    assert code == 1
    assert "test.txt cannot be written (Permission denied)" in err
    assert contents() == before
    assert Path("train.txt").read_text("utf-8") == "old"


@pytest.mark.parametrize(
    ("name", "line"), [("tabs", "t7 x\ts7"), ("blanks", "t7 s7"), ("weights", "t7\ts7\t1.75")]
)
def test_a_swapped_lexicon_keeps_its_format_and_its_weights(capsys, name, line):
    code, out, _ = run(capsys, "lexicon", "swap", f"{name}.txt", "swapped.txt")
    assert code == 0
    assert out == "swapped.txt: 50 pairs of 50 source words\n"
    assert Path("swapped.txt").read_text("utf-8").splitlines()[7] == line
    code, out, _ = run(capsys, "lexicon", "swap", "swapped.txt", "again.txt", "--json")
    assert json.loads(out)["pairs"] == 50
    assert Path("again.txt").read_bytes() == Path(f"{name}.txt").read_bytes()


def test_a_swap_does_not_replace_unasked(capsys):
    code, _, err = run(capsys, "lexicon", "swap", "tabs.txt", "blanks.txt")
    assert (code, Path("blanks.txt").read_text("utf-8")) == (1, BLANKS)
    assert "blanks.txt already exists" in err
    assert run(capsys, "lexicon", "swap", "tabs.txt", "blanks.txt", "--overwrite")[0] == 0
    code, _, err = run(capsys, "lexicon", "swap", "tabs.txt", "tabs.txt", "--overwrite")
    assert code == 1
    assert "tabs.txt is both the lexicon and the output; name different files." in err


def test_a_check_counts_and_gives_examples(capsys):
    Path("mixed.txt").write_text("dog Hund\ndog Rüde\ndog Hund\nBonn Bonn\n", encoding="utf-8")
    code, out, _ = run(capsys, "lexicon", "check", "mixed.txt", "--table", "csv")
    assert code == 0
    assert "source words with several translations,1,dog" in out
    assert "vector" not in out
    code, out, _ = run(capsys, "lexicon", "check", "mixed.txt", "--json")
    found = json.loads(out)
    assert (code, found["lexicon"], found["pairs"]) == (0, "mixed.txt", 4)
    assert found["repeated_pairs"] == {"count": 1, "examples": ["dog → Hund"]}
    assert "known_pairs" not in found


def test_every_row_of_a_check_has_a_name_of_its_own(capsys):
    write(planted_pair(words=30, dimension=6)[0], "s.vec")
    code, out, _ = run(
        capsys, "lexicon", "check", "tabs.txt", "s.vec", "s.vec", "--table", "markdown"
    )
    names = [line.split("|")[1] for line in out.splitlines() if line.startswith("|")]
    assert code == 0
    assert len(set(names)) == len(names) == 18


def test_a_check_warns_of_a_wrong_direction_and_of_low_coverage(capsys):
    source, target, _ = planted_pair(words=60, dimension=6)
    write(source, "s.vec")
    write(target, "t.vec")
    lines = {"right": "s{0}\tt{0}\n", "swapped": "t{0}\ts{0}\n", "foreign": "x{0}\ty{0}\n"}
    warnings = {}
    for name, line in lines.items():
        Path(name).write_text("".join(map(line.format, range(40))), encoding="utf-8")
        code, _, warnings[name] = run(capsys, "lexicon", "check", name, "s.vec", "t.vec")
        assert code == 0
    assert warnings["right"] == ""
    assert "turn it round with 'lexalign lexicon swap'" in warnings["swapped"]
    assert "only 0 of 40 pairs (0.0 %) have vectors" in warnings["foreign"]


def test_a_check_against_vectors_or_a_run(capsys):
    source, target, _ = planted_pair(words=30, dimension=6)
    write(source, "s.vec")
    write(target, "t.vec")
    Lexicon([(f"S{i}", f"t{i}") for i in range(40)]).write("capitals.txt")
    code, out, _ = run(capsys, "lexicon", "check", "capitals.txt", "s.vec", "t.vec", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["known_pairs"] == 0
    assert found["known_ignoring_case"]["count"] == 30
    assert found["unknown_source"]["count"] == 40
    assert found["unknown_source_by_case"]["count"] == 30
    assert found["unknown_target"] == {"count": 10, "examples": [f"t{i}" for i in range(30, 35)]}
    arguments = "align", "procrustes", "s.vec", "t.vec", "--lexicon", "capitals.txt"
    assert run(capsys, *arguments, "--output", "run")[0] == 0
    code, out, _ = run(capsys, "lexicon", "check", "capitals.txt", "run", "--json")
    assert (code, json.loads(out)) == (0, found)
    code, out, _ = run(capsys, "lexicon", "check", "capitals.txt", "run", "--limit", "7", "--json")
    assert json.loads(out)["known_ignoring_case"]["count"] == 7


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["none.txt"], 1, "none.txt: it cannot be read"),
        (["empty.txt"], 1, "empty.txt: the file holds no pairs"),
        (["tabs.txt", "blanks.txt"], 1, "blanks.txt: it needs a second file"),
        (["tabs.txt", "a", "b", "c", "d"], 2, "Name one SOURCE and one TARGET"),
    ],
)
def test_what_cannot_be_checked_gets_one_sentence(capsys, arguments, code, sentence):
    Path("empty.txt").write_text("\n", encoding="utf-8")
    got, out, err = run(capsys, "lexicon", "check", *arguments)
    assert (got, out) == (code, "")
    assert sentence in err
    assert "Traceback" not in err
