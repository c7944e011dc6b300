"""What the health check says of true and of false alignments of real spaces.

True is the rotation fitted to the MUSE dictionary; false is a random rotation after 20 rounds of
induced pairs, which have made its chance pairs similar. Also after a reduction to fewer dimensions.
Wants the same folder as the benchmark of the aligners.
"""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.aligners import LEXICONS, PAIRS, load
from benchmarks.measure import heading, row, table
from lexalign.aligners.health import WORDS, Health, examine
from lexalign.aligners.pairs import known_seeds
from lexalign.aligners.rounds import induced_rounds
from lexalign.spaces import level
from lexalign.spaces.normalise import normalise_rows
from lexalign.vectors import Lexicon

STEPS = "unit,centre,unit"


def main() -> None:
    """Examine both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[300, 100, 50, 25])
    arguments = parser.parse_args()
    heading("Health check of true and of false alignments")
    table("pair", "dimensions", "map", "mutual", "mean cosine", "mean csls", "found again")
    for one, other in PAIRS:
        source, target = (load(arguments.data, name) for name in (one, other))
        name = LEXICONS["muse"][0].format(f"{one[-2:]}-{other[-2:]}")
        lexicon = Lexicon.read(arguments.data / "dictionaries" / name, lowercase=True)
        seeds = known_seeds(source, target, lexicon)
        for dimension in arguments.dimensions:
            x, z = (reduced(side.matrix, dimension) for side in (source, target))
            false = np.linalg.qr(np.random.default_rng(0).standard_normal((dimension,) * 2))[0]
            for found in islice(induced_rounds(x[:WORDS], z[:WORDS], false, max_rank=WORDS), 20):
                false = found.matrix
            for label, matrix in (("true", seeds.rotation(x, z)), ("false", false)):
                mapped = x[:WORDS] @ matrix.astype(np.float32), z
                health = examine((x, z), mapped, (source.index, target.index))
                if health is not None:
                    show(f"{one} {other}", dimension, label, health)


def show(pair: str, dimension: int, label: str, health: Health) -> None:
    """One row."""
    again = "–" if health.found_again is None else f"{health.found_again:.2f}"
    figures = (health.mutual, health.mean_cosine, health.mean_csls)
    row(pair, dimension, label, *(f"{figure:.2f}" for figure in figures), again)


def reduced(matrix: np.ndarray, dimension: int) -> np.ndarray:
    """The normalised vectors, in the directions that matter most."""
    rows = normalise_rows(matrix, STEPS)
    if dimension == rows.shape[1]:
        return rows
    return normalise_rows(level(rows, rows[:, :dimension], "pca").source, STEPS)


if __name__ == "__main__":
    main()
