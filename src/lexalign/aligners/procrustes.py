"""Orthogonal Procrustes on a seed lexicon, with optional rounds of induced pairs.

Examples
--------
>>> import lexalign
>>> from lexalign.demo import demo_embeddings, demo_lexicon
>>> english, german = (demo_embeddings(language).top(500) for language in ("en", "de"))
>>> seeds = demo_lexicon("seeds")
>>> aligned = lexalign.align("procrustes", english, german, seeds, rounds=1)
>>> first, last = aligned.history
>>> first["pairs"], last["pairs"] > 100
(48, True)
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.aligner import Aligner, Fit
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.rounds import induced_rounds, rounds_parameter
from lexalign.progress import Progress
from lexalign.retrieval.mutual import max_rank_parameter
from lexalign.retrieval.penalties import neighbours_parameter


@attrs.frozen(kw_only=True)
class Procrustes(Aligner):
    """Rotate the source onto the target: min over orthogonal M of Σ ρ(xᵢM − yᵢ) over the seeds.

    The rotation is then refitted ``rounds`` times to the mutual CSLS pairs among the ``max_rank``
    most frequent words. A few hundred seeds grow into a dictionary of thousands of pairs.

    Sources: Schönemann 1966; the rounds are the refinement of Conneau et al. 2018.
    """

    name: ClassVar[str] = "procrustes"
    summary: ClassVar[str] = "Fit a rotation of the source to the seeds."
    citation: ClassVar[str] = (
        "Peter H. Schönemann. 1966. A generalized solution of the orthogonal Procrustes problem. "
        "Psychometrika 31."
    )

    rounds: int = rounds_parameter(0)
    neighbours: int = neighbours_parameter()
    max_rank: int = max_rank_parameter()

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Fit to the seeds, then to mutual pairs."""
        pairs, history = seeds, list[Mapping[str, Any]]([{"round": 0, "pairs": len(seeds)}])
        with progress.stage("aligning", total=self.rounds, unit="rounds") as advance:
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
