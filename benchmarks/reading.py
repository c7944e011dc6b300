"""Reading a text file of 100,000 × 300 against gensim and against a plain Python loop."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import heading, interleaved, row, table
from benchmarks.recorded_ratios import Ratios
from benchmarks.vocabularies import enlarged
from lexalign.demo import demo_embeddings
from lexalign.vectors import read


def main() -> Ratios:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.vec"
        write_five_digits(path, arguments.rows)
        heading(f"Reading {arguments.rows:,} × 300 as text, {path.stat().st_size / 1e6:.0f} MB")
        times = interleaved(
            {
                "lexalign": lambda: read(path),
                "plain loop": lambda: plain_loop(path),
                "gensim": lambda: gensim(path),
            },
            arguments.repeats,
        )
        same = np.array_equal(read(path).matrix, plain_loop(path)[1])
    table("reader", "median (spread)", "slower than lexalign by")
    for name, timing in times.items():
        row(name, timing, f"{timing.median / times['lexalign'].median:.1f}×")
    print(f"\nsame numbers as the plain loop: {same}")
    return {
        f"reading / {name}": times["lexalign"].share_of(times[name])
        for name in ("plain loop", "gensim")
    }


def write_five_digits(path: Path, rows: int) -> None:
    """A file as fastText writes it: a header and numbers of five significant digits."""
    words = enlarged(demo_embeddings("en"), rows, seed=1)
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{rows} {words.dimension}\n")
        for word, vector in zip(words.words, words.matrix.tolist(), strict=True):
            file.write(f"{word} {' '.join(f'{number:.5g}' for number in vector)}\n")


def plain_loop(path: Path) -> tuple[list[str], np.ndarray]:
    """What a careful script does."""
    words = []
    with path.open(encoding="utf-8", newline="\n") as file:
        rows, dimension = map(int, file.readline().split())
        matrix = np.empty((rows, dimension), dtype=np.float32)
        for number, line in enumerate(file):
            word, rest = line.rstrip("\n").split(" ", 1)
            words.append(word)
            matrix[number] = np.array(rest.split(" "), dtype=np.float32)
    return words, matrix


def gensim(path: Path) -> object:
    """The reader most people use."""
    from gensim.models import KeyedVectors

    return KeyedVectors.load_word2vec_format(str(path), binary=False)


if __name__ == "__main__":
    main()
