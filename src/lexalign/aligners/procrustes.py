"""Orthogonal Procrustes on a seed lexicon, with rounds of induced pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lexalign.errors import LexalignError
from lexalign.procrustes import procrustes
from lexalign.retrieval import mutual_pairs
from lexalign.spaces import Alignment, LinearMap, Side, normalise
from lexalign.vectors import Embeddings, Lexicon

CITATION = (
    "Peter H. Schönemann. 1966. A generalized solution of the orthogonal Procrustes problem. "
    "Psychometrika 31."
)


@dataclass(frozen=True, kw_only=True)
class Procrustes:
    """Rotate the source onto the target by least squares over the seed lexicon.

    Then, ``rounds`` times, over the mutual CSLS pairs among the ``max_rank`` most frequent words:
    a seed of a few hundred pairs grows into a dictionary of thousands.
    """

    rounds: int = 0
    neighbours: int = 10
    max_rank: int = 10_000
    normalise: str = "unit,centre,unit"

    def __post_init__(self) -> None:
        """Refuse a number of rounds that is none."""
        if self.rounds < 0:
            raise LexalignError(f"The 'rounds' must not be negative. Got {self.rounds} instead.")

    def fit(self, source: Embeddings, target: Embeddings, lexicon: Lexicon) -> Alignment:
        """Align ``source`` to ``target``."""
        source, source_normalisation = normalise(source, self.normalise)
        target, target_normalisation = normalise(target, self.normalise)
        if source.dimension != target.dimension:
            raise LexalignError(
                f"The source vectors have {source.dimension} dimensions and the target vectors "
                f"{target.dimension}; Procrustes needs them to be equal."
            )
        seeds = lexicon.indices(source, target)
        if not len(seeds.pairs):
            raise LexalignError(
                "No pair of the seed lexicon has both words in the vocabularies; check that the "
                "languages are in the right order and the case of the words."
            )
        pairs, weights, used = seeds.pairs, seeds.weights, lexicon
        history = list[Mapping[str, Any]]()
        for number in range(self.rounds + 1):
            a = source.matrix[pairs[:, 0]].astype(np.float64)
            rotation = procrustes(a, target.matrix[pairs[:, 1]].astype(np.float64), weights)
            mapped = source.matrix @ rotation.astype(np.float32)
            history.append({"round": number, "pairs": len(pairs)})
            if number < self.rounds:
                mutual = mutual_pairs(
                    mapped, target.matrix, neighbours=self.neighbours, max_rank=self.max_rank
                )
                if len(mutual) == 0:
                    raise LexalignError(
                        "The seed lexicon is too small to find any mutual pair; give more seeds."
                    )
                pairs, weights = mutual.pairs, None
                used = Lexicon(
                    [(source.words[i], target.words[j]) for i, j in pairs.tolist()],
                    weights=mutual.margins,
                )
        return Alignment(
            source=source.with_matrix(mapped),
            target=target,
            map=LinearMap(
                Side(source_normalisation, rotation),
                Side(target_normalisation),
                provenance={"method": "procrustes", "parameters": asdict(self)},
            ),
            lexicon=used,
            history=tuple(history),
            citation=CITATION,
        )
