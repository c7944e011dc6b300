"""Why evaluation by CSLS computes the neighbourhood of every target: what bounds would decide.

The exact rank of a translation is the number of targets that score above it. A target needs no
exact neighbourhood if bounds of it tell for every query on which side it lies. Printed are the
targets for which they do not, had they been off by so much on both sides, and for how many the
first ten places alone would need one. Then how many sources remain possible neighbours of a target
by the bound of Cauchy and Schwarz, x·y ≤ p(x)·p(y) + |r(x)| |r(y)|, where p is the projection on
leading directions and r the rest.

Wants the same folder as the benchmark of the aligners.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.aligners import load
from benchmarks.evaluation import questions
from benchmarks.measure import heading, row, table
from benchmarks.vocabularies import aligned_demo, enlarged
from lexalign.aligners import Procrustes
from lexalign.evaluation import PROTOCOLS, Evaluator
from lexalign.retrieval import penalty
from lexalign.spaces.normalise import unit_rows
from lexalign.vectors import Embeddings, Lexicon

OFF_BY = (0.005, 0.02, 0.05)
DEPTH = 10
DIRECTIONS = (64, 128, 192)
TARGETS_AT_ONCE = 4096


def main() -> None:
    """Measure on the enlarged demonstration and on the English and Russian of the web."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=int, default=40_000, help="of the demonstration")
    arguments = parser.parse_args()
    first, second = (
        enlarged(side, arguments.rows, seed) for seed, side in enumerate(aligned_demo(), start=1)
    )
    lexicons = arguments.data / "dictionaries" / "muse"
    aligned = Procrustes().fit(
        load(arguments.data, "web.en"),
        load(arguments.data, "web.ru"),
        Lexicon.read(lexicons / "en-ru.0-5000.txt", lowercase=True),
    )
    heading("Targets that need an exact neighbourhood, and sources that may be neighbours")
    table(
        "vectors",
        "truly above a translation",
        "without the worst 1 % of queries",
        *(f"undecided, off by {off}" for off in OFF_BY),
        f"first {DEPTH} places, off by {OFF_BY[-1]}",
        *(f"possible neighbours, {count} directions" for count in DIRECTIONS),
    )
    measure("demonstration", first, second, questions(1_500, first, second))
    test = Lexicon.read(lexicons / "en-ru.5000-6500.txt", lowercase=True)
    measure("web en-ru", aligned.source, aligned.target, test)


def measure(label: str, source: Embeddings, target: Embeddings, lexicon: Lexicon) -> None:
    """A row of the table."""
    x, y = unit_rows(source.matrix), unit_rows(target.matrix)
    costs = penalty("csls", y, x).values
    found = Evaluator(source, target, PROTOCOLS["muse"], penalties=costs).evaluate(lexicon)
    queries = x[found.source_rows]
    gold = np.array(
        [
            max(
                float(x[i] @ y[j] - costs[j]) for j in map(target.index.get, known) if j is not None
            )
            for i, known in zip(found.source_rows, found.references, strict=True)
        ]
    )
    tenth = np.full((len(queries), DEPTH), -np.inf)
    for some in range(0, len(y), TARGETS_AT_ONCE):
        scores = queries @ y[some : some + TARGETS_AT_ONCE].T - costs[some : some + TARGETS_AT_ONCE]
        both = np.hstack((tenth, scores))
        tenth = np.partition(both, -DEPTH, axis=1)[:, -DEPTH:]
    first = np.maximum(gold, tenth[:, 0])
    easier = found.ranks <= np.quantile(found.ranks, 0.99)
    counts = np.zeros(3 + len(OFF_BY))
    for some in range(0, len(y), TARGETS_AT_ONCE):
        here = slice(some, some + TARGETS_AT_ONCE)
        lead = 2 * (queries @ y[here].T - costs[here] - gold[:, None])
        ahead = 2 * (queries @ y[here].T - costs[here] - first[:, None])
        counts += [
            (lead > 1e-6).any(axis=0).sum(),
            (lead[easier] > 1e-6).any(axis=0).sum(),
            *((np.abs(lead) < off).any(axis=0).sum() for off in OFF_BY),
            (ahead > -OFF_BY[-1]).any(axis=0).sum(),
        ]
    shares = [*counts / len(y), *possible_neighbours(x, y)]
    row(label, *(f"{100 * share:.1f} %" for share in shares))


def possible_neighbours(x: np.ndarray, y: np.ndarray) -> list[float]:
    """The mean share of sources whose bound reaches the tenth similarity, of 500 targets."""
    values, vectors = np.linalg.eigh((x.T @ x + y.T @ y).astype(np.float64))
    turned = [side @ vectors[:, np.argsort(-values)].astype(np.float32) for side in (x, y)]
    some = np.random.default_rng(0).choice(len(y), 500, replace=False)
    sources, targets = turned[0], turned[1][some]
    tenth = np.partition(targets @ sources.T, -10, axis=1)[:, -10]
    shares = []
    for count in DIRECTIONS:
        rests = [np.linalg.norm(side[:, count:], axis=1) for side in (targets, sources)]
        bound = targets[:, :count] @ sources[:, :count].T + rests[0][:, None] * rests[1]
        shares.append(float((bound >= tenth[:, None]).mean()))
    return shares


if __name__ == "__main__":
    main()
