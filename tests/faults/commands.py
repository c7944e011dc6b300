"""Every command that writes, on tiny inputs: a new one is one more row of this table.

A row names what the command gets and what it writes. The tests of this folder run each row with
a fault: killed, on a full disk, or beside another writer. ``WRITE_NOTHING`` lists the other
commands, so that none is forgotten.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lexalign.vectors import Embeddings, write
from tests.conftest import planted_pair, random_rotation
from tests.evaluation.nli.conftest import sentences, vectors, write_jsonl

IN = "../inputs"
QUICK = ("--horizon", "5e-3")
TRAINING = ("--dimension", "6", "--epochs", "2", "--minimum-count", "1")


@dataclass(frozen=True)
class Row:
    """A command that writes.

    Parameters
    ----------
    arguments : tuple of str
        What follows ``lexalign``; inputs lie in the folder ``IN``.
    outputs : tuple of str
        The files and folders that it writes, each of them whole or not at all; they may be
        patterns.
    overwrites : bool
        Whether it has ``--overwrite``.
    shares : bool
        Whether several processes may write the outputs at once, all with the same content.
    first : str
        The file or folder of which another writer is faster, by default the first output.
    refusal : str
        What another writer is told at once; empty if it is told at the end.
    stand_in : str
        A function of ``stand_ins`` that is called first, for what a child cannot do.
    """

    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    overwrites: bool = True
    shares: bool = False
    first: str = ""
    refusal: str = ""
    stand_in: str = ""

    def command(self, *, overwrite: bool = False) -> list[str]:
        """The whole command line."""
        return [*self.arguments, *(["--overwrite"] if overwrite and self.overwrites else [])]


def _align(method: str, *more: str) -> tuple[str, ...]:
    return "align", method, *more, "--output", "out"


PAIR = (f"{IN}/en.vec", f"{IN}/de.vec", "--lexicon", f"{IN}/seeds.txt")

ROWS = {
    "align": Row(_align("procrustes", *PAIR), ("out",)),
    "align to a pivot": Row(
        _align(
            "procrustes", f"{IN}/en.vec", f"{IN}/de.vec", f"{IN}/fr.vec", "--pivot", "en",
            "--lexicon", f"{IN}/{{}}-en.txt",
        ),
        ("out",),
    ),
    "align joint": Row(
        _align(
            "joint", "--joint", f"{IN}/joint.vec", "--source-counts", f"{IN}/en.counts",
            "--target-counts", f"{IN}/de.counts", "--aligner", "procrustes",
            "--lexicon", f"{IN}/seeds.txt",
        ),
        ("out",),
    ),
    "apply": Row(
        ("apply", f"{IN}/run/map.safetensors", f"{IN}/en.vec", "--side", "source",
         "--output", "out.vec.gz"),
        ("out.vec.gz",),
    ),
    "apply --words": Row(
        ("apply", f"{IN}/small.map.safetensors", f"{IN}/model.bin", "--side", "source",
         "--words", f"{IN}/words.txt", "--output", "out.vec"),
        ("out.vec",),
    ),
    "convert to a file": Row(("convert", f"{IN}/en.vec", "out.npz"), ("out.npz",)),
    "convert to a folder": Row(("convert", f"{IN}/en.vec", "out"), ("out",)),
    "data fetch": Row(
        ("data", "fetch", "muse.en-zh", "--folder", "data"),
        ("data/dictionaries/muse/en-zh.0-5000.txt", "data/dictionaries/muse/en-zh.5000-6500.txt"),
        overwrites=False, shares=True, stand_in="downloads",
    ),
    "experiment new": Row(("experiment", "new", "out"), ("out",), stand_in="few_words"),
    "experiment run": Row(
        ("experiment", "run", f"{IN}/grid.toml", "--inputs", f"{IN}/inputs.toml",
         "--output", "out"),
        ("out/grid.experiment.json", "out/jobs/*"),
        overwrites=False, refusal="another run is writing there", stand_in="jobs_in_this_process",
    ),
    "explore": Row(
        ("explore", "run"), ("run/.explore/*/*",),
        overwrites=False, shares=True, first="path.safetensors",
        stand_in="explorer_without_a_server",
    ),
    "export projector": Row(
        ("export", "projector", f"{IN}/run", "--words", "20", "--output", "out"), ("out",)
    ),
    "figure": Row(
        ("figure", f"{IN}/run", "--output", "out.svg", "--output", "out.csv", "--loss", "l1",
         *QUICK),
        ("out.svg", "out.csv"),
    ),
    "induce": Row(
        ("induce", *PAIR, "--method", "procrustes", "--max-rank", "20", "--export", "tmx",
         "--trees", "5", "--folds", "2", "--output", "out"),
        ("out",),
    ),
    "lexicon split": Row(
        ("lexicon", "split", f"{IN}/seeds.txt", "--train", "train.txt", "--test", "test.txt"),
        ("train.txt", "test.txt"),
    ),
    "lexicon swap": Row(("lexicon", "swap", f"{IN}/seeds.txt", "out.txt"), ("out.txt",)),
    "nli train": Row(
        ("nli", "train", "--vectors", f"{IN}/nli.vec", "--train", f"{IN}/nli.jsonl",
         "--dev", f"{IN}/nli.jsonl", "--hidden", "4", "--epochs", "1", "--checkpoint", "state",
         "--output", "out"),
        ("out",),
    ),
    "outliers": Row(
        ("outliers", f"{IN}/run", "--lexicon", f"{IN}/seeds.txt", "--inliers", "out.tsv"),
        ("out.tsv",),
    ),
    "refine": Row(("refine", f"{IN}/run", *QUICK, "--output", "out"), ("out",)),
    "report": Row(("report", f"{IN}/run", "--output", "out.html"), ("out.html",)),
    "train": Row(
        ("train", f"{IN}/text.txt", *TRAINING, "--quiet", "--checkpoint", "state",
         "--counts", "out.tsv", "--output", "out.vec"),
        ("out.vec", "out.tsv"),
    ),
    "translate": Row(
        ("translate", f"{IN}/run", "--mutual", "--output", "out.tsv"), ("out.tsv",)
    ),
}  # fmt: skip

REVIEW = {
    "a review": Row(
        ("explore", "run"), ("run/review.tsv",), overwrites=False, stand_in="review_without_a_page"
    )
}
"""Decisions in the explorer. They wait for each other and keep earlier ones, so that no output is
replaced; ``test_review`` and ``tests/runs/test_review.py`` test them."""

WRITE_NOTHING = {
    "compare", "data list", "evaluate", "experiment list", "experiment table",
    "lexicon check", "nli test",
}  # fmt: skip
"""They print to standard output."""

TESTED_ELSEWHERE = {"demo"}
"""It takes half a minute; ``tests/demo`` shows that its folder is whole or not there."""

GRID = """
title = "Tiny"
source = "nobody"
vectors = "toy"
pairs = ["en-de"]
seeds = [0]
metric = "p@1"

[evaluation]
kind = "translation"
lexicon = "all"
protocol = "muse"

[[aligners]]
label = "Procrustes"
method = "procrustes"
lexicon = "all"
"""

INPUTS = """
[vectors.toy]
file = "{language}.vec"
title = "toys"

[lexicons]
all = "seeds.txt"
"""


def make_inputs(folder: Path) -> None:
    """Write all that the rows read; the run ``run`` is made by a command."""
    folder.mkdir()
    source, target, _ = planted_pair(words=120, dimension=6)
    for name, words in (("en", source), ("de", target), ("fr", target)):
        write(words, folder / f"{name}.vec")
    pairs = [f"s{i} t{i}\n" for i in range(100)]
    (folder / "seeds.txt").write_text("".join(pairs))
    for name in ("de", "fr"):
        (folder / f"{name}-en.txt").write_text("".join(f"t{i} s{i}\n" for i in range(60)))
    (folder / "grid.toml").write_text(GRID)
    (folder / "inputs.toml").write_text(INPUTS)
    _make_joint(folder, source, target)
    _make_model(folder)
    text = " ".join(f"word{i % 17} word{i % 5}" for i in range(400))
    (folder / "text.txt").write_text(f"{text}\n" * 3)
    write(vectors(), folder / "nli.vec")
    write_jsonl(folder / "nli.jsonl", sentences(24, 0))


def _make_joint(folder: Path, source: Embeddings, target: Embeddings) -> None:
    """Vectors that look trained jointly, with the counts of both languages."""
    words = [*source.words, *target.words]
    write(Embeddings(words, np.vstack([source.matrix, target.matrix])), folder / "joint.vec")
    for name, side in (("en", source), ("de", target)):
        (folder / f"{name}.counts").write_text("".join(f"{word}\t9\n" for word in side.words))


def _make_model(folder: Path) -> None:
    """A fastText model, words that it composes, and a map for its vectors."""
    from gensim.models import fasttext

    from lexalign.spaces import LinearMap, Side
    from lexalign.spaces.side import Stage

    model = fasttext.FastText(
        sentences=[[f"word{i}" for i in range(30)]] * 2,
        vector_size=4, min_count=1, bucket=50, workers=1, epochs=1,
    )  # fmt: skip
    fasttext.save_facebook_model(model, str(folder / "model.bin"))
    (folder / "words.txt").write_text("word3\nwordy\n")
    rotation = random_rotation(4, np.random.default_rng(0))
    side = Side((Stage(matrix=rotation),))
    LinearMap(side, Side()).save(folder / "small.map.safetensors")


def new_home(folder: Path, inputs: Path) -> Path:
    """An empty folder to run a row in, beside the inputs."""
    folder.mkdir()
    if not (folder.parent / "inputs").exists():
        (folder.parent / "inputs").symlink_to(inputs)
    shutil.copytree(inputs / "run", folder / "run")  # the explorer writes into it
    return folder


VARIABLE = ("seconds", "command", "created")
"""Facts of a record that differ from run to run."""


def content(path: Path) -> dict[str, object]:
    """What a file or folder holds, by name, without what differs from run to run; {} for nothing.

    Locks and what is being written in hidden folders do not count.
    """
    found = dict[str, object]()
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    for file in files:
        name = file.relative_to(path).as_posix()
        hidden = "lexalign-part" in str(file)
        if not file.is_file() or hidden or file.name.endswith("lock"):
            continue
        found[name] = _record(file) if file.name == "run.json" else file.read_bytes()
    return found


def _record(file: Path) -> object:
    record = json.loads(file.read_text())
    return _stripped(record)


def _stripped(value: object) -> object:
    if isinstance(value, dict):
        return {key: _stripped(one) for key, one in value.items() if key not in VARIABLE}
    return [_stripped(one) for one in value] if isinstance(value, list) else value
