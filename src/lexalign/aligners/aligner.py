"""What all aligners share: normalise both sides, look up the seeds, learn, and keep the map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from lexalign.errors import InputError, LexalignError
from lexalign.procrustes import LOSSES
from lexalign.progress import Progress
from lexalign.spaces import Alignment, LinearMap, Side, normalise, require_one_space
from lexalign.spaces.normalise import parse_steps
from lexalign.vectors import Embeddings, Lexicon
from lexalign.vectors.lexicon import require_lexicon


@dataclass(frozen=True)
class Pairs:
    """Word pairs as rows: ``rows`` (n, 2) in source and target, perhaps with ``weights`` (n,)."""

    rows: np.ndarray
    weights: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Learned:
    """The matrix of each side (None: the identity), the pairs it was last fitted on, and how.

    ``history`` has one JSON-ready mapping a round.
    """

    source: np.ndarray | None
    target: np.ndarray | None
    pairs: Pairs
    history: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Found:
    """A map, the pairs it was last fitted on, one JSON-ready mapping a round."""

    map: LinearMap
    lexicon: Lexicon
    history: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class Aligner(ABC):
    """Bring two monolingual spaces into one.

    ``normalise`` are the steps before anything is learned, ``loss`` is what a Procrustes problem
    minimises: "l2" has a closed form, the robust losses are solved by ``lexalign.procrustes``.
    """

    name: ClassVar[str]
    citation: ClassVar[str]

    normalise: str = "unit,centre,unit"
    loss: str = "l2"

    def __post_init__(self) -> None:
        """Refuse parameters that cannot work before anything is read or computed."""
        parse_steps(self.normalise)
        if self.loss not in LOSSES:
            raise LexalignError(
                f"The 'loss' must be one of {tuple(LOSSES)}. Got {self.loss!r} instead."
            )

    @abstractmethod
    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Learned:
        """Learn from normalised vectors (n, d) and (m, d), most frequent word first."""

    def find(
        self,
        source: Embeddings,
        target: Embeddings,
        lexicon: Lexicon,
        progress: Progress | None = None,
    ) -> Found:
        """Learn the map from the seeds of ``lexicon``, without applying it."""
        require_one_space(source, target)
        seeds = known_seeds(source, target, lexicon)
        (source, source_steps), (target, target_steps) = (
            normalise(side, self.normalise) for side in (source, target)
        )
        learned = self.learn(source.matrix, target.matrix, seeds, progress or Progress())
        pairs = [(source.words[i], target.words[j]) for i, j in learned.pairs.rows.tolist()]
        return Found(
            map=LinearMap(
                Side(source_steps, learned.source),
                Side(target_steps, learned.target),
                provenance={"method": self.name, "parameters": asdict(self)},
            ),
            lexicon=Lexicon(pairs, learned.pairs.weights),
            history=learned.history,
        )

    def fit(
        self,
        source: Embeddings,
        target: Embeddings,
        lexicon: Lexicon,
        progress: Progress | None = None,
    ) -> Alignment:
        """Align ``source`` and ``target`` by the seeds of ``lexicon``."""
        found = self.find(source, target, lexicon, progress)
        return Alignment(
            source=_mapped(source, found.map.source),
            target=_mapped(target, found.map.target),
            map=found.map,
            lexicon=found.lexicon,
            history=found.history,
            citation=self.citation,
        )


def known_seeds(source: Embeddings, target: Embeddings, lexicon: Lexicon) -> Pairs:
    """The seeds that have vectors on both sides, at least one."""
    require_lexicon(lexicon)
    found = lexicon.indices(source, target)
    if not len(found):
        raise InputError(
            f"source and target know none of the {len(lexicon)} pairs of the seed lexicon",
            remedy="check that the languages are in the right order and the case of the words",
        )
    return Pairs(found.pairs, found.weights)


def _mapped(embeddings: Embeddings, side: Side) -> Embeddings:
    mapped = side.apply(embeddings.matrix)
    return embeddings.with_matrix(mapped, normalisation=side.steps_after(embeddings))
