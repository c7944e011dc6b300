"""Choose a method: cross-validation on the seeds, cheap methods first, within a time limit.

The seeds are divided into folds by source word. If there are many seeds, the rarest ones are the
only fold. A dictionary is needed for rarer words, and the best method for frequent words can be bad
for them. A method is fitted without the words of a fold. It then translates them by CSLS in both
directions, with all words of the other side as candidates. Every method is tried on the first fold.
A method that is clearly worse than the best one is dropped; the others continue. Two methods are
compared on the words that both translated, by

    z = (a − b) / √(a + b)

where only the first translates a words correctly, and only the second translates b words correctly.
Among equal methods, the first in the list wins; the list has cheap methods first.

Source: McNemar 1947 for the test.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import attrs
import numpy as np

from lexalign.aligners.pairs import Pairs
from lexalign.arrays import Array, to_device, to_numpy
from lexalign.errors import LexalignError
from lexalign.induction.cross_fitting import SeedFolds
from lexalign.induction.methods import FITTED_WORDS, Method, methods_to_try, refined_methods
from lexalign.induction.view import ViewMaps, mapped
from lexalign.parameters import parameter, seed_parameter
from lexalign.progress import Progress, Stage
from lexalign.retrieval.penalties import neighbourhood
from lexalign.retrieval.search import candidates

DENSITY_WORDS = 5000
"""Number of source words for the neighbourhoods of CSLS; enough to compare methods."""

NEIGHBOURS = 10
MANY_WORDS = 2000
"""With at least this number of seed words, only the rarest are held out."""

RAREST = 1 / 3
"""The share of rare seed words that are held out."""

BEHIND = 2.0
LEVEL = 0.5
NORMAL_95 = 1.96


@dataclass
class Trial:
    """The results of a method on its folds.

    ``words`` are the translated held-out words, ascending: rows of the source, then of the target.
    ``right`` tells whether each translation is right.
    """

    method: Method
    words: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    right: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    maps: list[ViewMaps] = field(default_factory=list)
    directions: int = 1
    seconds: float = 0.0
    remark: str = ""

    @property
    def folds(self) -> int:
        """The number of tried folds."""
        return len(self.maps)

    @property
    def accuracy(self) -> float:
        """P@1 on held-out seed words."""
        return float(self.right.mean()) if len(self.right) else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of P@1 (Wilson 1927).

        Both directions of a seed count as one word, because they are not independent.
        """
        count, share = len(self.right) / self.directions, self.accuracy
        if not count:
            return 0.0, 1.0
        square = NORMAL_95**2
        centre = (share + square / (2 * count)) / (1 + square / count)
        half = NORMAL_95 * np.sqrt(share * (1 - share) / count + square / (4 * count**2))
        half /= 1 + square / count
        return float(centre - half), float(centre + half)

    def lead_over(self, other: Trial) -> float:
        """The z-score of the paired comparison on the words that both translated."""
        _, mine, theirs = np.intersect1d(self.words, other.words, return_indices=True)
        only_this = int((self.right[mine] & ~other.right[theirs]).sum())
        only_other = int((other.right[theirs] & ~self.right[mine]).sum())
        return float((only_this - only_other) / max(np.sqrt(only_this + only_other), 1.0))

    def add(self, words: np.ndarray, right: np.ndarray, seconds: float) -> None:
        """Add the words of a fold."""
        order = np.argsort(np.concatenate((self.words, words)), kind="stable")
        self.words = np.concatenate((self.words, words))[order]
        self.right = np.concatenate((self.right, right))[order]
        self.seconds += seconds

    def as_dict(self) -> dict[str, Any]:
        """The trial in JSON types."""
        return {
            "method": self.method.name,
            "p@1": self.accuracy if self.folds else None,
            "interval": list(self.interval) if self.folds else None,
            "words": len(self.words),
            "folds": self.folds,
            "seconds": round(self.seconds, 2),
            "remark": self.remark,
        }


class MethodTrial(Protocol):
    """The trial of a method, with its maps."""

    @property
    def method(self) -> Method:
        """The method."""

    @property
    def maps(self) -> Sequence[ViewMaps]:
        """Its maps for each tried fold."""

    def as_dict(self) -> dict[str, Any]:
        """The trial in JSON types."""


@dataclass(frozen=True)
class Choice:
    """The chosen method, the tried methods, and one sentence with the reason."""

    method: Method
    trials: tuple[MethodTrial, ...] = ()
    reason: str = ""

    def fold_maps(self) -> list[ViewMaps]:
        """The maps of the chosen method for each fold, if it was tried on all folds."""
        return next((list(one.maps) for one in self.trials if one.method == self.method), [])

    def as_dict(self) -> dict[str, Any]:
        """The choice in JSON types."""
        return {
            "method": self.method.name,
            "reason": self.reason,
            "tried": [trial.as_dict() for trial in self.trials],
        }


@attrs.frozen(kw_only=True)
class Selection:
    """Choose a method by cross-validation on the seeds."""

    role: ClassVar[str] = "the choice of a method"

    budget: float = parameter(
        120.0, above=0, help="Approximate time limit for choosing a method, in seconds."
    )
    seed: int = seed_parameter()

    def choose(
        self,
        source: np.ndarray,
        target: np.ndarray,
        folds: SeedFolds,
        *,
        both: bool = True,
        device: str = "cpu",
        progress: Progress | None = None,
    ) -> Choice:
        """Choose a method for normalised vectors (n, d) and (m, d) by the folds of the seeds.

        With ``both``, held-out words of the target are translated, too.
        """
        folds = judging_folds(folds)
        race = _Race(self, source, target, folds, both, device)
        ways = 2 if both else 1
        trials = [Trial(one, directions=ways) for one in methods_to_try(device, self.seed)]
        with (progress or Progress()).stage("choosing a method", unit="fits") as stage:
            race.stage, more = stage, len(refined_methods(trials[0].method, device))
            stage.expect(folds.count * (len(trials) + more), "at most")
            for fold in range(folds.count):
                for trial in trials:
                    if race.goes_on(trial, trials):
                        race.run(trial, fold)
                    stage()
            best = _chosen(trials)
            if best.method.refiner is None:
                refined = [
                    Trial(method, directions=ways)
                    for method in refined_methods(best.method, device)
                ]
                for fold in range(best.folds):
                    for trial in refined:
                        if race.goes_on(trial, [*trials, *refined]):
                            race.run(trial, fold, aligned=best.maps[fold])
                        stage()
                trials += refined
        chosen = _chosen(trials)
        return Choice(chosen.method, tuple(trials), _reason(chosen, trials))


def judging_folds(folds: SeedFolds) -> SeedFolds:
    """The folds for the comparison: these, or the rarest of many seed words."""
    many = len(np.unique(folds.seeds[:, 0])) >= MANY_WORDS
    return SeedFolds.rarest(folds.seeds, RAREST) if many else folds


class _Race:
    """The trials of one language pair within the time limit."""

    def __init__(
        self,
        rules: Selection,
        source: np.ndarray,
        target: np.ndarray,
        folds: SeedFolds,
        both: bool,
        device: str,
    ) -> None:
        self._began, self._rules, self._product = time.perf_counter(), rules, np.inf
        self._both, self.stage = both, Stage("")
        self._source, self._target, self._folds, self._device = source, target, folds, device

    def goes_on(self, trial: Trial, trials: Sequence[Trial]) -> bool:
        """Whether a trial continues with another fold and fits into the time limit."""
        if trial.remark:
            return False
        tried = [one for one in trials if one.folds]
        if trial.folds and tried:
            ahead = max(tried, key=lambda one: one.accuracy)
            if ahead is not trial and ahead.lead_over(trial) > BEHIND:
                trial.remark = f"dropped after fold {trial.folds}"
                return False
        left = self._rules.budget - (time.perf_counter() - self._began)
        expected = trial.seconds / trial.folds if trial.folds else self._expected(trial.method)
        if expected > left and tried:
            trial.remark = "out of time"
            if trial.folds:
                trial.remark += f" after fold {trial.folds}"
            return False
        return True

    def _expected(self, method: Method) -> float:
        return method.products * self._product if method.products else 0.0

    def run(self, trial: Trial, fold: int, aligned: ViewMaps | None = None) -> None:
        """Fit a method without a fold, and translate the words of the fold.

        A refinement can start from maps that are already ``aligned``.
        """
        began = time.perf_counter()
        self.stage.remark = f"{trial.method.name}, fold {fold + 1}"
        try:
            known = Pairs(self._folds.known(fold))
            if aligned is None:
                maps = trial.method.fit(self._source, self._target, known)
            else:
                maps = trial.method.refine(self._source, self._target, known, aligned)
        except LexalignError as error:
            trial.remark = f"failed: {error}"
            return
        measured = time.perf_counter()
        words, right = self._translate(maps, fold)
        ended = time.perf_counter()
        fitted = min(FITTED_WORDS, len(self._source)) * min(FITTED_WORDS, len(self._target))
        searched = min(DENSITY_WORDS, len(self._source)) * len(self._target)
        if self._both:
            searched += min(DENSITY_WORDS, len(self._target)) * len(self._source)
        self._product = min(self._product, (ended - measured) * fitted / searched)
        trial.maps.append(maps)
        trial.add(words, right, ended - began)

    def _translate(self, maps: ViewMaps, fold: int) -> tuple[np.ndarray, np.ndarray]:
        """The held-out words of a fold, and whether the first translation of each is right."""
        source = to_device(mapped(self._source, maps.source), self._device)
        target = to_device(mapped(self._target, maps.target), self._device)
        forward = first_choices(source, target, self._folds.held_out(fold))
        if not self._both:
            return forward
        rows, right = first_choices(target, source, self._folds.held_out_backward(fold))
        words = np.concatenate((forward[0], len(self._source) + rows))
        return words, np.concatenate((forward[1], right))


def first_choices(source: Array, target: Array, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Translate the source words of pairs by CSLS, with all target words as candidates.

    Parameters
    ----------
    source, target : float32 arrays, shapes (n, d) and (m, d)
        Unit vectors in one space, most frequent words first.
    pairs : int array, shape (p, 2)
        The right translations, as rows.

    Returns
    -------
    rows : int array
        The source words, each once.
    right : bool array
        Whether the first translation of each word is right.
    """
    rows, width = np.unique(pairs[:, 0]), int(target.shape[0])
    words = np.union1d(np.arange(min(DENSITY_WORDS, int(source.shape[0]))), rows)
    density = 0.5 * neighbourhood(target, source[words], min(NEIGHBOURS, len(words)))
    _, found = candidates(source[rows], target, 1, density)
    codes = rows * width + to_numpy(found)[:, 0]
    return rows, np.isin(codes, pairs[:, 0] * width + pairs[:, 1])


def _chosen(trials: Sequence[Trial]) -> Trial:
    """The best of the methods with the most folds, or the first in the list that equals it."""
    folds = max(trial.folds for trial in trials)
    if not folds:
        raise LexalignError("No method could be fitted to the seeds; give more seeds.")
    whole = [trial for trial in trials if trial.folds == folds]
    best = max(whole, key=lambda trial: trial.accuracy)
    return next(trial for trial in whole if best.lead_over(trial) < LEVEL)


def _reason(chosen: Trial, trials: Sequence[Trial]) -> str:
    """One sentence on the chosen method and the reason."""
    low, high = chosen.interval
    score = (
        f"P@1 {100 * chosen.accuracy:.1f} % ({100 * low:.1f}–{100 * high:.1f}) on "
        f"{len(chosen.words):,} held-out seed words"
    )
    others = [one for one in trials if one is not chosen and one.folds == chosen.folds]
    if not others:
        return f"{chosen.method.name} was chosen: {score}; no other method is as good."
    second = max(others, key=lambda trial: trial.accuracy)
    lead = chosen.lead_over(second)
    if second.accuracy >= chosen.accuracy or lead < LEVEL:
        return (
            f"{chosen.method.name} was chosen: {score}, as good as {second.method.name} "
            f"({100 * second.accuracy:.1f} %) and simpler."
            if trials.index(second) > trials.index(chosen)
            else f"{chosen.method.name} was chosen: {score}, slightly above {second.method.name} "
            f"({100 * second.accuracy:.1f} %)."
        )
    return (
        f"{chosen.method.name} was chosen: {score}; the next best on the same words is "
        f"{second.method.name} with {100 * second.accuracy:.1f} % (z = {lead:.1f})."
    )
