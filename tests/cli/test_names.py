"""``--names``: what people call the two languages, in every table that shows them."""

import json

import pytest

from lexalign.demo import write_demo_files, write_demo_run
from tests.cli.test_commands import run

NAMES = ("--names", "English", "German")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    write_demo_files(folder, words=400)
    write_demo_run(folder / "run", words=400)
    return folder


def said(capsys, *command):
    """What a command prints with the names, and without."""
    found = []
    for names in (NAMES, ()):
        code, out, err = run(capsys, *command, *names)
        assert code == 0, err
        found.append(out)
    return found


def test_translations_have_the_names_in_place_of_directions(capsys, home):
    named, plain = said(capsys, "translate", home / "run", "and", "--table", "csv")
    assert named.startswith("English,rank,German,")
    assert plain.startswith("word,rank,translation,")
    assert named.splitlines()[1:] == plain.splitlines()[1:]
    backward, _ = said(
        capsys, "translate", home / "run", "und", "--direction", "backward", "--table", "csv"
    )
    assert backward.startswith("German,rank,English,")
    both, plain = said(
        capsys, "translate", home / "run", "--all", "--direction", "both", "--table", "csv"
    )
    assert both.startswith("direction,word,rank,translation,")
    assert {line.partition(",")[0] for line in both.splitlines()[1:]} == {
        "English → German", "German → English",
    }  # fmt: skip
    assert "backward" in plain


def test_scores_have_the_names_in_place_of_files(capsys, home):
    command = ("evaluate", home / "run", "--lexicon", home / "test.tsv", "--table", "csv")
    named, plain = said(capsys, *command)
    assert named.splitlines()[1].startswith("English → German,test.tsv,")
    assert plain.splitlines()[1].startswith("run,test.tsv,")
    code, _, err = run(capsys, "evaluate", home / "run", home / "run", *command[2:], *NAMES)
    assert code == 2
    assert "--names belongs to one pair, found 2" in err


def test_similarity_of_one_language_has_its_name(capsys, home, tmp_path):
    judged = tmp_path / "judged.tsv"
    judged.write_text("the\tand\t3\nof\tto\t2\nin\ton\t1\n", encoding="utf-8")
    named, _ = said(capsys, "evaluate", home / "en.bin", "--similarity", judged, "--table", "csv")
    assert named.splitlines()[1].startswith("English,judged.tsv,")


def test_outliers_and_checks_of_a_lexicon_have_the_names(capsys, home):
    named, plain = said(
        capsys, "outliers", home / "run", "--lexicon", home / "seeds.tsv", "--table", "csv"
    )
    assert named.startswith("English,German,distance")
    assert plain.startswith("source,target,distance")
    named, plain = said(capsys, "lexicon", "check", home / "seeds.tsv", "--table", "csv")
    assert "German words with several sources" in named
    assert "English" not in plain
    assert "source words with several translations" in plain


def test_an_induced_dictionary_names_both_directions(capsys, home, tmp_path):
    command = (
        "induce", home / "run", "--lexicon", home / "seeds.tsv", "--trees", "5", "--folds", "2",
        "--max-rank", "50",
    )  # fmt: skip
    code, out, _ = run(capsys, *command, *NAMES, "--output", tmp_path / "named")
    assert code == 0
    assert "English → German: CSLS" in out
    assert "German → English: CSLS" in out


def test_names_change_no_json(capsys, home):
    named, plain = said(capsys, "translate", home / "run", "and", "--json")
    assert json.loads(named) == json.loads(plain)
