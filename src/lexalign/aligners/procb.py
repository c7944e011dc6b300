"""Procrustes with bootstrapping: mutual nearest neighbours extend a small seed lexicon.

Examples
--------
>>> import lexalign
>>> from lexalign.demo import demo_embeddings, demo_lexicon
>>> english, german = (demo_embeddings(language).top(500) for language in ("en", "de"))
>>> aligned = lexalign.align("procb", english, german, demo_lexicon("seeds"), max_pairs=60)
>>> [entry["pairs"] for entry in aligned.history]
[48, 60]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.aligner import Aligner, Fit
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.symmetric_maps import (
    require_full_spaces,
    require_l2,
    reweight_parameter,
    symmetric_maps,
)
from lexalign.parameters import parameter
from lexalign.progress import Progress
from lexalign.retrieval import top_k
from lexalign.spaces.normalise import unit_rows
from lexalign.threads import product

VARIANTS = ("growing", "once")
FINALS = ("rotation", "vecmap")
FEWEST_SEARCHED = 4
"""The number of words in the first search, as a multiple of the required pairs."""


@attrs.frozen(kw_only=True)
class ProcB(Aligner):
    """Fit a rotation to the seeds, then to mutual nearest neighbours by cosine.

    The variant "growing" follows the published program. Each round keeps only mutual pairs. Their
    number grows at most by the factor ``growth``, up to ``max_pairs``. Rounds end when the
    dictionary is full or grows by less than 1 %. The variant "once" follows the paper: mutual pairs
    extend the seeds to ``max_pairs`` pairs, and the map is refitted once. It takes less time.

    Pairs are sorted by the sum of the frequency ranks of their words, so frequent words come first.

    With the ``final`` choice "rotation", a rotation is fitted to the last dictionary. "vecmap" maps
    both sides as supervised VecMap does, with the seeds and the last dictionary as its pairs, at
    most ``max_pairs``.

    Source: Glavaš, Litschko, Ruder & Vulić 2019.
    """

    name: ClassVar[str] = "procb"
    summary: ClassVar[str] = "Fit a rotation of the source to a growing dictionary."
    citation: ClassVar[str] = (
        "Goran Glavaš, Robert Litschko, Sebastian Ruder and Ivan Vulić. 2019. How to (Properly) "
        "Evaluate Cross-Lingual Word Embeddings. ACL 2019."
    )

    variant: str = parameter(
        "growing",
        choices=VARIANTS,
        help=(
            "growing: extend the dictionary in rounds; once: add mutual pairs to the seeds "
            "and refit once."
        ),
    )
    max_pairs: int = parameter(10_000, at_least=1, help="Maximum size of the dictionary.")
    growth: float = parameter(
        1.5, above=1, help="Maximum growth factor of the dictionary per round (variant growing)."
    )
    final: str = parameter(
        "rotation",
        choices=FINALS,
        help=(
            "rotation: rotate the source; vecmap: map both sides, fitted to the seeds and "
            "the last dictionary."
        ),
    )
    reweight: float = reweight_parameter()

    def __attrs_post_init__(self) -> None:
        """Validate parameters that depend on each other."""
        if self.moves_target:
            require_l2(self)
            require_full_spaces(self)

    @property
    def moves_target(self) -> bool:
        """The maps of VecMap move the target."""
        return self.final == "vecmap"

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Fit to the seeds, then extend the dictionary."""
        history = list[Mapping[str, Any]]([{"round": 0, "pairs": len(seeds)}])
        pairs, found, keys = seeds, None, unit_rows(target)
        with progress.stage(
            "aligning", total=self._expected_rounds(len(seeds)), unit="rounds", certainty="about"
        ) as advance:
            matrix = pairs.rotation(source, target, self.loss)
            while len(pairs) < self.max_pairs:
                mapped = unit_rows(product(source, matrix.astype(np.float32)))
                wanted = self.max_pairs
                if self.variant == "growing":
                    wanted = min(int(self.growth * len(pairs)), wanted)
                found = frequent_mutual_pairs(mapped, keys, wanted)
                grown = found[:wanted]
                if self.variant == "once":
                    grown = _filled(seeds.rows, found, self.max_pairs)
                if not len(grown) or len(grown) < 1.01 * len(pairs):
                    break
                pairs = Pairs(grown)
                matrix = pairs.rotation(source, target, self.loss)
                history.append({"round": len(history), "pairs": len(pairs)})
                advance(1)
                if self.variant == "once":
                    break
            if self.moves_target:
                # Mutual pairs that are too few to grow from still help the seeds.
                last = found if pairs is seeds else pairs.rows
                if last is not None:
                    pairs = Pairs(_filled(seeds.rows, last, self.max_pairs))
                maps = symmetric_maps(source, target, pairs, self.reweight)
                return Fit(*maps, pairs, tuple(history))
        return Fit(matrix, None, pairs, tuple(history))

    def _expected_rounds(self, seeds: int) -> int:
        """The number of rounds until the dictionary is full, at maximum growth."""
        if self.variant == "once":
            return 1
        times = self.max_pairs / max(1, seeds)
        return max(1, math.ceil(math.log(times) / math.log(self.growth))) if times > 1 else 0


def frequent_mutual_pairs(source: np.ndarray, target: np.ndarray, wanted: int) -> np.ndarray:
    """Mutual nearest neighbours (p, 2), sorted by the sum of their ranks, at least ``wanted`` of
    them.

    A search from the r most frequent words of each side finds every pair whose sum of ranks is
    below r. So r doubles until enough pairs are found.
    """
    nearest = np.empty(0, dtype=np.int64)
    best = np.full(len(target), -1)
    most, rank = max(len(source), len(target)), FEWEST_SEARCHED * wanted
    while True:
        further = top_k(source[len(nearest) : rank], target, 1).indices[:, 0]
        nearest = np.concatenate((nearest, further))
        chosen = np.unique(nearest)
        chosen = chosen[(chosen < rank) & (best[chosen] < 0)]
        best[chosen] = top_k(target[chosen], source, 1).indices[:, 0]
        rows = np.flatnonzero(best[nearest] == np.arange(len(nearest)))
        pairs = np.column_stack((rows, nearest[rows]))
        # A word whose vector is zero has no translation.
        pairs = pairs[source[pairs[:, 0]].any(axis=1) & target[pairs[:, 1]].any(axis=1)]
        pairs = pairs[np.lexsort((pairs[:, 0], pairs.sum(axis=1)))]
        if rank >= most:
            return pairs
        known = pairs[pairs.sum(axis=1) < rank]
        if len(known) >= wanted:
            return np.asarray(known)
        rank *= 2


def _filled(seeds: np.ndarray, found: np.ndarray, count: int) -> np.ndarray:
    """The seeds, then new pairs, at most ``count`` in total."""
    known = {tuple(pair) for pair in seeds.tolist()}
    new = [pair for pair in found.tolist() if tuple(pair) not in known]
    return np.array([*seeds.tolist(), *new[: max(0, count - len(seeds))]], dtype=np.int64)
