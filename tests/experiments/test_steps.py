"""The steps that other packages do: joint training, and evaluation by inference."""

import json
import shutil

import numpy as np
import pytest

from lexalign import write
from lexalign.experiments import Inputs, plan, read_grid, read_results, run_plans, steps
from lexalign.experiments.cluster import _wants_gpu
from lexalign.experiments.local import attempt
from tests.conftest import random_rotation
from tests.evaluation.nli.conftest import DIMENSION, sentences, vectors, write_jsonl

JOINT = """
title = "Joint-Align"
vectors = "toy"
pairs = ["en-de"]
seeds = [0]
metric = "p@1"
training = { model = "skipgram", dimension = 8, epochs = 2, minimum_count = 1 }
evaluation = { lexicon = "test" }
aligners = [
  { label = "JA-RCSLS", method = "rcsls", joint = true, lexicon = "test", iterations = 2 },
  { label = "JA-Procrustes", method = "procrustes", joint = true, lexicon = "test" },
]
refinements = [{ label = "ℓ1", horizon = 5e-3 }]
"""

INFERENCE = """
title = "Inference"
vectors = "toy"
pairs = ["en-de"]
seeds = [0, 1]
metric = "accuracy"
evaluation = { kind = "nli", hidden = 24, batch = 32, rate = 0.005, epochs = 6, dropout = 0.1 }
aligners = [{ label = "Procrustes", method = "procrustes", lexicon = "seeds", refine = false }]
"""


def planned(folder, grid, inputs):
    (folder / "grid.toml").write_text(grid)
    (folder / "inputs.toml").write_text(inputs)
    return plan(read_grid(folder / "grid.toml"), Inputs.read(folder / "inputs.toml"))


def run(folder, grid, inputs):
    made = planned(folder, grid, inputs)
    assert not run_plans([made], folder / "out").failed
    return made, read_results(folder / "out", "grid")


def test_joint_aligners_share_the_training(tmp_path):
    generator = np.random.default_rng(0)
    for language in ("en", "de"):
        lines = [
            " ".join(
                f"{'' if word > 50 else language}{word}" for word in generator.zipf(1.5, 12) % 60
            )
            for _ in range(800)
        ]
        (tmp_path / f"{language}.txt").write_text("\n".join(lines))
    (tmp_path / "test.txt").write_text("".join(f"en{i} de{i}\n" for i in range(40)))
    inputs = '[corpora.toy]\nfile = "{language}.txt"\n[lexicons]\ntest = "test.txt"\n'
    made, results = run(tmp_path, JOINT, inputs)
    steps = [job.step for job in made.jobs]
    assert steps.count("train") == 1
    assert steps.count("align") == 2
    for row in results.rows:
        (score,) = results.entry(*row, "toy:en-de").scores.values()
        assert score.queries == 40


@pytest.fixture
def inference(tmp_path):
    """Inputs for two languages that one rotation takes to each other, and where they lie."""
    write_jsonl(tmp_path / "train.jsonl", sentences(2400, 0))
    write_jsonl(tmp_path / "dev.jsonl", sentences(300, 1))
    write_jsonl(tmp_path / "test.en.jsonl", sentences(300, 2))
    write_jsonl(tmp_path / "test.de.jsonl", sentences(300, 2, "de"))
    source = vectors()
    write(source, tmp_path / "en.npz")
    turned = random_rotation(DIMENSION, np.random.default_rng(9))
    write(vectors("de", turned), tmp_path / "de.npz")
    (tmp_path / "seeds.txt").write_text("".join(f"{word} de{word}\n" for word in source.words))
    return """
    [vectors.toy]
    file = "{language}.npz"
    [lexicons]
    seeds = "seeds.txt"
    [nli]
    train = "train.jsonl"
    dev = "dev.jsonl"
    test = "test.{language}.jsonl"
    """


def test_inference_is_trained_on_the_source_and_asked_of_the_target(tmp_path, inference):
    made, results = run(tmp_path, INFERENCE, inference)
    assert [job.step for job in made.jobs] == ["align", "evaluate", "evaluate"]
    scores = results.entry("Procrustes", "", "toy:en-de").scores.values()
    assert len(scores) == 2
    assert all(score.values["accuracy"] > 0.8 for score in scores)


def test_no_inference_is_trained_on_an_alignment_that_failed(tmp_path, inference):
    made = planned(tmp_path, INFERENCE, inference)
    aligned = made.jobs[0]
    assert aligned.step == "align"
    run_plans([made], tmp_path / "out")
    record = aligned.folder(tmp_path / "out") / "run.json"
    broken = json.loads(record.read_text())
    assert broken["health"]["matched"] is not False
    broken["health"]["matched"] = False
    record.write_text(json.dumps(broken))
    for job in made.jobs[1:]:
        shutil.rmtree(job.folder(tmp_path / "out"))
    outcome = run_plans([made], tmp_path / "out")
    assert len(outcome.failed) == 2
    (sentence,) = {failed.failure.sentence for failed in outcome.failed}
    assert "shows that the two spaces do not match" in sentence
    entry = read_results(tmp_path / "out", "grid").entry("Procrustes", "", "toy:en-de")
    assert not entry.scores
    assert set(entry.reasons) == {sentence}


def test_translations_are_looked_up_on_the_device_of_the_job(toys, monkeypatch):
    grid, inputs = read_grid(toys / "small.toml"), Inputs.read(toys / "inputs.toml")
    evaluator, devices = steps.Evaluator, []

    def watched(*arguments, device, **options):
        devices.append(device)
        return evaluator(*arguments, **options)

    monkeypatch.setattr(steps, "Evaluator", watched)
    for device in ("cpu", "cuda"):
        job = plan(grid, inputs, device).cells[0].job
        assert _wants_gpu(job) == (device == "cuda")
        assert [attempt(one, toys / device) for one in job.chain] == [None] * len(job.chain)
    assert devices == ["cpu", "cuda"]
