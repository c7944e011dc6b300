"""Orthogonal Procrustes on a seed lexicon, with rounds of induced pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from lexalign.aligners.aligner import Aligner, Fit
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.rounds import induced_rounds
from lexalign.errors import LexalignError
from lexalign.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Procrustes(Aligner):
    """Rotate the source onto the target: min over orthogonal M of Σ ρ(xᵢM − yᵢ) over the seeds.

    Then, ``rounds`` times, over the mutual CSLS pairs among the ``max_rank`` most frequent words:
    a seed of a few hundred pairs grows into a dictionary of thousands.

    Sources: Schönemann 1966; the rounds are the refinement of Conneau et al. 2018.
    """

    name: ClassVar[str] = "procrustes"
    citation: ClassVar[str] = (
        "Peter H. Schönemann. 1966. A generalized solution of the orthogonal Procrustes problem. "
        "Psychometrika 31."
    )

    rounds: int = 0
    neighbours: int = 10
    max_rank: int = 10_000

    def __post_init__(self) -> None:
        """Refuse a number of rounds that is none."""
        super().__post_init__()
        if self.rounds < 0:
            raise LexalignError(f"The 'rounds' must not be negative. Got {self.rounds} instead.")

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Fit to the seeds, then to what they find."""
        pairs, history = seeds, list[Mapping[str, Any]]([{"round": 0, "pairs": len(seeds)}])
        with progress.stage("aligning") as advance:
            matrix = seeds.rotation(source, target, self.loss)
            rounds = induced_rounds(
                source,
                target,
                matrix,
                loss=self.loss,
                neighbours=self.neighbours,
                max_rank=self.max_rank,
            )
            for number, found in enumerate(islice(rounds, self.rounds), 1):
                matrix, pairs = found
                history.append({"round": number, "pairs": len(pairs)})
                advance(1)
        return Fit(matrix, None, pairs, tuple(history))
