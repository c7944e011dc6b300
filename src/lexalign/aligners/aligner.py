"""The shared part of all aligners: normalise both sides, look up seeds, learn, and keep the map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.alignment import Alignment, moved
from lexalign.aligners.health import WORDS, examine
from lexalign.aligners.pairs import NO_SEEDS, Pairs, known_seeds
from lexalign.errors import LexalignError, ParameterError
from lexalign.libraries import require
from lexalign.parameters import parameter, parameters_of, seed_parameter
from lexalign.procrustes.losses import loss_parameter
from lexalign.progress import Progress
from lexalign.spaces import (
    UNEQUAL,
    LinearMap,
    NormalisedSpace,
    Side,
    level,
    normalise,
    require_one_space,
)
from lexalign.spaces.normalise import normalise_parameter
from lexalign.vectors import Embeddings, Lexicon, require_embeddings
from lexalign.vectors.case_folding import case_parameter, folding_sentence


@dataclass(frozen=True)
class Fit:
    """The result of a method: the matrix of each side (None: the identity), pairs and history.

    ``history`` has one mapping per round, in JSON types.
    """

    source: np.ndarray | None
    target: np.ndarray | None
    pairs: Pairs
    history: tuple[Mapping[str, Any], ...]


@attrs.frozen(kw_only=True)
class Aligner(ABC):
    """Map two monolingual spaces into one; the base class of all aligners.

    ``normalise`` lists the normalisation steps before learning. ``loss`` is the loss of the
    Procrustes problem: "l2" has a closed form, and ``lexalign.procrustes`` solves the robust
    losses. Spaces of different dimension are an error, unless ``unequal`` is "rectangular" or "pca"
    (see ``lexalign.spaces.dimensions``). ``case`` sets how the words of a seed lexicon are looked
    up (see ``lexalign.vectors.case_folding``). ``seed`` starts the random numbers of methods that
    use them.

    A subclass implements ``learn``, and ``ALIGNERS`` lists it by its ``name``.

    Examples
    --------
    >>> from lexalign.aligners import ALIGNERS
    >>> aligner = ALIGNERS["procrustes"](rounds=2)
    >>> aligner.needs_lexicon, aligner.moves_target, aligner.parameters["rounds"]
    (True, False, 2)
    """

    name: ClassVar[str]
    summary: ClassVar[str] = ""
    """One line for a list of aligners."""

    citation: ClassVar[str]
    extra: ClassVar[str] = ""
    """The optional package of the method; its extra has the same name."""

    normalise: str = normalise_parameter("unit,centre,unit")
    loss: str = loss_parameter("l2")
    unequal: str = parameter(
        "refuse",
        choices=UNEQUAL,
        help="Spaces of different dimension: stop with an error, fit a rectangular map, or reduce "
        "the larger space by PCA.",
    )
    case: str = case_parameter()
    seed: int = seed_parameter("Seed of the random numbers, if the method uses any.")

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters that affect the result, by name, in JSON types."""
        names = parameters_of(type(self))
        return {name: getattr(self, name) for name in names if name != "checkpoint"}

    @property
    def needs_lexicon(self) -> bool:
        """Whether the method learns from seeds; if not, it accepts none."""
        return True

    @property
    def draws_random_numbers(self) -> bool:
        """Whether another ``seed`` gives another result."""
        return False

    @property
    def moves_target(self) -> bool:
        """Whether the method also maps the target, so that the shared space is a new one."""
        return False

    @abstractmethod
    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Learn from normalised vectors (n, d) and (m, d), most frequent words first.

        ``seeds`` are empty for a method that needs no lexicon.
        """

    def fit(
        self,
        source: Embeddings,
        target: Embeddings,
        lexicon: Lexicon | None = None,
        progress: Progress | None = None,
    ) -> Alignment:
        """Align two embeddings.

        Parameters
        ----------
        source, target : Embeddings, shapes (n, d) and (m, d)
            Two monolingual spaces, most frequent words first.
        lexicon : Lexicon, optional
            The seed lexicon; unsupervised methods take none.
        progress : Progress, optional
            Receives the stages of the work.

        Returns
        -------
        Alignment
            Both vocabularies in one space, the map, the pairs, and the health check.

        Raises
        ------
        LexalignError
            If a needed lexicon is missing, or an unsupervised method gets one.
        InputError
            If no pair of the lexicon has vectors, or the sides have different dimensions.

        Examples
        --------
        >>> from lexalign import Embeddings, Lexicon
        >>> from lexalign.aligners import Procrustes
        >>> english = Embeddings(["dog", "cat", "sun"], [[1, 0], [0, 1], [-1, 0]])
        >>> german = Embeddings(["Hund", "Katze", "Sonne"], [[0, 1], [-1, 0], [0, -1]])
        >>> seeds = Lexicon([("dog", "Hund"), ("cat", "Katze")])
        >>> Procrustes(normalise="unit").fit(english, german, seeds)
        Alignment(2 pairs, 1 rounds)
        """
        require_embeddings(source, target)
        one, other = (normalise(side, self.normalise) for side in (source, target))
        return self.fit_normalised(one, other, lexicon, progress)

    def fit_normalised(
        self,
        source: NormalisedSpace,
        target: NormalisedSpace,
        lexicon: Lexicon | None = None,
        progress: Progress | None = None,
    ) -> Alignment:
        """Align vectors that ``normalise`` has already normalised."""
        self.require_dimensions(source.words, target.words)
        self.require_supervision(given=lexicon is not None)
        seeds = NO_SEEDS
        if lexicon is not None:
            seeds = known_seeds(source.words, target.words, lexicon, self.case)
        levelled = level(source.words.matrix, target.words.matrix, self.unequal)
        progress = progress or Progress()
        fit = self.learn(levelled.source, levelled.target, seeds, progress)
        with progress.stage("health check"):
            health = examine(
                (levelled.source, levelled.target),
                (_times(levelled.source, fit.source), _times(levelled.target, fit.target)),
                (source.words.index, target.words.index),
            )
        source_matrix = levelled.source_matrix(fit.source)
        target_matrix = levelled.target_matrix(fit.target)
        return Alignment(
            source_of=partial(moved, source.words, source_matrix),
            target_of=partial(moved, target.words, target_matrix),
            map=LinearMap(
                Side.of(source, source_matrix),
                Side.of(target, target_matrix),
                provenance={"method": self.name, "parameters": self.parameters},
            ),
            lexicon=fit.pairs.lexicon(source.words, target.words),
            history=fit.history,
            citation=self.citation,
            health=health,
            warning=self._warning(seeds, lexicon, fit.pairs, levelled.source.shape[1]),
            seeds=seeds.lexicon(source.words, target.words),
        )

    def _warning(
        self, seeds: Pairs, lexicon: Lexicon | None, fitted: Pairs, dimension: int
    ) -> str | None:
        """Report that case was ignored by default, and that there are too few pairs."""
        found = list[str]()
        if lexicon is not None and seeds.folded and self.case == "auto":
            found.append(folding_sentence(seeds.folded, len(lexicon)))
        words = min((len(np.unique(side)) for side in fitted.rows.T), default=0)
        if 0 < words < dimension:
            found.append(
                f"{words} different words cannot determine a map of {dimension} dimensions; give "
                f"at least {dimension} seeds, or use a method that finds more pairs, such as "
                "procb."
            )
        return " ".join(found) or None

    def require_dimensions(
        self, source: Embeddings, target: Embeddings, files: tuple[Path, Path] | None = None
    ) -> None:
        """Raise if the spaces have different dimensions and ``unequal`` is "refuse"."""
        if self.unequal == "refuse":
            remedy = (
                'use vectors of equal dimension, or set `unequal="rectangular"` or `unequal="pca"`'
            )
            require_one_space(source, target, files, remedy)

    def require_supervision(self, *, given: bool) -> None:
        """Raise if a required lexicon is missing, or a given one would be ignored."""
        if self.needs_lexicon and not given:
            raise LexalignError(
                f"The method {self.name} needs a seed lexicon: a dictionary, 'identical' or "
                "'numerals'; or use an unsupervised method, such as vecmap with "
                '`preset="unsupervised"`.'
            )
        if given and not self.needs_lexicon:
            raise LexalignError(
                f"The method {self.name} with these parameters uses no lexicon; leave the "
                "lexicon out, or choose a supervised method."
            )

    def require_packages(self) -> None:
        """Raise if an optional package of the method is missing."""
        if self.extra:
            require(self.extra, feature=f"The method {self.name}", extra=self.extra)


def require_enough_words(aligner: Aligner, neighbours: int, **words: int) -> None:
    """Raise if one of the word counts ``words`` (by name) is below the number of neighbours."""
    for name, value in words.items():
        if value < neighbours:
            raise ParameterError(
                f"The `{name}` parameter of {aligner.name} must be at least {neighbours}, the "
                f"number of `neighbours`. Got {value!r} instead."
            )


def _times(matrix: np.ndarray, learned: np.ndarray | None) -> np.ndarray:
    """The frequent words under the map, enough of them for the health check."""
    rows = matrix[:WORDS]
    return rows if learned is None else rows @ learned.astype(np.float32)
