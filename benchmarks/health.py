"""What the health check says of true and of false alignments of real spaces.

True is the rotation fitted to the MUSE dictionary; false is a random rotation after 20 rounds of
induced pairs, which have made its chance pairs similar. Also after a reduction to fewer dimensions.
Wants the same folder as the benchmark of the aligners.

``--cost`` counts the processor seconds of a check beside those of a run of ``procrustes`` instead.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.aligners import LEXICONS, PAIRS, load
from benchmarks.measure import Timing, heading, row, table, timed
from benchmarks.vocabularies import enlarged
from lexalign.aligners import Procrustes
from lexalign.aligners.health import FEWEST_IDENTICAL, WORDS, Health, examine
from lexalign.aligners.pairs import known_seeds
from lexalign.aligners.rounds import induced_rounds
from lexalign.spaces import level
from lexalign.spaces.normalise import normalise_rows
from lexalign.vectors import Embeddings, Lexicon

STEPS = "unit,centre,unit"
FIGURES = (
    "found_again",
    "mutual",
    "mean_csls",
    "mean_cosine",
    "hubness",
    "singular_value_gap",
    "eigenvalue_gap",
    "identical",
)


def main() -> None:
    """Examine both, and print the range of every figure over the pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[300, 100, 50, 25])
    parser.add_argument("--cost", type=int, nargs="+", metavar="ROWS", help="enlarged to so many")
    arguments = parser.parse_args()
    if arguments.cost:
        cost(arguments.data, arguments.cost)
        return
    heading("Health check of true and of false alignments")
    table("pair", "dimensions", "map", *FIGURES)
    found = defaultdict[tuple[int, str], list[dict[str, float | None]]](list)
    for one, other in PAIRS:
        source, target = (load(arguments.data, name) for name in (one, other))
        name = LEXICONS["muse"][0].format(f"{one[-2:]}-{other[-2:]}")
        lexicon = Lexicon.read(arguments.data / "dictionaries" / name, lowercase=True)
        seeds = known_seeds(source, target, lexicon)
        for dimension in arguments.dimensions:
            x, z = (reduced(side.matrix, dimension) for side in (source, target))
            false = np.linalg.qr(np.random.default_rng(0).standard_normal((dimension,) * 2))[0]
            for round_ in islice(induced_rounds(x[:WORDS], z[:WORDS], false, max_rank=WORDS), 20):
                false = round_.matrix
            for label, matrix in (("true", seeds.rotation(x, z)), ("false", false)):
                mapped = x[:WORDS] @ matrix.astype(np.float32), z
                health = examine((x, z), mapped, (source.index, target.index))
                if health is not None:
                    figures = figures_of(health)
                    found[dimension, label].append(figures)
                    row(f"{one} {other}", dimension, label, *map(shown, figures.values()))
    for (dimension, label), several in found.items():
        ranges = []
        for name in FIGURES:
            known = [figure for one in several if (figure := one[name]) is not None]
            ranges.append(f"{shown(min(known))} to {shown(max(known))}" if known else "–")
        row("range", dimension, label, *ranges)


def cost(data: Path, sizes: list[int]) -> None:
    """Processor seconds of the check, and of the whole fit of ``procrustes`` that it is part of."""
    heading("Processor seconds of the health check")
    table("words a side", "whole fit", "check (spread)")
    name = LEXICONS["muse"][0].format("-".join(side[-2:] for side in PAIRS[0]))
    lexicon = Lexicon.read(data / "dictionaries" / name, lowercase=True)
    first, second = (load(data, side) for side in PAIRS[0])
    for rows in sizes:
        cost_at(rows, enlarged(first, rows, seed=1), enlarged(second, rows, seed=2), lexicon)


def cost_at(rows: int, source: Embeddings, target: Embeddings, lexicon: Lexicon) -> None:
    """A row of the table."""
    aligned = Procrustes().fit(source, target, lexicon)
    fit = timed(lambda: Procrustes().fit(source, target, lexicon), 1)
    normalised = normalise_rows(source.matrix, STEPS), normalise_rows(target.matrix, STEPS)
    mapped, names = (aligned.source.matrix, aligned.target.matrix), (source.index, target.index)
    check = timed(lambda: examine(normalised, mapped, names), 3)
    row(rows, f"{fit.processor[0]:.2f} s", Timing(check.processor))


def figures_of(health: Health) -> dict[str, float | None]:
    """The figures of a check; the share of words spelled alike only if there are enough."""
    alike = health.identical
    enough = alike is not None and alike.words >= FEWEST_IDENTICAL
    share = alike.share if alike is not None and enough else None
    return {name: share if name == "identical" else getattr(health, name) for name in FIGURES}


def shown(figure: float | None) -> str:
    """A figure with two decimals."""
    return "–" if figure is None else f"{figure:.2f}"


def reduced(matrix: np.ndarray, dimension: int) -> np.ndarray:
    """The normalised vectors, in the directions that matter most."""
    rows = normalise_rows(matrix, STEPS)
    if dimension == rows.shape[1]:
        return rows
    return normalise_rows(level(rows, rows[:, :dimension], "pca").source, STEPS)


if __name__ == "__main__":
    main()
