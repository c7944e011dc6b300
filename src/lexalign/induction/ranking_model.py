"""What ranking learns from seeds, apart from the vocabularies it is used on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.induction.calibration import (
    Calibration,
    expected_calibration_error,
    reliability,
)
from lexalign.induction.candidates import Candidates
from lexalign.induction.cross_fitting import TrainingTable, training_tables
from lexalign.induction.features import GROUPS
from lexalign.induction.labels import FEWEST_WORDS, Labels
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.learned_ranking import SCALE, LearnedRanking
from lexalign.induction.ranker import Boosting, Ranker, require_booster
from lexalign.induction.view import ViewMaps
from lexalign.induction.views import FittedViews
from lexalign.progress import Progress

DIRECTIONS = ("forward", "backward")
FIRST_QUARTER = 0.25


@dataclass(frozen=True)
class DirectionModel:
    """How candidates are ranked in one direction, and how well that did out of fold.

    ``ranker`` is None where CSLS ranks; ``groups`` are the groups of features that it knows.
    """

    ranker: Ranker | None
    calibration: Calibration
    record: Mapping[str, Any]
    groups: tuple[str, ...] = GROUPS

    @property
    def kind(self) -> str:
        """What orders the candidates: "learned" or "csls"."""
        return "csls" if self.ranker is None else "learned"


@dataclass(frozen=True)
class RankingModel:
    """The views fitted to all seeds, and a ranker for every direction."""

    fitted: FittedViews
    directions: Mapping[str, DirectionModel]

    def on(self, pair: LanguagePair) -> dict[str, LearnedRanking]:
        """The rankings of a language pair, by direction."""
        forward = pair.evidence(self.fitted)
        evidence = {"forward": forward, "backward": forward.swapped}
        return {
            name: LearnedRanking(evidence[name], model.ranker, model.calibration, model.groups)
            for name, model in self.directions.items()
        }


def learn_ranking(
    pair: LanguagePair,
    labels: Labels,
    chosen: Callable[[int | None], ViewMaps | None],
    boosting: Boosting,
    *,
    ranking: str = "auto",
    both: bool = True,
    progress: Progress | None = None,
) -> RankingModel:
    """Learn to rank candidates from labelled pairs.

    Parameters
    ----------
    pair : LanguagePair
        Two normalised vocabularies.
    labels : Labels
        Seeds, or weak labels that seeds judge.
    chosen : callable
        Gives the maps of the chosen method, fitted without a fold, or to all labels for None.
    boosting : Boosting
        The size of the ranker.
    ranking : {"auto", "learned", "csls"}
        What orders the candidates. "auto" learns if there are enough labels and out-of-fold words
        are translated better than by CSLS.
    both : bool
        Whether to learn both directions.
    progress : Progress, optional
        Receives the stages of the work.
    """
    progress = progress or Progress()
    if ranking != "csls":
        require_booster()
    tables = training_tables(pair, labels.folds, chosen, both=both, progress=progress)
    sizes = len(pair.target), len(pair.source)
    with progress.stage("learning to rank"):
        directions = {
            name: _learn_direction(table, boosting, ranking, targets, labels, side)
            for side, (name, table, targets) in enumerate(
                zip(DIRECTIONS, tables, sizes, strict=False)
            )
        }
    with progress.stage("fitting to all seeds"):
        fitted = pair.fit_views(labels.folds.seeds).with_chosen(chosen(None))
    return RankingModel(fitted, directions)


def _learn_direction(
    table: TrainingTable,
    boosting: Boosting,
    ranking: str,
    targets: int,
    labels: Labels,
    side: int,
) -> DirectionModel:
    found, names = table.candidates, list(table.features.names)
    views = sum(name.startswith("vectors: csls below best ") for name in names)
    plain = SCALE * table.features.values[:, names.index(f"vectors: csls {views}")]
    judges = labels.judging(found.words, side)
    judged = judges is None or bool(judges.any())
    if judges is None or not judged:
        judges = np.ones(len(found.words), dtype=bool)
    by_csls = _first_right(table, plain)[judges]
    record: dict[str, Any] = {
        "label_words": len(found.words),
        "seed_words": int(judges.sum()) if judged else 0,
        "weak_labels": labels.weak,
        "csls": {"p@1": float(by_csls.mean())},
    }
    enough = len(found.words) >= FEWEST_WORDS
    if table.right.any() and (ranking == "learned" or (ranking == "auto" and enough)):
        groups, reach = _groups(table, targets, labels.weak)
        features = table.features.only(groups)
        ranker, scores = boosting.fit(features.values, table.right, found.rows, table.folds)
        by_ranker = _first_right(table, scores)[judges]
        record["learned"] = {
            "p@1": float(by_ranker.mean()),
            "importance": _importance(ranker, features.names),
            "groups": list(groups),
            "reach": reach,
        }
        if ranking == "learned" or by_ranker.sum() > by_csls.sum():
            return _calibrated(ranker, table, scores, judges, record, groups)
    return _calibrated(None, table, plain, judges, record)


def _calibrated(
    ranker: Ranker | None,
    table: TrainingTable,
    scores: np.ndarray,
    judges: np.ndarray,
    record: dict[str, Any],
    groups: tuple[str, ...] = GROUPS,
) -> DirectionModel:
    """Calibrate the scores on out-of-fold words that judge, each fold by the others."""
    chosen = np.repeat(judges, table.candidates.counts)
    scores, right = scores[chosen], table.right[chosen]
    rows, folds = table.candidates.rows[chosen], table.folds[chosen]
    chances = np.empty(len(scores))
    for fold in np.unique(folds):
        inside = folds == fold
        part = Calibration.fit(scores[~inside], rows[~inside], right[~inside])
        chances[inside] = part.probabilities(scores[inside], rows[inside])
    first = Candidates(rows, rows).places(scores) == 0
    bins = reliability(chances[first], right[first])
    record = {
        **record,
        "calibration_error": expected_calibration_error(bins),
        "reliability": [one._asdict() for one in bins],
    }
    calibration = Calibration.fit(scores, rows, right)
    return DirectionModel(ranker, calibration, record, groups)


def _first_right(table: TrainingTable, scores: np.ndarray) -> np.ndarray:
    """Whether the first candidate of every word is right."""
    return np.asarray(table.right[table.candidates.places(scores) == 0])


def _groups(
    table: TrainingTable, targets: int, weak: bool = False
) -> tuple[tuple[str, ...], float]:
    """The groups of features to learn from, and how far the right translations reach.

    Seed lexicons often hold the most frequent words of one side. Where these are the translations,
    a ranker learns that right translations are frequent, which is wrong for other words. So
    frequency is left out if nine in ten right translations are in the first quarter of the
    vocabulary of ``targets`` words. The reach is the share of it that they lie in. Weak labels are
    frequent words of both sides, so frequency is left out too.
    """
    reach = float(np.quantile(table.candidates.keys[table.right], 0.9) / targets)
    tells = reach >= FIRST_QUARTER and not weak
    return tuple(group for group in GROUPS if tells or "frequency" not in group), reach


def _importance(ranker: Ranker, names: Sequence[str]) -> dict[str, float]:
    """The share of every group of features in the gain of the trees."""
    found = dict.fromkeys(GROUPS, 0.0)
    for name, share in zip(names, ranker.importance().tolist(), strict=True):
        found[name.partition(":")[0]] += share
    return found
