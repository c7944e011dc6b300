"""A grid: what is run against what, declared in a TOML file.

Vectors × pairs × aligners × refinements × seeds × evaluations. A grid says what is meant ("wiki",
"muse-test"); where that lies on a machine is said by the inputs (see ``experiments.inputs``).
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
"""Parameters that a grid sets for all its jobs."""

EVALUATIONS = {"translation": METRICS, "nli": ("accuracy",)}
"""The kinds of evaluation and what each measures."""

GIVEN = "given"


@dataclass(frozen=True)
class Pair:
    """A source and a target language, and the set of vectors that both are taken from."""

    vectors: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.vectors}:{self.source}-{self.target}"

    @property
    def languages(self) -> str:
        """Without the vectors: "en-de"."""
        return f"{self.source}-{self.target}"

    @classmethod
    def parse(cls, text: str, vectors: str) -> Pair:
        """From "en-de", which takes the given vectors, or "news:en-de"."""
        head, _, languages = text.rpartition(":")
        source, dash, target = languages.partition("-")
        if not (dash and source and target) or "-" in target:
            raise LexalignError(
                f"The pair {text!r} is none; write two languages with a dash between them, such "
                "as 'en-de' or, of other vectors, 'news:en-de'."
            )
        return cls(head or vectors, source, target)


@dataclass(frozen=True)
class AlignerChoice:
    """A row of the table: a method with its parameters, and the lexicon of its seeds.

    With ``joint`` it aligns what joint training left apart, as Joint-Align does. The method "given"
    takes vectors that another program has aligned, under the name ``aligned`` of the inputs. Unless
    ``refine`` is false, the rows with refinements follow.
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
        """Whether another program did the work."""
        return self.method == GIVEN

    def require_sense(self) -> None:
        """Refuse before long work what cannot be run after it."""
        if not self.is_given:
            self.aligner(seed=0)
        elif not self.aligned or self.joint or self.lexicon or self.parameters:
            raise LexalignError(
                f"The method '{GIVEN}' of {self.label!r} needs 'aligned', the name of its vectors "
                "among the inputs, and nothing else."
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
    """What follows the alignment: refinement with these parameters."""

    label: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def refiner(self) -> Refiner:
        """The refiner, ready to run."""
        return from_mapping(Refiner, self.parameters, without=SET_ELSEWHERE)


@dataclass(frozen=True)
class Evaluation:
    """How a space is measured: by translation on a ``lexicon``, or by natural language inference.

    ``parameters`` are rules that overrule those of the ``protocol`` of translation, or settings of
    the learner of inference, whose sets are named ``train``, ``dev`` and ``test``.
    """

    kind: str = "translation"
    lexicon: str = ""
    protocol: str = "muse"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def require_sense(self, metric: str) -> None:
        """Refuse before long work what cannot be run after it."""
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
        """The protocol with its rules overruled."""
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

    ``pairs`` are its columns, ``aligners`` its rows, each followed by those with its
    ``refinements``. ``metric`` is what the table shows of the evaluation. Of all vectors the
    ``limit`` most frequent words count, and words and lexicons are put into lower case if
    ``lowercase``. ``published`` has the figures of a publication, by the label of the row and the
    pair, in percent.
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
        """Refuse before long work what cannot be run after it."""
        for key in ("pairs", "aligners", "seeds"):
            if not getattr(self, key):
                raise LexalignError(f"The grid has no '{key}'; add one at least.")
        if self.limit < 1:
            raise LexalignError(f"The `limit` must be at least 1. Got {self.limit} instead.")
        labels = [row.label for row in self.aligners] + [row.label for row in self.refinements]
        for label in labels:
            if labels.count(label) > 1:
                raise LexalignError(
                    f"The label {label!r} appears twice; name the rows differently."
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
