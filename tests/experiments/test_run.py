"""Running a grid from the command line, stopping, failing, going on, and its tables."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from lexalign import read, write
from lexalign.experiments import Inputs, plan, read_grid, read_results, run_jobs
from lexalign.experiments.local import LocalExecutor
from lexalign.spaces import LinearMap
from lexalign.vectors import Embeddings
from tests.conftest import exit_code
from tests.experiments.conftest import DIMENSION, GRID


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
    made = plan(read_grid(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))
    files = [toys / "en.npz", toys / "de.npz"]
    lexicon = ["--lexicon", toys / "en-de.train.txt", "--lowercase"]
    assert exit_code("align", "procrustes", *files, *lexicon, "--output", toys / "base") == 0
    assert (
        exit_code("refine", toys / "base", "--output", toys / "refined", "--horizon", "5e-3") == 0
    )
    for folder, cell in zip(("base", "refined"), made.cells[:2], strict=True):
        capsys.readouterr()
        test = ["--lexicon", toys / "en-de.test.txt", "--protocol", "muse", "--json"]
        assert exit_code("evaluate", toys / folder, *test) == 0
        expected = json.loads(capsys.readouterr().out)
        found = json.loads((cell.job.folder(toys / "out") / "scores.json").read_text())
        assert [one["protocol"] for one in found] == ["muse", "muse with nn"]
        assert [one["ranks"] for one in found] == [one["ranks"] for one in expected]
    rotation = LinearMap.load(made.cells[1].job.base.folder(toys / "out") / "map.safetensors")
    assert not np.allclose(rotation.source.matrix, np.eye(DIMENSION), atol=1e-4)
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
    assert "✗: all runs failed." in markdown
    results = read_results(toys / "out", "small")
    entry = results.entry("VecMap", "", "toy:en-de")
    assert entry.has_only_failed
    assert results.gain("VecMap", "ℓ1", "toy:en-de", "p@1") is None
    assert not results.entry("VecMap", "", "toy:en-fr").failed


def test_a_process_that_is_killed_is_started_again(toys):
    made = plan(read_grid(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))
    killed = []
    with LocalExecutor(toys / "out") as executor:
        start = executor.start

        def start_and_kill_once(job):
            start(job)
            if not killed:
                (process,) = executor.processes
                os.kill(process.pid, signal.SIGKILL)
                killed.append(job.name)

        executor.start = start_and_kill_once
        outcome = run_jobs(made.jobs, toys / "out", executor)
    assert killed
    assert outcome.done == len(made.jobs)


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
    results = read_results(toys / "out", "small")
    peer, ours = (results.entry(row, "", "toy:en-de") for row in ("Peer", "Procrustes"))
    assert peer.mean("p@1") == pytest.approx(ours.mean("p@1"), abs=0.01)
    assert results.entry("Peer", "", "toy:en-fr").reasons == (
        f"there is no peer.0.fr.vec in {toys}",
    )  # fmt: skip


def test_a_peer_without_seeds_is_one_run(toys):
    for language in ("en", "de"):
        write(read(toys / f"{language}.npz"), toys / f"peer.{language}.npz")
    grid = GRID.replace('method = "vecmap"', 'method = "given"\naligned = "peer"')
    grid = grid.replace('preset = "unsupervised"\npatience = 5\n', "")
    (toys / "small.toml").write_text(grid)
    with (toys / "inputs.toml").open("a") as file:
        file.write('[aligned.peer]\nfile = "peer.{language}.npz"\n')
    assert run(toys) == 0
    results = read_results(toys / "out", "small")
    assert len(results.entry("VecMap", "", "toy:en-de").scores) == 1


def test_runs_are_compared_seed_by_seed(toys):
    assert run(toys) == 0
    jobs = toys / "out" / "jobs"
    for pattern in ("evaluate-vecmap-toy-en-de-0-[0-9a-f]*", "evaluate-vecmap-toy-en-de-1-l1-*"):
        found = [
            path for path in jobs.glob(pattern) if "-l1-" in pattern or "-l1-" not in path.name
        ]
        (path,) = found
        shutil.rmtree(path)
    results = read_results(toys / "out", "small")
    assert list(results.entry("VecMap", "", "toy:en-de").scores) == [1]
    assert list(results.entry("VecMap", "ℓ1", "toy:en-de").scores) == [0]
    assert results.gain("VecMap", "ℓ1", "toy:en-de", "p@1") is None
    assert results.entry("VecMap", "", "toy:en-de").is_partial


def test_words_spelled_alike_can_be_the_seeds(toys):
    for language in ("en", "de", "fr"):
        words = read(toys / f"{language}.npz")
        renamed = [w.replace(language, "") if i < 150 else w for i, w in enumerate(words.words)]
        write(Embeddings(renamed, words.matrix), toys / f"{language}.npz", overwrite=True)
    for target in ("de", "fr"):
        pairs = [f"en{i} {target}{i}\n" for i in range(150, 300)]
        (toys / f"en-{target}.test.txt").write_text("".join(pairs))
    (toys / "small.toml").write_text(GRID.replace('lexicon = "train"', 'lexicon = "identical"'))
    assert run(toys) == 0
    results = read_results(toys / "out", "small")
    assert results.entry("Procrustes", "", "toy:en-fr").mean("p@1") > 0.8


def test_lexicons_of_protocols_that_keep_the_case_are_put_into_lower_case(toys):
    text = (toys / "en-de.test.txt").read_text()
    (toys / "en-de.test.txt").write_text(text.upper())
    (toys / "small.toml").write_text(GRID.replace('protocol = "muse"', 'protocol = "vecmap"'))
    assert run(toys) == 0
    (score,) = (
        read_results(toys / "out", "small").entry("Procrustes", "", "toy:en-de").scores.values()
    )
    assert score.queries == 150


def test_some_aligners_can_be_run_later(toys, capsys):
    assert run(toys, "--only", "Procrustes") == 0
    results = read_results(toys / "out", "small")
    assert results.entry("Procrustes", "ℓ1", "toy:en-fr").scores
    assert results.entry("VecMap", "", "toy:en-fr").reasons == ("not run yet",)
    assert run(toys) == 0
    assert not read_results(toys / "out", "small").entry("VecMap", "", "toy:en-fr").reasons
    capsys.readouterr()
    assert run(toys, "--only", "VecMaps") == 1
    assert "no aligner of the grid small called 'VecMaps'" in capsys.readouterr().err


def test_only_one_run_writes_to_a_folder(toys, capsys):
    from lexalign.experiments.runner import _locked

    with _locked(toys / "out"):
        assert run(toys) == 1
    assert "another run is writing there" in capsys.readouterr().err
    left = toys / "out" / "jobs" / ".align-something.01234abc.lexalign-part"
    left.mkdir()
    assert run(toys) == 0
    assert not left.exists()
    assert not list((toys / "out" / "checkpoints").glob("*"))


def test_an_interrupted_run_leaves_nothing_half_done_and_goes_on(toys):
    command = [
        sys.executable, "-c", "from lexalign.cli import main; main()", "experiment", "run",
        str(toys / "small.toml"), "--inputs", str(toys / "inputs.toml"),
        "--output", str(toys / "out"), "--workers", "2",
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    jobs = toys / "out" / "jobs"
    while not (jobs.is_dir() and any((path / "run.json").exists() for path in jobs.iterdir())):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "finished jobs are kept" in told
    assert "Traceback" not in told
    assert not list(jobs.glob(".*"))
    done = len(list(jobs.iterdir()))
    assert run(toys) == 0
    assert len(list(jobs.iterdir())) > done


def test_a_run_that_is_killed_goes_on_at_once(toys):
    """The processes of the killed run must end with it, or they finish what the next one begins."""
    command = [
        sys.executable, "-c", "from lexalign.cli import main; main()", "experiment", "run",
        str(toys / "small.toml"), "--inputs", str(toys / "inputs.toml"),
        "--output", str(toys / "out"), "--only", "Procrustes",
    ]  # fmt: skip
    jobs = toys / "out" / "jobs"
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        while not (jobs.is_dir() and any((path / "run.json").exists() for path in jobs.iterdir())):
            assert process.poll() is None
            time.sleep(0.002)
        process.kill()
    assert run(toys, "--only", "Procrustes") == 0
    assert not list(jobs.glob(".*"))
    assert all(path.suffix == "" for path in jobs.iterdir())


def test_an_idle_process_that_is_killed_changes_nothing(toys):
    made = plan(read_grid(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))
    killed = []

    def kill_once(ended):
        if not killed:
            for process in executor.processes:
                os.kill(process.pid, signal.SIGKILL)
                process.join()
                killed.append(ended.job.name)

    with LocalExecutor(toys / "out") as executor:
        outcome = run_jobs(made.jobs, toys / "out", executor, kill_once)
    assert killed
    assert outcome.done == len(made.jobs)


def test_the_job_whose_process_dies_is_blamed_and_no_other(toys):
    made = plan(read_grid(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))
    victim = next(job for job in made.jobs if job.title == "procrustes toy:en-fr 0")
    with LocalExecutor(toys / "out", workers=2) as executor:
        submit = executor._submit

        def submit_and_kill(job):
            future = submit(job)
            if job.name == victim.name:
                for process in executor.processes:
                    os.kill(process.pid, signal.SIGKILL)
            return future

        executor._submit = submit_and_kill
        outcome = run_jobs(made.jobs, toys / "out", executor)
    (failed,) = outcome.failed
    assert failed.job.name == victim.name
    assert "was killed 2 times" in failed.failure.sentence
    assert all(victim in job.chain for job in outcome.waiting)
    assert outcome.done + len(outcome.waiting) + 1 == len(made.jobs)


def test_bad_questions_get_a_sentence(toys, capsys):
    assert exit_code("experiment", "table", toys) == 1
    assert "holds no experiment" in capsys.readouterr().err
    assert exit_code("experiment", "table", toys, "small") == 1
    assert "there is no grid called small in this folder" in capsys.readouterr().err
    (toys / "small.experiment.json").write_text("[]")
    assert exit_code("experiment", "table", toys) == 1
    assert "this is not an experiment of Lexalign" in capsys.readouterr().err
    assert run(toys) == 0
    assert exit_code("experiment", "table", toys / "out", "--metric", "p@3") == 1
    assert "no metric of this evaluation called 'p@3'" in capsys.readouterr().err
    (toys / "more").mkdir()
    shutil.copy(toys / "small.toml", toys / "more" / "small.toml")
    assert run(toys, toys / "more" / "small.toml") == 1
    assert "Two grids have the name 'small'" in capsys.readouterr().err
    (toys / "out" / "small.experiment.json").write_text('{"format": "lexalign-experiment-1"}')
    assert exit_code("experiment", "table", toys / "out") == 1
    assert "damaged (KeyError 'grid')" in capsys.readouterr().err
    assert exit_code("experiment", "list") == 0
    assert "table1a" in capsys.readouterr().out
