"""A tiny language in which inference can be learned, and its translation."""

import json

import numpy as np
import pytest

from lexalign import write
from lexalign.vectors import Embeddings
from tests.conftest import random_rotation

THINGS, DIMENSION = 12, 16
KINDS = ("thing", "same", "opposite")


def sentences(count: int, seed: int, prefix: str = "") -> list[dict[str, str]]:
    """The hypothesis has a synonym of what the premise talks of, an antonym, or of other things."""
    generator = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        things = generator.permutation(THINGS)
        label = ("entailment", "neutral", "contradiction")[number % 3]
        kind = {"entailment": "same", "contradiction": "opposite"}.get(
            label, KINDS[1 + int(generator.integers(2))]
        )
        thing = things[4] if label == "neutral" else things[0]
        premise = generator.permutation(things[:3])
        rows.append(
            {
                "premise": " ".join(f"{prefix}thing{thing}" for thing in premise),
                "hypothesis": f"{prefix}{kind}{thing}",
                "label": label,
            }
        )
    return rows


def vectors(prefix: str = "", rotation: np.ndarray | None = None) -> Embeddings:
    """The words of the language; a translation has the same vectors, perhaps rotated."""
    matrix = np.random.default_rng(5).standard_normal((len(KINDS) * THINGS, DIMENSION))
    matrix = matrix if rotation is None else matrix @ rotation
    words = [f"{prefix}{kind}{number}" for kind in KINDS for number in range(THINGS)]
    return Embeddings(words, matrix.astype(np.float32))


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def nli(tmp_path_factory):
    """A folder with everything."""
    folder = tmp_path_factory.mktemp("nli")
    write_jsonl(folder / "train.jsonl", sentences(2400, 0))
    write_jsonl(folder / "dev.jsonl", sentences(300, 1))
    write_jsonl(folder / "test.en.jsonl", sentences(300, 2))
    write_jsonl(folder / "test.de.jsonl", sentences(300, 2, "de"))
    write(vectors(), folder / "en.npz")
    write(vectors("de"), folder / "de.npz")
    turned = random_rotation(DIMENSION, np.random.default_rng(9))
    write(vectors("de", turned), folder / "unaligned.npz")
    return folder
