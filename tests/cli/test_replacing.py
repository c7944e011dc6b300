"""``--overwrite`` replaces what a run wrote, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.runs.review import Change, Review
from lexalign.vectors import write
from tests.cli.test_commands import run

ALIGN = ("align", "procrustes", "en.vec", "de.vec", "--lexicon", "seeds.tsv")
QUICK = ("--method", "procrustes", "--ranking", "csls", "--max-rank", "20")
PROGRAM = "from lexalign.cli import main; main()"
COMMANDS = {
    "align": ALIGN,
    "refine": ("refine", "en.vec", "de.vec", "--horizon", "5e-3"),
    "induce": ("induce", "en.vec", "de.vec", "--lexicon", "seeds.tsv", *QUICK),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replacing")
    for language in ("en", "de"):
        write(demo_embeddings(language).top(800), folder / f"{language}.vec")
    demo_lexicon("seeds").write(folder / "seeds.tsv")
    return folder


@pytest.fixture
def folder(home, monkeypatch):
    monkeypatch.chdir(home)
    return home


@pytest.mark.parametrize("command", COMMANDS)
def test_a_run_is_replaced_but_not_somebody_elses_file_in_it(capsys, folder, command):
    output = Path(f"own-{command}")
    for _ in range(2):
        code, _, err = run(capsys, *COMMANDS[command], "--output", output, "--overwrite")
        assert code == 0, err
    (output / "notes.txt").write_text("precious")
    before = sorted(output.rglob("*"))
    code, _, err = run(capsys, *COMMANDS[command], "--output", output, "--overwrite")
    assert code == 1
    assert err.endswith(
        f"{output} holds notes.txt, which Lexalign did not write, so it is not replaced; choose "
        "another name.\n"
    )
    assert sorted(output.rglob("*")) == before
    assert (output / "notes.txt").read_text() == "precious"


def test_a_run_is_not_replaced_with_the_review_in_it(capsys, folder):
    assert run(capsys, *ALIGN, "--output", "reviewed")[0] == 0
    Review(Path("reviewed")).decide([Change("dog", "hund", "right")])
    code, _, err = run(capsys, *ALIGN, "--output", "reviewed", "--overwrite")
    assert code == 1
    assert "reviewed holds review.tsv, the decisions of a review, so it is not replaced" in err
    assert Review(Path("reviewed")).verdicts() == {("dog", "hund"): "right"}


@pytest.mark.parametrize(
    "command",
    [
        ("refine", "aligned"),
        ("refine", "aligned/source.vec", "de.vec"),
        ("align", "procrustes", "aligned/source.vec", "de.vec", "--lexicon", "seeds.tsv"),
        ("align", "procrustes", "en.vec", "de.vec", "--lexicon", "aligned/lexicon.tsv"),
        ("induce", "aligned", "--lexicon", "seeds.tsv"),
    ],
)
def test_a_run_never_replaces_its_own_input(capsys, folder, command):
    if not Path("aligned").exists():
        assert run(capsys, *ALIGN, "--output", "aligned")[0] == 0
    before = {path: path.read_bytes() for path in Path("aligned").rglob("*") if path.is_file()}
    code, _, err = run(capsys, *command, "--output", "aligned", "--overwrite")
    assert code == 1
    assert "is an input of this run and would be lost with aligned; choose another name" in err
    assert {path: path.read_bytes() for path in before} == before


def test_of_two_runs_at_once_one_is_refused_and_neither_is_lost(folder):
    command = [sys.executable, "-c", PROGRAM, *ALIGN, "--output", "at-once"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    results = [(process.communicate()[1].decode(), process.returncode) for process in both]
    assert sorted(code for _, code in results) == [0, 1], results
    assert not list(folder.glob(".at-once*"))
    refused = next(error for error, code in results if code == 1)
    assert Path("at-once/run.json").is_file()
    # Either the second began when the first had ended, or it ended later and was kept.
    kept = "at-once was created while this command ran, so it is not replaced" in refused
    assert kept or "at-once already exists" in refused
    assert Path("at-once.1/run.json").is_file() == kept


def test_a_run_that_another_one_overtakes_is_kept(capsys, folder, monkeypatch):
    from lexalign.aligners import Procrustes

    learn = Procrustes.learn

    def overtaken(self, *arguments):
        if not Path("overtaken").exists():
            Path("overtaken").mkdir()
            Path("overtaken/thesis.tex").write_text("precious")
        return learn(self, *arguments)

    monkeypatch.setattr(Procrustes, "learn", overtaken)
    code, _, err = run(capsys, *ALIGN, "--output", "overtaken", "--overwrite")
    assert code == 1
    assert "overtaken was created while this command ran, so it is not replaced; the result" in err
    assert Path("overtaken/thesis.tex").read_text() == "precious"
    assert Path("overtaken.1/run.json").is_file()


def test_what_the_explorer_keeps_in_a_run_may_be_replaced(capsys, folder):
    for _ in range(2):
        assert run(capsys, *ALIGN, "--output", "explored", "--overwrite")[0] == 0
        Path("explored/.explore").mkdir()
        Path("explored/.explore/lock").touch()


@pytest.mark.parametrize("weight", ["0", "-0.5"])
def test_weights_of_seeds_are_above_0(capsys, folder, weight):
    pairs = Path("seeds.tsv").read_text("utf-8").splitlines()
    lines = [f"{pair}\t{weight if place == 7 else 1}" for place, pair in enumerate(pairs, 1)]
    Path("weighted.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments = ("align", "procrustes", "en.vec", "de.vec", "--lexicon", "weighted.tsv")
    code, _, err = run(capsys, *arguments, "--output", "weighted")
    assert code == 1
    assert f"weighted.tsv, line 7: the weight of {tuple(pairs[6].split(chr(9)))} is {weight}" in err
    assert "seeds need weights above 0; leave out the pair" in err
