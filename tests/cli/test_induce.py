"""``lexalign induce``, and the commands that use what it wrote."""

import json
from pathlib import Path

import pytest

from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.vectors import write
from tests.cli.test_commands import run
from tests.conftest import exit_code

QUICK = ("--method", "procrustes", "--trees", "10", "--ranking", "learned", "--max-rank", "200")
WORDS = 800


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Vectors and lexicons of the demonstration, and the run of an induction from them."""
    folder = tmp_path_factory.mktemp("cli-induce")
    for language in ("en", "de"):
        write(demo_embeddings(language).top(WORDS), folder / f"{language}.vec")
    for name in ("seeds", "test"):
        demo_lexicon(name).write(folder / f"{name}.tsv")
    arguments = ("induce", folder / "en.vec", folder / "de.vec", "--lexicon", folder / "seeds.tsv")
    assert exit_code(*arguments, "--output", folder / "run", *QUICK, "--export", "tbx") == 0
    return folder


@pytest.fixture
def folder(home, monkeypatch):
    monkeypatch.chdir(home)
    return home


def induce(capsys, *options):
    return run(capsys, "induce", "en.vec", "de.vec", "--lexicon", "seeds.tsv", *options)


def test_it_writes_a_dictionary_and_a_run(folder):
    lines = Path("run/dictionary.tsv").read_text("utf-8").splitlines()
    assert lines[0] == "source\ttarget\tprobability\trank"
    assert len(lines) == 1 + 5 * 200
    assert Path("run/dictionary.tbx").is_file()
    assert Path("run/ranking/forward.0.txt").is_file()


def test_it_tells_what_it_did(capsys, folder):
    options = ("--method", "procrustes", "--ranking", "csls", "--max-rank", "50")
    code, out, _ = induce(capsys, "--output", "told", *options)
    assert code == 0
    assert "You chose the method procrustes." in out
    assert "CSLS ranks the translations." in out
    code, out, _ = induce(capsys, "--output", "told", *options, "--overwrite", "--json")
    assert code == 0
    summary = json.loads(out)
    assert summary["words"] == 50
    assert summary["ranking"]["forward"]["kind"] == "csls"


def test_translate_uses_the_learned_ranking(capsys, folder):
    code, out, _ = run(capsys, "translate", "run", "we", "xyzzy", "-k", "2", "--table", "csv")
    assert code == 0
    assert out.splitlines()[0] == "word,rank,translation,probability"
    code, out, _ = run(capsys, "translate", "run", "we", "--ranking", "csls", "--table", "csv")
    assert code == 0
    assert "probability" not in out


def test_evaluate_shows_the_learned_ranking(capsys, folder):
    code, out, _ = run(capsys, "evaluate", "run", "--lexicon", "test.tsv", "--table", "csv")
    assert code == 0
    assert "learned" in out
    arguments = ("--lexicon", "test.tsv", "--ranking", "csls", "--table", "csv")
    code, out, _ = run(capsys, "evaluate", "run", *arguments)
    assert code == 0
    assert "learned" not in out


def test_compare_sets_the_learned_ranking_against_csls(capsys, folder):
    """The test has ten seeds, so that the guard against them has something to find."""
    seeds, test = (
        Path(f"{name}.tsv").read_text("utf-8").splitlines() for name in ("seeds", "test")
    )
    Path("leaking.tsv").write_text("\n".join([*seeds[:10], *test]) + "\n", encoding="utf-8")
    if not Path("plain").exists():
        sides = ("en.vec", "de.vec", "--lexicon", "seeds.tsv", "--output", "plain")
        assert run(capsys, "align", "procrustes", *sides)[0] == 0
    for name in ("plain", "run"):
        _, out, _ = run(capsys, "evaluate", name, "--lexicon", "leaking.tsv", "--json")
        Path(f"{name}.json").write_text(out, encoding="utf-8")
    learned = json.loads(Path("run.json").read_text("utf-8"))[-1]
    assert learned["leakage"]["queries"] == len(learned["leakage"]["leaked"]) > 0
    arguments = ("compare", "plain.json", "run.json")
    code, out, err = run(capsys, *arguments, "--table", "csv")
    assert code == 0
    rows = [line.replace('"', "").rpartition(".json")[0] for line in out.splitlines()[1:]]
    assert rows[-2:] == ["muse,plain", "muse with learned,run"]
    assert "plain.json has no result by 'muse with learned'; its CSLS result by 'muse'" in err
    assert "run.json: " in err
    code, out, err = run(capsys, *arguments, "--exclude-seeds", "--json")
    assert code == 0
    excluded = [found["excluded"] for found in json.loads(out)]
    assert excluded == 3 * [learned["leakage"]["queries"]]


@pytest.mark.parametrize(
    "arguments", [("translate", "{}", "we"), ("evaluate", "{}", "--lexicon", "test.tsv")]
)
def test_a_run_without_a_learned_ranking_says_so(capsys, folder, arguments):
    if not Path("plain").exists():
        sides = ("en.vec", "de.vec", "--lexicon", "seeds.tsv", "--output", "plain")
        assert run(capsys, "align", "procrustes", *sides)[0] == 0
    named = [argument.format("plain") for argument in arguments]
    code, out, err = run(capsys, *named, "--ranking", "learned")
    assert (code, out) == (1, "")
    assert "there is no learned ranking" in err
    assert "--ranking csls" in err
    assert "Traceback" not in err


def test_an_existing_output_is_refused_and_untouched(capsys, folder):
    before = Path("run/run.json").read_bytes()
    code, out, err = induce(capsys, "--output", "run", *QUICK)
    assert (code, out) == (1, "")
    assert "run already exists" in err
    assert Path("run/run.json").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "expected", "sentence"),
    [
        (("--lexicon", "none.tsv"), 1, "none.tsv: it cannot be read"),
        (("--lexicon", "bad.tsv"), 1, "bad.tsv"),
        (("--method", "magic"), 2, "'magic' is not one of 'auto', 'procrustes'"),
        (("--method", "vekmap"), 2, "Perhaps it is 'vecmap'."),
        (("--trees", "0"), 1, "The option --trees of ranking must be a whole number, at least 1"),
    ],
)
def test_what_cannot_be_done_gets_one_sentence_and_leaves_nothing(
    capsys, folder, options, expected, sentence
):
    Path("bad.tsv").write_text("xyzzy\tplugh\n", encoding="utf-8")
    before = {path.name for path in folder.iterdir()}
    code, out, err = induce(capsys, "--output", "new", *options)
    assert (code, out) == (expected, "")
    assert sentence in err
    assert "Traceback" not in err
    assert {path.name for path in folder.iterdir()} == before


def test_help_has_every_parameter(capsys):
    code, out, _ = run(capsys, "induce", "--help")
    assert code == 0
    for option in ("--method", "--ranking", "--budget", "--folds", "--trees", "--leaves", "--rate"):
        assert f"{option} " in out
