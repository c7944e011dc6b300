"""Small valid files of every kind that Lexalign reads, each made once."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from lexalign import Embeddings, Lexicon, LinearMap
from lexalign.checkpoint import Checkpoint, State
from lexalign.evaluation.nli.learner import Learner
from lexalign.explore.csls_choices import find_csls_choices
from lexalign.explore.neighbourhoods import find_neighbourhoods
from lexalign.explore.vocabulary import find_vocabulary
from lexalign.induction import Dictionary, Inducer
from lexalign.induction.induced_translation import InducedTranslation
from lexalign.induction.ranker import Boosting
from lexalign.induction.ranking_files import save_ranking
from lexalign.pipelines.nli import train_model
from lexalign.procrustes.path import only_start
from lexalign.runs import claim_run, new_run
from lexalign.spaces import Side, Stage, normalise
from lexalign.spaces.normalise import unit_length
from lexalign.training import Counts
from lexalign.vectors import write
from tests.conftest import random_rotation
from tests.induction.samples import noisy_pair
from tests.vectors.samples import WORDS, tiny

Files = dict[str, bytes]


def files_of(make: Callable[[Path], object]) -> Files:
    """What ``make`` writes into a folder: the content by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder)
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }


def vectors(name: str) -> Files:
    """Five words of two numbers, in the format of this name."""
    return files_of(lambda folder: write(tiny(), folder / name))


def headless_text() -> Files:
    """Text as GloVe writes it, with tabs, blanks at line ends and a word with a blank."""
    return {"glove.txt": b"der 0.5 -1\ndie 1e-3 .25 \nNew York 1 2\ndas\t1\t2\r\nein 3 4\n"}


def fasttext_model() -> Files:
    """A fastText model of gensim."""
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    model = FastText([WORDS, WORDS[::-1]], vector_size=3, min_count=1, bucket=10, epochs=1)
    return files_of(lambda folder: save_facebook_model(model, str(folder / "model.bin")))


def lexicons() -> Files:
    """A lexicon of every form."""
    return {
        "weights.tsv": b"dog\tHund\t0.5\nice cream\tEis\t1e-3\ncat\tKatze\t2\n",
        "classes.tsv": b"dog\tHund\tnoun\nto go\tgehen\tverb\n",
        "pairs.tsv": "ice cream\tEis\r\n\nstreet\tStraße\n".encode(),
        "muse.txt": "dog Hund\ncat  Katze\nstreet Straße\n".encode(),
    }


def linear_map() -> Files:
    """A map with two stages on one side, means and probes."""
    space = normalise(Embeddings(["a", "b", "c"], np.eye(3) + 0.1), "unit,centre")
    rotation = random_rotation(3, np.random.default_rng(0))
    source = Side((Stage(space.normalisation, rotation), Stage(matrix=rotation)), space.probes)
    map_ = LinearMap(source, Side.of(space), {"method": "procrustes"})
    return files_of(lambda folder: map_.save(folder / "map.safetensors"))


def refinement() -> Files:
    """The folder of a run: a refinement with seeds and a dictionary."""
    words = Embeddings(["a", "b", "c"], np.eye(3))
    rotation = random_rotation(3, np.random.default_rng(0))
    step = LinearMap(Side((Stage(matrix=rotation),)), Side())

    def make(folder: Path) -> None:
        with new_run(claim_run(folder / "run")) as run:
            run.vectors(words.with_matrix(words.matrix @ rotation), "source", ".vec")
            run.vectors(words, "target", "")
            run.map(step)
            run.rotation(step)
            run.lexicon(Lexicon([("a", "a"), ("b", "b")], np.array([0.5, 2.0])))
            run.seeds(Lexicon([("c", "c")]))
            run.dictionary(dictionary())
            run.counts(Counts({"a": 3, "b": 1}, 4), "source")
            run.counts(Counts({"a": 2}, 2), "target")
            run.record(
                {
                    "method": "refine",
                    "parameters": {"loss": "l1", "pivot": ""},
                    "inputs": {"source": {"path": "en.vec"}, "target": {"path": "de.vec"}},
                    "base": {"method": "procrustes", "inputs": {"source": {"path": "en.vec.gz"}}},
                }
            )

    return files_of(make)


def dictionary() -> Dictionary:
    """Three translations."""
    return Dictionary(
        ("a", "a", "b"), ("x", "y z", "y"), np.array([0.9, 0.1, 0.5]), np.array([1, 2, 1])
    )


@cache
def induced() -> InducedTranslation:
    """A small induction with a learned ranking."""
    inducer = Inducer(method="procrustes", boosting=Boosting(trees=3, leaves=4), ranking="learned")
    return inducer.fit(*noisy_pair(words=120, dimension=6, noise=0.3))


def ranking() -> Files:
    """The files of a learned ranking."""
    found = induced()
    forward = found.rankings["forward"]
    return files_of(
        lambda folder: save_ranking(
            folder / "ranking", found.pair, found.model, forward, found.maps
        )
    )


def inference() -> Files:
    """Examples of natural language inference, in every layout."""
    rows = [
        {"pairID": "1", "gold_label": "neutral", "sentence1": "A dog.", "sentence2": "A cat."},
        {"pairID": "2", "gold_label": "-", "sentence1": "Ein Hund.", "sentence2": "Ein Tier."},
        {"premise": "Straße", "hypothesis": "Weg", "label": "entailment", "language": "de"},
    ]
    return {
        "mnli.jsonl": "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode(),
        "xnli.tsv": (
            b"language\tgold_label\tsentence1\tsentence2\tpairID\n"
            b"de\tneutral\tEin Hund.\tEin Tier.\t1\nde\tcontradictory\tJa.\tNein.\t2\n"
        ),
        "plain.tsv": b"1\tfiction\tA dog.\tAn animal.\tentailment\n2\tnews\tYes.\tNo.\tneutral\n",
    }


def judgements() -> Files:
    """Judgements of similarity, and the same with scores apart."""
    return {
        "pairs.tsv": "der\tdie\t3.5\ndas\tStraße\t0\nder\tdas\t1e1\n".encode(),
        "words.tsv": "der\tdie\ndas\tStraße\nder\tdas\n".encode(),
        "gold.txt": b"3.5\n0\n10\n",
    }


def grid() -> Files:
    """A grid with every kind of table, and its inputs."""
    return {
        "grid.toml": b"""title = "A grid"
vectors = "wiki"
pairs = ["en-de", "news:en-fr"]
metric = "p@1"
seeds = [0, 1]
limit = 1000
lowercase = true
source = "somewhere"
[[aligners]]
label = "P"
method = "procrustes"
lexicon = "train"
rounds = 2
[[aligners]]
label = "G"
method = "given"
aligned = "public"
refine = false
[[refinements]]
label = "L1"
loss = "l1"
horizon = 5e-3
[training]
dimension = 30
[evaluation]
kind = "translation"
lexicon = "test"
protocol = "muse"
retrieval = "csls"
[published.P]
en-de = 75.3
""",
        "inputs.toml": b"""[vectors.wiki]
file = "wiki.{language}.vec"
[lexicons]
test = "{source}-{target}.txt"
[corpora.wiki]
file = "wiki.{language}.txt.xz"
[nli]
train = "mnli.jsonl"
[aligned.public]
file = "{source}-{target}.{seed}.{language}.txt"
[pairs]
grid = ["en-de"]
""",
    }


def results() -> Files:
    """Two evaluations of the same queries, as ``lexalign evaluate --json`` writes them."""
    from lexalign.evaluation import evaluate

    words = Embeddings([f"w{row}" for row in range(12)], np.eye(12))
    lexicon = Lexicon([(word, word) for word in words.words])
    turned = words.with_matrix(np.roll(np.eye(12), 1, axis=0))
    found = [evaluate(words, side, lexicon).as_dict() for side in (words, turned)]
    for result in found:
        result["leakage"] = {"leaked": [1]}
    return {
        f"{name}.json": json.dumps([result]).encode()
        for name, result in zip("ab", found, strict=True)
    }


def experiment() -> Files:
    """The table of an experiment with one job that ran and one that failed."""
    cell = {"aligner": "P", "refinement": "", "pair": "wiki:en-de", "missing": ""}
    content = {
        "grid": {
            "name": "table",
            "title": "A table",
            "metric": "p@1",
            "vectors": "wiki",
            "source": "",
            "published": {"P": {"en-de": 75.3}},
        },
        "titles": {"wiki": "Wikipedia"},
        "cells": [
            {**cell, "seed": 0, "job": ["one"]},
            {**cell, "seed": 1, "job": ["two"]},
            {**cell, "seed": 2, "job": [], "missing": "no vectors"},
        ],
    }
    scores = {"p@1": 0.5, "p@5": 0.6, "p@10": 0.7, "mrr": 0.55, "queries": 100}

    def make(folder: Path) -> None:
        from lexalign.experiments.plan import FORMAT

        (folder / "table.experiment.json").write_text(json.dumps({**content, "format": FORMAT}))
        with new_run(claim_run(folder / "jobs" / "one")) as run:
            run.record({"kind": "translation", "scores": [scores]})
            with run.progress.stage("all"):
                pass
        (folder / "failures").mkdir()
        (folder / "failures" / "two.json").write_text(json.dumps({"sentence": "It failed."}))

    return files_of(make)


def checkpoint() -> Files:
    """The state of some work."""
    state = State({"matrix": np.eye(2), "tail": np.arange(3)}, {"epochs": 2, "keep": 0.5})
    return files_of(lambda folder: Checkpoint(folder / "work.safetensors").save(state))


def review() -> Files:
    """Decisions about pairs."""
    return {"review.tsv": b"source\ttarget\tverdict\na\tx\tright\nb\ty z\twrong\n"}


def small_pair() -> tuple[Embeddings, Embeddings]:
    """Unit vectors of five words a side."""
    matrix = np.random.default_rng(0).standard_normal((2, len(WORDS), 2))
    one, other = (unit_length(Embeddings(WORDS, rows)) for rows in matrix)
    return one, other


def inference_model() -> Files:
    """A small model of inference, and a question for it."""
    lines = "".join(
        f"{number}\tnews\tder die\tdas ein\t{label}\n"
        for number, label in enumerate(("entailment", "neutral", "contradiction"))
    )

    def make(folder: Path) -> None:
        write(small_pair()[0], folder / "a.vec")
        (folder / "test.tsv").write_text(lines, encoding="utf-8")
        learner = Learner(hidden=2, epochs=1, batch=3)
        files = folder / "a.vec", folder / "test.tsv", folder / "test.tsv"
        train_model(*files, folder / "model", learner)

    return files_of(make)


def explorer_arrays() -> Files:
    """What the explorer keeps of five words a side."""
    sides = small_pair()

    def make(folder: Path) -> None:
        found = find_neighbourhoods(*sides, only_start(2), folder)
        find_csls_choices(*sides, found, folder)
        find_vocabulary(*sides, folder)

    return files_of(make)
