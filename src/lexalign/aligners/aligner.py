"""What all aligners share: normalise both sides, look up the seeds, learn, and keep the map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from lexalign.errors import InputError, LexalignError
from lexalign.procrustes import LOSSES
from lexalign.progress import Progress
from lexalign.spaces import (
    UNEQUAL,
    Alignment,
    LinearMap,
    Normalisation,
    Side,
    level,
    normalise,
    require_embeddings,
    require_one_space,
)
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


NO_SEEDS = Pairs(np.empty((0, 2), dtype=np.int64))


@dataclass(frozen=True)
class Learned:
    """The matrix of each side (None: the identity), the pairs it was last fitted on, and how.

    ``history`` has one JSON-ready mapping a round.
    """

    source: np.ndarray | None
    target: np.ndarray | None
    pairs: Pairs
    history: tuple[Mapping[str, Any], ...]


class Normalised(NamedTuple):
    """Normalised words and how they came to be so."""

    words: Embeddings
    steps: Normalisation


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
    Spaces of different dimension are refused unless ``unequal`` says how to bring them to one:
    "rectangular" or "pca" (see ``lexalign.spaces.dimensions``). ``seed`` starts the random numbers
    of the methods that draw any.
    """

    name: ClassVar[str]
    citation: ClassVar[str]

    normalise: str = "unit,centre,unit"
    loss: str = "l2"
    unequal: str = "refuse"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse parameters that cannot work before anything is read or computed."""
        parse_steps(self.normalise)
        for name, choices in (("loss", tuple(LOSSES)), ("unequal", UNEQUAL)):
            require_choice(name, getattr(self, name), choices)
        if self.seed < 0:
            raise LexalignError(f"The 'seed' must not be negative. Got {self.seed} instead.")

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters by name, JSON-ready."""
        return asdict(self)

    @property
    def needs_lexicon(self) -> bool:
        """Whether it learns from seeds; if not, it takes none."""
        return True

    @property
    def moves_target(self) -> bool:
        """Whether it maps the target too, so that the shared space is that of neither side."""
        return False

    @abstractmethod
    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Learned:
        """Learn from normalised vectors (n, d) and (m, d), most frequent word first.

        ``seeds`` are empty for a method that needs no lexicon.
        """

    def find(
        self,
        source: Embeddings,
        target: Embeddings,
        lexicon: Lexicon | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Learn the map from the seeds of ``lexicon``, without applying it."""
        require_embeddings(source, target)
        return self.find_normalised(
            Normalised(*normalise(source, self.normalise)),
            Normalised(*normalise(target, self.normalise)),
            lexicon,
            progress,
        )

    def find_normalised(
        self,
        source: Normalised,
        target: Normalised,
        lexicon: Lexicon | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """The same from vectors that went through ``normalise`` already."""
        self.require_dimensions(source.words, target.words)
        self.require_supervision(given=lexicon is not None)
        seeds = NO_SEEDS
        if lexicon is not None:
            seeds = known_seeds(source.words, target.words, lexicon)
        levelled = level(source.words.matrix, target.words.matrix, self.unequal)
        learned = self.learn(levelled.source, levelled.target, seeds, progress or Progress())
        names = source.words.words, target.words.words
        pairs = [(names[0][i], names[1][j]) for i, j in learned.pairs.rows.tolist()]
        return Found(
            map=LinearMap(
                Side(source.steps, levelled.source_matrix(learned.source)),
                Side(target.steps, levelled.target_matrix(learned.target)),
                provenance={"method": self.name, "parameters": self.parameters},
            ),
            lexicon=Lexicon(pairs, learned.pairs.weights),
            history=learned.history,
        )

    def fit(
        self,
        source: Embeddings,
        target: Embeddings,
        lexicon: Lexicon | None = None,
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

    def require_dimensions(
        self, source: Embeddings, target: Embeddings, files: tuple[Path, Path] | None = None
    ) -> None:
        """Refuse spaces of different dimension, unless it was said what to do about them."""
        if self.unequal == "refuse":
            remedy = "take vectors of equal dimension, or set 'unequal' to rectangular or pca"
            require_one_space(source, target, files, remedy)

    def require_supervision(self, *, given: bool) -> None:
        """Refuse to start without the lexicon that is needed, or with one that would be ignored."""
        if self.needs_lexicon and not given:
            raise LexalignError(
                f"The method {self.name} needs a seed lexicon: a dictionary, 'identical' or "
                "'numerals'; or take an unsupervised method."
            )
        if given and not self.needs_lexicon:
            raise LexalignError(
                f"The method {self.name}, as it is set, learns without a lexicon and would ignore "
                "the given one; leave it out, or take a supervised method."
            )


def require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse a parameter that is none of its choices."""
    if value not in choices:
        raise LexalignError(f"The '{name}' must be one of {choices}. Got {value!r} instead.")


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
