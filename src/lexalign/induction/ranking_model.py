"""The parts of a ranking that do not depend on the vocabularies."""

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
from lexalign.induction.cross_fitting import TrainingTable, training_tables, views_of_folds
from lexalign.induction.features import GROUPS
from lexalign.induction.label_coverage import LabelCoverage, target_was_selected
from lexalign.induction.labels import FEWEST_WORDS, Labels
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.learned_ranking import SCALE, LearnedRanking
from lexalign.induction.ranker import Boosting, Ranker, require_booster
from lexalign.induction.view import ViewMaps
from lexalign.induction.views import FittedViews
from lexalign.progress import Progress

DIRECTIONS = ("forward", "backward")


@dataclass(frozen=True)
class DirectionModel:
    """The ranking of candidates in one direction, and its out-of-fold scores.

    ``ranker`` is None if CSLS ranks; ``groups`` are the groups of features that it uses.
    """

    ranker: Ranker | None
    calibration: Calibration
    record: Mapping[str, Any]
    groups: tuple[str, ...] = GROUPS

    @property
    def kind(self) -> str:
        """The kind of ranking: "learned" or "csls"."""
        return "csls" if self.ranker is None else "learned"


@dataclass(frozen=True)
class RankingModel:
    """The views fitted to all seeds, and a ranker for each direction."""

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
        Seeds, or weak labels with seeds as a test.
    chosen : callable
        Returns the maps of the chosen method, fitted without a fold, or to all labels for None.
    boosting : Boosting
        The size of the ranker.
    ranking : {"auto", "learned", "csls"}
        The ranking. "auto" uses a trained ranker if there are enough labels, and if it beats CSLS
        on out-of-fold words.
    both : bool
        Whether to learn both directions.
    progress : Progress, optional
        Receives the stages of the work.
    """
    progress = progress or Progress()
    if ranking != "csls":
        require_booster()
    views = views_of_folds(pair, labels.folds, chosen, progress)
    tables = training_tables(pair, labels.folds, views, both=both, progress=progress)
    one, other = len(pair.source), len(pair.target)
    directions = dict[str, DirectionModel]()
    with progress.stage("learning to rank", total=len(tables), unit="directions") as advance:
        for name, table, sizes, side in zip(
            DIRECTIONS, tables, ((one, other), (other, one)), (0, 1), strict=False
        ):
            directions[name] = _learn_direction(table, boosting, ranking, sizes, labels, side)
            advance(1)
    return RankingModel(views[-1], directions)


def _learn_direction(
    table: TrainingTable,
    boosting: Boosting,
    ranking: str,
    sizes: tuple[int, int],
    labels: Labels,
    side: int,
) -> DirectionModel:
    found, names = table.candidates, list(table.features.names)
    plain = SCALE * table.features.values[:, names.index(f"vectors: csls {table.features.views}")]
    judges = labels.judging(found.words, side)
    judged = judges is None or bool(judges.any())
    if judges is None or not judged:
        judges = np.ones(len(found.words), dtype=bool)
    seeds = labels.folds.seeds if side == 0 else labels.folds.seeds[:, ::-1]
    coverage = None
    if not labels.weak and target_was_selected(seeds, *sizes):
        coverage = LabelCoverage.of(np.unique(seeds[:, 1]), sizes[1])
    weights = np.ones(len(found.words))
    if coverage is not None:
        weights = coverage.weights(found.words, seeds)
    by_csls = _first_right(table, plain)[judges]
    record: dict[str, Any] = {
        "label_words": len(found.words),
        "seed_words": int(judges.sum()) if judged else 0,
        "weak_labels": labels.weak,
        "selected_by": "source" if coverage is None else "target",
        "csls": {"p@1": float(by_csls.mean())},
    }
    enough = len(found.words) >= FEWEST_WORDS
    if table.right.any() and (ranking == "learned" or (ranking == "auto" and enough)):
        groups = tuple(one for one in GROUPS if not (labels.weak and "frequency" in one))
        features = table.features.only(groups)
        ranker, scores = boosting.fit(
            features.values,
            table.right,
            found.rows,
            table.folds,
            offsets=None if coverage is None else np.log(coverage.at(found.keys)),
        )
        by_ranker = _first_right(table, scores)[judges]
        record["learned"] = {
            "p@1": float(by_ranker.mean()),
            "importance": _importance(ranker, features.names),
            "groups": list(groups),
        }
        if ranking == "learned" or by_ranker.sum() > by_csls.sum():
            return _calibrated(ranker, table, scores, judges, weights, record, groups)
    return _calibrated(None, table, plain, judges, weights, record)


def _calibrated(
    ranker: Ranker | None,
    table: TrainingTable,
    scores: np.ndarray,
    judges: np.ndarray,
    weights: np.ndarray,
    record: dict[str, Any],
    groups: tuple[str, ...] = GROUPS,
) -> DirectionModel:
    """Calibrate the scores on out-of-fold words, each fold by the other folds."""
    chosen = np.repeat(judges, table.candidates.counts)
    weights = np.repeat(weights, table.candidates.counts)[chosen]
    scores, right = scores[chosen], table.right[chosen]
    rows, folds = table.candidates.rows[chosen], table.folds[chosen]
    chances = np.empty(len(scores))
    for fold in np.unique(folds):
        inside = folds == fold
        part = Calibration.fit(scores[~inside], rows[~inside], right[~inside], weights[~inside])
        chances[inside] = part.probabilities(scores[inside], rows[inside])
    first = Candidates(rows, rows).places(scores) == 0
    bins = reliability(chances[first], right[first])
    record = {
        **record,
        "calibration_error": expected_calibration_error(bins),
        "reliability": [one._asdict() for one in bins],
    }
    calibration = Calibration.fit(scores, rows, right, weights)
    return DirectionModel(ranker, calibration, record, groups)


def _first_right(table: TrainingTable, scores: np.ndarray) -> np.ndarray:
    """Whether the first candidate of each word is right."""
    return np.asarray(table.right[table.candidates.places(scores) == 0])


def _importance(ranker: Ranker, names: Sequence[str]) -> dict[str, float]:
    """The share of each group of features in the gain of the trees."""
    found = dict.fromkeys(GROUPS, 0.0)
    for name, share in zip(names, ranker.importance().tolist(), strict=True):
        found[name.partition(":")[0]] += share
    return found
