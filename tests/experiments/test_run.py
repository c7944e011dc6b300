"""Running a grid from the command line, stopping, failing, going on, and its tables."""

import csv
import io
import json
import os
import signal

import pytest

from lexalign import read, write
from lexalign.experiments import Grid, Inputs, plan, read_results, run_jobs
from lexalign.experiments.local import LocalExecutor
from tests.conftest import exit_code
from tests.experiments.conftest import GRID


def run(toys, *more):
    return exit_code(
        "experiment", "run", toys / "small.toml", "--inputs", toys / "inputs.toml",
        "--output", toys / "out", *more,
    )  # fmt: skip


def table(toys, capsys, *more):
    capsys.readouterr()
    assert exit_code("experiment", "table", toys / "out", *more) == 0
    return capsys.readouterr().out


def test_a_grid_runs_once_and_its_table_tells_all(toys, capsys):
    assert run(toys, "--json") == 0
    jobs = len(list((toys / "out" / "jobs").iterdir()))
    assert json.loads(capsys.readouterr().out)["done"] == jobs
    stamps = {path: path.stat().st_mtime_ns for path in (toys / "out" / "jobs").iterdir()}
    assert run(toys, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["done"], summary["done_before"]) == (0, jobs)
    assert stamps == {path: path.stat().st_mtime_ns for path in (toys / "out" / "jobs").iterdir()}

    markdown = table(toys, capsys)
    assert markdown.startswith("**Small translation — P@1 (%), vectors: toys**")
    rows = [line.split(" | ") for line in markdown.splitlines() if line.startswith("| ")]
    assert [row[0].lstrip("| ").rstrip("†") for row in rows[1:]] == [
        "Procrustes", "Procrustes-ℓ1", "VecMap", "VecMap-ℓ1",
    ]  # fmt: skip
    assert "/ 98.5" in rows[2][1]
    assert "Bonferroni" in markdown
    assert "\\textbf{" in table(toys, capsys, "--format", "latex")
    cells = list(csv.DictReader(io.StringIO(table(toys, capsys, "small", "--format", "csv"))))
    assert len(cells) == 8
    assert {cell["runs"] for cell in cells if cell["aligner"] == "VecMap"} == {"2"}
    assert {cell["runs"] for cell in cells if cell["aligner"] == "Procrustes"} == {"1"}
    for cell in cells:
        assert float(cell["mean"]) > 0.8
        if cell["refinement"]:
            base = next(
                other for other in cells
                if (other["aligner"], other["pair"]) == (cell["aligner"], cell["pair"])
                and not other["refinement"]
            )  # fmt: skip
            gain = float(cell["mean"]) - float(base["mean"])
            assert float(cell["gain"]) == pytest.approx(gain)
    assert "MRR" in table(toys, capsys, "--metric", "mrr")


def test_the_scores_are_those_of_the_commands(toys, capsys):
    assert run(toys) == 0
    made = plan(Grid.read(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))
    files = [toys / "en.npz", toys / "de.npz"]
    lexicon = ["--lexicon", toys / "en-de.train.txt", "--lowercase"]
    assert exit_code("align", "procrustes", *files, *lexicon, "--output", toys / "base") == 0
    assert exit_code("refine", toys / "base", "--output", toys / "refined") == 0
    for folder, cell in zip(("base", "refined"), made.cells[:2], strict=True):
        capsys.readouterr()
        test = ["--lexicon", toys / "en-de.test.txt", "--protocol", "muse", "--json"]
        assert exit_code("evaluate", toys / folder, *test) == 0
        expected = json.loads(capsys.readouterr().out)
        (found,) = json.loads((cell.job.folder(toys / "out") / "scores.json").read_text())
        assert found["ranks"] == expected["ranks"]
    assert exit_code(
        "compare", *(cell.job.folder(toys / "out") / "scores.json" for cell in made.cells[:2])
    ) == 0  # fmt: skip


def test_a_job_that_fails_is_recorded_and_stops_no_other(toys, capsys):
    whole = (toys / "fr.npz").read_bytes()
    (toys / "fr.npz").write_bytes(whole[:1000])
    assert run(toys) == 1
    told = " ".join(capsys.readouterr().err.split())
    assert "failed: align procrustes toy:en-fr 0:" in told
    assert "jobs failed, and" in told
    markdown = table(toys, capsys)
    assert "| – [1] |" in markdown
    assert "fr.npz" in markdown.splitlines()[-1]
    assert len(list((toys / "out" / "failures").iterdir())) == 3

    (toys / "fr.npz").write_bytes(whole)
    assert run(toys) == 0
    assert "–" not in table(toys, capsys).replace(" — ", "")
    results = read_results(toys / "out", "small")
    assert all(entry.scores and not entry.reasons for entry in results.entries.values())


def test_runs_that_align_nothing_are_starred_and_left_out(toys, capsys):
    broken = read(toys / "de.npz")
    write(broken.with_matrix(broken.matrix[::-1].copy()), toys / "de.npz", overwrite=True)
    assert run(toys) == 0
    markdown = table(toys, capsys)
    assert "(In parentheses) all runs failed." in markdown
    results = read_results(toys / "out", "small")
    entry = results.entry("VecMap", "", "toy:en-de")
    assert entry.has_only_failed
    assert results.gain("VecMap", "ℓ1", "toy:en-de", "p@1") is None
    assert not results.entry("VecMap", "", "toy:en-fr").failed


def test_a_process_that_is_killed_is_started_again(toys):
    made = plan(Grid.read(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))
    killed = []
    with LocalExecutor(toys / "out") as executor:
        start = executor.start

        def start_and_kill_once(job):
            start(job)
            if not killed:
                (process,) = executor._pool._processes.values()
                os.kill(process.pid, signal.SIGKILL)
                killed.append(job.name)

        executor.start = start_and_kill_once
        outcome = run_jobs(made.jobs, toys / "out", executor)
    assert killed
    assert outcome.done == len(made.jobs)


def test_a_process_that_is_always_killed_is_given_up(toys):
    made = plan(Grid.read(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))
    victim = made.jobs[0]
    with LocalExecutor(toys / "out") as executor:
        submit = executor.start

        def start_and_kill(job):
            submit(job)
            if job.name == victim.name:
                (process,) = executor._pool._processes.values()
                os.kill(process.pid, signal.SIGKILL)

        executor.start = start_and_kill
        outcome = run_jobs(made.jobs, toys / "out", executor)
    (failed,) = outcome.failed
    assert failed.job.name == victim.name
    assert "was killed 2 times" in failed.failure.sentence
    assert all(victim.name in {part.name for part in job.chain} for job in outcome.waiting)


def test_what_another_program_aligned_has_a_row(toys, capsys):
    assert exit_code(
        "align", "procrustes", toys / "en.npz", toys / "de.npz", "--lexicon",
        toys / "en-de.train.txt", "--output", toys / "aligned",
    ) == 0  # fmt: skip
    for name, language in (("source", "en"), ("target", "de")):
        (toys / "aligned" / f"{name}.vec").rename(toys / f"peer.0.{language}.vec")
    row = '[[aligners]]\nlabel = "Peer"\nmethod = "given"\naligned = "peer"\n\n[[refinements]]'
    grid = GRID.replace("[[refinements]]", row).replace("seeds = [0, 1]", "seeds = [0]")
    (toys / "small.toml").write_text(grid)
    with (toys / "inputs.toml").open("a") as file:
        file.write('[aligned.peer]\nfile = "peer.{seed}.{language}.vec"\n')
    assert run(toys) == 0
    table(toys, capsys)
    results = read_results(toys / "out", "small")
    peer, ours = (results.entry(row, "", "toy:en-de") for row in ("Peer", "Procrustes"))
    assert peer.mean("p@1") == pytest.approx(ours.mean("p@1"), abs=0.01)
    assert results.entry("Peer", "", "toy:en-fr").reasons == (
        f"there is no peer.0.fr.vec in {toys}",
    )  # fmt: skip


def test_bad_questions_get_a_sentence(toys, capsys):
    assert exit_code("experiment", "table", toys) == 1
    assert "holds no experiment" in capsys.readouterr().err
    assert exit_code("experiment", "table", toys, "small") == 1
    assert "there is no grid called small in this folder" in capsys.readouterr().err
    (toys / "small.experiment.json").write_text("[]")
    assert exit_code("experiment", "table", toys) == 1
    assert "this is no experiment of Lexalign" in capsys.readouterr().err
    assert exit_code("experiment", "list") == 0
    assert "table1a" in capsys.readouterr().out
