"""Problems for comparing rankings: candidates of seed words to learn from, and of test words.

Wants the folder of ``benchmarks.aligners`` and the settings of ``benchmarks.settings``. The aligner
is fixed, so that rankings alone are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.settings import Setting, pair_rows
from lexalign.aligners.pairs import Pairs
from lexalign.induction.candidates import Candidates
from lexalign.induction.cross_fitting import TrainingTable, training_tables, views_of_folds
from lexalign.induction.features import Evidence, FeatureTable
from lexalign.induction.label_coverage import LabelCoverage, target_was_selected
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.methods import named_method
from lexalign.induction.view import ViewMaps

METHOD = "procb --variant once --final vecmap"


class TestWords:
    """The candidates of test words, with their features, and which are right."""

    __test__ = False

    def __init__(self, evidence: Evidence, gold: dict[int, set[int]]) -> None:
        self.found: Candidates = evidence.candidates(np.array(sorted(gold)))
        self.features: FeatureTable = evidence.features(self.found)
        self.right = self.found.right(pair_rows(gold))

    def first(self, scores: np.ndarray) -> np.ndarray:
        """The places of the first translation of each word."""
        return np.flatnonzero(self.found.places(scores) == 0)

    def precision(self, scores: np.ndarray) -> float:
        """P@1."""
        return float(self.right[self.first(scores)].mean())


@dataclass(frozen=True, eq=False)
class RankingProblem:
    """One direction of a setting.

    ``labels`` are (n, 2) rows of the vocabularies, which have ``sizes``.
    """

    name: str
    table: TrainingTable
    labels: np.ndarray
    test: TestWords
    sizes: tuple[int, int]

    @property
    def target_selected(self) -> bool:
        """Whether the labels were selected by their target words."""
        return target_was_selected(self.labels, *self.sizes)

    @property
    def coverage(self) -> LabelCoverage:
        """How the labels cover the target."""
        return LabelCoverage.of(np.unique(self.labels[:, 1]), self.sizes[1])

    def offsets(self) -> np.ndarray:
        """What corrects the scores of training candidates for the selection of the target."""
        return np.asarray(np.log(self.coverage.at(self.table.candidates.keys)))


def ranking_problems(setting: Setting) -> Iterator[RankingProblem]:
    """Both directions of a setting."""
    one, other, folds = setting.seeded()
    method, both = named_method(METHOD, "cpu", setting.seed), LanguagePair(one, other)

    def chosen(fold: int | None) -> ViewMaps:
        pairs = folds.seeds if fold is None else folds.known(fold)
        return method.fit(one.matrix, other.matrix, Pairs(pairs))

    views = views_of_folds(both, folds, chosen)
    tables, evidence = training_tables(both, folds, views), both.evidence(views[-1])
    for turned, table in zip((False, True), tables, strict=True):
        step, sides = (-1, (other, one)) if turned else (1, (one, other))
        yield RankingProblem(
            f"{setting.title(turned)}, {setting.kind}",
            table,
            folds.seeds[:, ::step],
            TestWords(evidence.swapped if turned else evidence, setting.gold(*sides, turned)),
            (len(sides[0]), len(sides[1])),
        )
