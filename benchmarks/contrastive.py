"""Contrastive tuning on real pairs: its start, every round, and the round that it chose.

Wants the same folder as the benchmark of the aligners.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.aligners import LEXICONS, load
from benchmarks.measure import heading, row, table
from lexalign.aligners.contrastive import Contrastive, TunedMaps
from lexalign.aligners.infonce import Maps, unit_mapped
from lexalign.aligners.pairs import Pairs, known_seeds
from lexalign.aligners.vecmap import VecMap
from lexalign.arrays import to_numpy
from lexalign.evaluation import PROTOCOLS, Evaluator
from lexalign.progress import Advance, Progress
from lexalign.spaces import normalise
from lexalign.vectors import Embeddings, Lexicon


class Recorded(Contrastive):
    """Keeps the maps of every round by the number of its seeds."""

    rounds_by_seeds: dict[int, list[TunedMaps]] = {}  # noqa: RUF012

    def tuned_maps(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, start: str, advance: Advance
    ) -> Iterator[TunedMaps]:
        """Note what passes."""
        found = list[TunedMaps]()
        self.rounds_by_seeds[len(seeds)] = found
        for tuned in super().tuned_maps(source, target, seeds, start, advance):
            found.append(tuned)
            yield tuned


def main() -> None:
    """Measure on the pairs asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", nargs="*", choices=list(LEXICONS), default=list(LEXICONS))
    parser.add_argument("--pairs", nargs="+", metavar="NAME-NAME", help="such as web.en-web.fr")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    heading(f"Contrastive tuning, P@1 nn / csls, {arguments.device}")
    table(
        "pair", "seeds", "vecmap", "start", "round 0", "round 1", "round 2", "chosen",
        "held-out MRR by round", "queries", "seconds",
    )  # fmt: skip
    for pair in arguments.pairs:
        one, other = pair.split("-")
        source, target = (
            normalise(load(arguments.data, name), "unit,centre,unit").words for name in (one, other)
        )
        for name in arguments.seeds:
            train, test = (
                arguments.data / "dictionaries" / path.format(f"{one[-2:]}-{other[-2:]}")
                for path in LEXICONS[name]
            )
            measure(f"{one} {other}", name, (source, target), train, test, arguments.device)


def measure(
    pair: str, name: str, sides: tuple[Embeddings, Embeddings], train: Path, test: Path, device: str
) -> None:
    """One row."""
    seeds = known_seeds(*sides, Lexicon.read(train, lowercase=True))
    source, target = (side.matrix for side in sides)
    plain = VecMap().learn(source, target, seeds, Progress())
    aligner = Recorded(device=device)
    began = time.perf_counter()
    learned = aligner.learn(source, target, seeds, Progress())
    seconds = time.perf_counter() - began
    rounds = aligner.rounds_by_seeds[len(seeds)]
    last = learned.history[-1]
    scores = [precision(sides, tuned.maps, test)[0] for tuned in rounds]
    figures, queries = precision(sides, Maps(plain.source, plain.target), test)
    held_out = [
        f"{100 * entry['held_out_mrr']:.1f}"
        for entry in learned.history
        if "held_out_mrr" in entry and entry["start"] == last["start"]
    ]
    scores += [""] * (3 - len(scores))
    row(
        pair, name, figures, last["start"], *scores, last["round"], ", ".join(held_out), queries,
        f"{seconds:.0f}",
    )  # fmt: skip


def precision(sides: tuple[Embeddings, Embeddings], maps: Maps, test: Path) -> tuple[str, int]:
    """P@1 by cosine and by CSLS, and the number of words asked."""
    source, target = (
        Embeddings(side.words, unit_mapped(side.matrix, to_numpy(matrix)))
        for side, matrix in zip(sides, maps, strict=True)
    )
    scores = [
        Evaluator(source, target, PROTOCOLS["muse"].but(retrieval=retrieval)).evaluate(
            Lexicon.read(test)
        )
        for retrieval in ("nn", "csls")
    ]
    return " / ".join(f"{100 * one.precision(1):.1f}" for one in scores), scores[0].queries


if __name__ == "__main__":
    main()
