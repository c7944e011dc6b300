"""A grid: a declaration of experiments in a TOML file.

A grid is vectors × pairs × aligners × refinements × seeds × evaluations. It refers to inputs by
name ("wiki", "muse-test"). A second file gives their paths on a machine (see
``experiments.inputs``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import attrs

from lexalign.aligners import ALIGNERS
from lexalign.aligners.aligner import Aligner
from lexalign.errors import LexalignError
from lexalign.evaluation.accuracy import METRICS
from lexalign.evaluation.protocols import Protocol, named
from lexalign.parameters import from_mapping, unknown
from lexalign.refinement import Refiner
from lexalign.training import Trainer
from lexalign.vectors import FREQUENT_WORDS

if TYPE_CHECKING:
    from lexalign.evaluation.nli.learner import Learner

SET_ELSEWHERE = ("seed", "device", "checkpoint")
"""Parameters that the grid sets for all jobs."""

EVALUATIONS = {"translation": METRICS, "nli": ("accuracy",)}
"""The kinds of evaluation and their metrics."""

GIVEN = "given"


@dataclass(frozen=True)
class Pair:
    """A source and a target language, and their set of vectors."""

    vectors: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.vectors}:{self.source}-{self.target}"

    @property
    def languages(self) -> str:
        """The pair without the vectors: "en-de"."""
        return f"{self.source}-{self.target}"

    @classmethod
    def parse(cls, text: str, vectors: str) -> Pair:
        """Parse "en-de", which uses the given vectors, or "news:en-de"."""
        head, _, languages = text.rpartition(":")
        source, dash, target = languages.partition("-")
        if not (dash and source and target) or "-" in target:
            raise LexalignError(
                f"{text!r} is not a pair of languages; write two languages with a dash, such as "
                "'en-de', or 'news:en-de' with a set of vectors."
            )
        return cls(head or vectors, source, target)


@dataclass(frozen=True)
class AlignerChoice:
    """A row of the table: a method, its parameters and its seed lexicon.

    With ``joint``, it aligns the words that joint training did not share, as Joint-Align does. The
    method "given" uses vectors that another program aligned, by the name ``aligned`` of the inputs.
    Unless ``refine`` is false, rows with refinements follow.
    """

    label: str
    method: str
    aligned: str = ""
    lexicon: str | None = None
    joint: bool = False
    refine: bool = True
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_given(self) -> bool:
        """Whether another program aligned the vectors."""
        return self.method == GIVEN

    def require_sense(self) -> None:
        """Raise before long work if a later step cannot run."""
        if not self.is_given:
            self.aligner(seed=0)
        elif not self.aligned or self.joint or self.lexicon or self.parameters:
            raise LexalignError(
                f"The method '{GIVEN}' of {self.label!r} needs 'aligned', the name of its "
                "vectors among the inputs, and no other key."
            )

    def aligner(self, seed: int) -> Aligner:
        """The method, ready to run."""
        kind = ALIGNERS.get(self.method)
        if kind is None:
            raise unknown("method", self.method, (*ALIGNERS, GIVEN))
        aligner = from_mapping(kind, self.parameters, without=SET_ELSEWHERE)
        aligner = attrs.evolve(aligner, seed=seed)
        aligner.require_supervision(given=self.lexicon is not None)
        return aligner


@dataclass(frozen=True)
class Refinement:
    """A refinement after the alignment, with its parameters."""

    label: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def refiner(self) -> Refiner:
        """The refiner, ready to run."""
        return from_mapping(Refiner, self.parameters, without=SET_ELSEWHERE)


@dataclass(frozen=True)
class Evaluation:
    """How a space is evaluated: by translation with a ``lexicon``, or by natural language
    inference.

    ``parameters`` change rules of the ``protocol`` of translation, or settings of the learner of
    inference. The data sets of inference are ``train``, ``dev`` and ``test``.
    """

    kind: str = "translation"
    lexicon: str = ""
    protocol: str = "muse"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def require_sense(self, metric: str) -> None:
        """Raise before long work if a later step cannot run."""
        if self.kind not in EVALUATIONS:
            raise unknown("kind of evaluation", self.kind, EVALUATIONS)
        if metric not in EVALUATIONS[self.kind]:
            raise unknown("metric", metric, EVALUATIONS[self.kind])
        if self.kind == "nli":
            _ = self.learner
            return
        if not self.lexicon:
            raise LexalignError("The evaluation by translation has no 'lexicon'; name one.")
        _ = self.rules

    @property
    def learner(self) -> Learner:
        """The learner of inference."""
        from lexalign.evaluation.nli.learner import Learner

        return from_mapping(Learner, self.parameters, without=SET_ELSEWHERE)

    @property
    def rules(self) -> Protocol:
        """The protocol with its changed rules."""
        return named(self.protocol).but(**self.parameters)


@dataclass(frozen=True)
class TrainingChoice:
    """How joint vectors are trained; the parameters are those of ``Trainer``."""

    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def trainer(self) -> Trainer:
        """The trainer, ready to run."""
        return from_mapping(Trainer, self.parameters, without=SET_ELSEWHERE)


@dataclass(frozen=True)
class Grid:
    """One table of results.

    ``pairs`` are the columns, ``aligners`` the rows; a row for each of the ``refinements`` follows.
    ``metric`` is the score in the table. The ``limit`` most frequent words of all vectors are used,
    in lower case if ``lowercase``. ``published`` has the figures of a publication in percent, by
    row label and pair.
    """

    name: str
    title: str
    vectors: str
    pairs: tuple[Pair, ...]
    aligners: tuple[AlignerChoice, ...]
    evaluation: Evaluation
    metric: str
    refinements: tuple[Refinement, ...] = ()
    seeds: tuple[int, ...] = (0, 1, 2)
    limit: int = FREQUENT_WORDS
    lowercase: bool = True
    training: TrainingChoice = field(default_factory=TrainingChoice)
    source: str = ""
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise before long work if a later step cannot run."""
        for key in ("pairs", "aligners", "seeds"):
            if not getattr(self, key):
                raise LexalignError(f"The grid has no '{key}'; add at least one.")
        if self.limit < 1:
            raise LexalignError(f"The `limit` must be at least 1. Got {self.limit} instead.")
        labels = [row.label for row in self.aligners] + [row.label for row in self.refinements]
        for label in labels:
            if labels.count(label) > 1:
                raise LexalignError(
                    f"The label {label!r} appears twice; give each row its own label."
                )
        for choice in self.aligners:
            choice.require_sense()
        for refinement in self.refinements:
            refinement.refiner()
        self.evaluation.require_sense(self.metric)
        _ = self.training.trainer
        for row, cells in self.published.items():
            if row not in self.rows:
                raise unknown("row of the table", row, self.rows)
            if not all(isinstance(value, int | float) for value in cells.values()):
                raise LexalignError(f"The published figures of {row!r} must be numbers.")

    @property
    def rows(self) -> tuple[str, ...]:
        """The labels of all rows of the table."""
        return tuple(
            f"{choice.label}-{refinement.label}" if refinement else choice.label
            for choice in self.aligners
            for refinement in (None, *(self.refinements if choice.refine else ()))
        )
