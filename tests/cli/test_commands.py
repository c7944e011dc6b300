"""The command line as a user meets it: exit codes, sentences and files."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lexalign import __version__
from lexalign.cli import main
from lexalign.demo import demo_embeddings
from lexalign.vectors import Embeddings, read, write
from tests.conftest import planted_pair

PAPER = ("--horizon", "5e-3")


@pytest.fixture
def paths(tmp_path):
    source, target, _ = planted_pair(words=200, dimension=6)
    write(source, tmp_path / "s.vec")
    write(target, tmp_path / "t.vec")
    return str(tmp_path / "s.vec"), str(tmp_path / "t.vec"), str(tmp_path / "out")


def run(capsys, *arguments):
    """Exit code, standard output and standard error."""
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return stop.value.code or 0, captured.out, captured.err


def test_help_lists_the_commands(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert all(command in out for command in ("refine", "convert", "demo"))


def test_refine_writes_and_tells(capsys, paths):
    source, target, output = paths
    command = ("refine", source, target, "--output", output, "--verbose", *PAPER)
    code, out, err = run(capsys, *command)
    assert code == 0
    assert "mutual pairs" in out
    assert "finding mutual pairs: done, " in err
    assert len(read(f"{output}/source.vec")) == 200


def test_refine_speaks_json(capsys, paths):
    source, target, output = paths
    code, out, _ = run(capsys, "refine", source, target, "--output", output, "--json", *PAPER)
    summary = json.loads(out)
    assert code == 0
    assert summary["l1_after"] < summary["l1_before"]
    assert set(summary) == {
        "output",
        "warning",
        "rounds",
        "stopping",
        "pairs",
        "l1_before",
        "l1_after",
        "orthogonality_error",
        "outcome",
        "message",
        "seconds",
    }


@pytest.mark.parametrize(
    "options",
    [
        ["--loss", "l21", "--solver", "minimum"],
        ["--loss", "l2"],
        ["--rounds", "2", "--retrieval", "nn"],
        ["--retrieval", "invsoftmax", "--normalise", "unit,centre,unit"],
        ["--solver", "vode", "--horizon", "1e-5"],
        ["--format", "folder", "--neighbours", "5", "--max-rank", "50", "--limit", "100"],
    ],
)
def test_refine_takes_its_options(capsys, paths, options):
    source, target, output = paths
    assert run(capsys, "refine", source, target, "--output", output, *PAPER, *options)[0] == 0


def test_a_solver_that_is_named_goes_to_the_horizon_of_the_paper(capsys, paths):
    source, target, output = paths
    assert run(capsys, "refine", source, target, "--output", output, "--solver", "flow")[0] == 0
    parameters = json.loads(Path(output, "run.json").read_text(encoding="utf-8"))["parameters"]
    assert (parameters["solver"], parameters["horizon"]) == ("flow", 5e-3)


def test_convert_goes_round_in_circles_without_loss(capsys, paths, tmp_path):
    names = [paths[0], *(tmp_path / name for name in ("a.bin", "b.npz", "c", "d.vec.gz", "e.vec"))]
    for source, target in itertools.pairwise(names):
        assert run(capsys, "convert", source, target)[0] == 0
    first, last = read(names[0]), read(names[-1])
    assert list(first.words) == list(last.words)
    assert first.matrix.tobytes() == last.matrix.tobytes()


def test_convert_keeps_the_first_rows(capsys, paths, tmp_path):
    run(capsys, "convert", paths[0], tmp_path / "few.bin", "--limit", "7")
    assert len(read(tmp_path / "few.bin")) == 7


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "No such file or directory"),
        ("", "empty"),
        ("2 3\na 1 2 3\n", "the header states 2 rows, but the file ends after 1"),
        ("1 3\na 1 2\n", "line 2"),
        ("1 3\na 1 x 2\n", "line 2"),
        ("1 3\na 1 nan 2\n", "line 2"),
    ],
)
def test_bad_files_get_one_sentence_and_leave_nothing(capsys, paths, tmp_path, content, sentence):
    _, target, output = paths
    bad = tmp_path / "bad.vec"
    if content is not None:
        bad.write_text(content, encoding="utf-8")
    code, out, err = run(capsys, "refine", bad, target, "--output", output)
    *_, last = err.strip().split("\n")
    assert code == 1
    assert last.startswith("lexalign: ")
    assert "bad.vec" in last
    assert sentence in last
    assert last.endswith(".")
    assert out == ""
    assert not os.path.exists(output)  # noqa: PTH110


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--horizon", "0"], 1, "must be a finite number, above 0"),
        (["--rounds", "0"], 1, "must be a whole number, at least 1"),
        (["--normalise", "sideways"], 1, "joined by commas"),
        (["--loss", "l3"], 2, "l3"),
        (["--limit", "0"], 2, "limit"),
    ],
)
def test_bad_options_get_one_sentence(capsys, paths, options, code, sentence):
    source, target, output = paths
    got, _, err = run(capsys, "refine", source, target, "--output", output, *options)
    assert got == code
    assert sentence in err


def test_an_output_that_cannot_be_written_is_named(capsys, paths):
    source, target, _ = paths
    code, _, err = run(capsys, "refine", source, target, "--output", source)
    assert code == 1
    assert "s.vec is a file; name a folder to write to." in err


def test_refine_asks_for_more_words_or_a_horizon(capsys, paths):
    source, target, output = paths
    code, _, err = run(capsys, "refine", source, target, "--output", output)
    assert code == 1
    assert "needs 300 words per side, but one side has 200; give more words, or a number" in err
    assert not Path(output).exists()


def test_identical_files_have_nothing_to_lose(capsys, paths):
    source, _, output = paths
    code, out, _ = run(capsys, "refine", source, source, "--output", output, *PAPER)
    assert code == 0
    assert "ℓ1 loss of the pairs" in out


def test_a_pipe_is_refused(capsys, paths, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code, _, err = run(capsys, "refine", tmp_path / "pipe", paths[1], "--output", paths[2])
    assert code == 1
    assert "can be read only once; save it to a file first." in err


def test_interruption_leaves_nothing_behind(tmp_path):
    """A real process gets a real signal while it works."""
    generator = np.random.default_rng(0)
    for name in ("s", "t"):
        matrix = generator.standard_normal((20_000, 50)).astype(np.float32)
        words = [f"{name}{i}" for i in range(len(matrix))]
        write(Embeddings(words, matrix), tmp_path / f"{name}.bin")
    command = [sys.executable, "-c", "from lexalign.cli import main; main()", "refine"]
    arguments = [str(tmp_path / "s.bin"), str(tmp_path / "t.bin"), "--output", str(tmp_path / "o")]
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen([*command, *arguments], stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith("finding mutual pairs"):
                    break
            time.sleep(0.2)
            process.send_signal(number)
            err = process.stderr.read()
            assert process.wait(timeout=120) == 130
        assert "lexalign: interrupted; unfinished output was removed." in err
        assert sorted(path.name for path in tmp_path.iterdir()) == ["s.bin", "t.bin"]


def test_starting_is_cheap():
    """Neither the package nor --help loads the heavy libraries."""
    heavy = ("torch", "polars", "faiss", "scipy", "gensim", "matplotlib", "rich", "safetensors")
    program = (
        "import sys; import lexalign; from lexalign.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.strip() == "[]"


def test_unaligned_spaces_are_doubted(capsys, tmp_path):
    for name, language in (("s", "en"), ("t", "de")):
        write(demo_embeddings(language).top(3000), tmp_path / f"{name}.bin")
    code, out, err = run(
        capsys, "refine", tmp_path / "s.bin", tmp_path / "t.bin", "--output", tmp_path / "out",
        "--json",
    )  # fmt: skip
    assert code == 0
    assert "the spaces do not look aligned" in err
    assert json.loads(out)["warning"] in err


def test_a_mistyped_command_is_guessed(capsys):
    code, _, err = run(capsys, "evalute")
    assert code == 2
    assert "did you mean 'evaluate'?" in err


def test_a_run_is_no_file_of_vectors(capsys, paths):
    source, target, output = paths
    run(capsys, "refine", source, target, "--output", output, *PAPER)
    code, _, err = run(capsys, "convert", output, f"{output}.bin")
    assert code == 1
    assert "name one of the files inside it: source.vec, target.vec" in err


def test_the_record_names_the_solver_that_was_used(capsys, paths):
    source, target, output = paths
    for loss, solver in (("l1", "flow"), ("l2", "closed form")):
        options = ("--output", output, *PAPER, "--loss", loss, "--overwrite")
        run(capsys, "refine", source, target, *options)
        record = json.loads(Path(output, "run.json").read_text(encoding="utf-8"))
        assert record["parameters"]["solver"] == solver


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_has_a_short_form(capsys, option):
    assert run(capsys, option) == (0, f"lexalign, version {__version__}\n", "")
