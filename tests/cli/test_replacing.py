"""``--overwrite`` replaces what a run wrote, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lexalign.demo import demo_embeddings, demo_lexicon
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
    errors = [process.communicate()[1].decode() for process in both]
    codes = sorted(process.returncode for process in both)
    assert codes == [0, 1], errors
    refused = max(errors, key=len)
    assert Path("at-once/run.json").is_file()
    assert not list(folder.glob(".at-once*"))
    if "exists already" not in refused:  # the first had not ended when the second began
        assert "at-once appeared meanwhile and was not replaced; the result is in" in refused
        assert Path("at-once.1/run.json").is_file()
