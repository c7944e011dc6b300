"""Gradient-boosted trees that rank the candidates of a word, with cross-fitting.

For each fold, one booster is trained on the words of the other folds. Its scores for the fold are
*out of fold*: they are distributed like scores of new words, so calibration uses them. New words
get the mean score of all boosters.

The objective is LambdaMART (Burges 2010): pairs of a right and a wrong candidate of one word,
weighted by the effect of exchanging them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from lexalign.errors import LexalignError
from lexalign.induction.candidates import Candidates
from lexalign.parameters import parameter, seed_parameter
from lexalign.threads import spread

ONE_THREAD: dict[str, Any] = {"num_threads": 1}
"""LightGBM's own threads keep a core busy while they wait for each other. Beside two busy
processes, training was once seen to take fifty times as long.
"""

ROWS_AT_ONCE = 8192

if TYPE_CHECKING:
    import lightgbm


@attrs.frozen(kw_only=True)
class Boosting:
    """The size of the boosters."""

    role: ClassVar[str] = "ranking"

    trees: int = parameter(
        200, at_least=1, help="Number of decision trees in each model of the learned ranking."
    )
    leaves: int = parameter(15, at_least=2, help="Maximum number of leaves of a tree.")
    rate: float = parameter(0.05, above=0, at_most=1, help="Learning rate of the trees.")
    seed: int = seed_parameter("Random seed of the folds and of the learned ranking.", below=2**31)

    def fit(
        self,
        features: np.ndarray,
        labels: np.ndarray,
        groups: np.ndarray,
        folds: np.ndarray,
        offsets: np.ndarray | None = None,
    ) -> tuple[Ranker, np.ndarray]:
        """Train one booster per fold.

        Parameters
        ----------
        features : float32 array, shape (n, f)
            One row per candidate; the candidates of a word are adjacent.
        labels : bool array, shape (n,)
            Whether each candidate is right.
        groups : int array, shape (n,)
            The word of each candidate.
        folds : int array, shape (n,)
            The fold of that word.
        offsets : float array, shape (n,), optional
            Added to the scores only during training.

        Returns
        -------
        ranker : Ranker
            The boosters.
        scores : float array, shape (n,)
            The score of each candidate by the booster that did not see its word.
        """
        scores, numbers = np.empty(len(features)), np.unique(folds).tolist()
        stopped = Event()

        def train(part: slice) -> lightgbm.Booster:
            (fold,) = numbers[part]
            inside = folds == fold
            booster = self._train(features, labels, groups, offsets, ~inside, fold, stopped)
            scores[inside] = booster.predict(features[inside], **ONE_THREAD)
            return booster

        try:
            return Ranker(tuple(spread(train, len(numbers), 1))), scores
        except BaseException:
            stopped.set()  # else an interrupted program waits for the other threads
            raise

    def _train(
        self,
        features: np.ndarray,
        labels: np.ndarray,
        groups: np.ndarray,
        offsets: np.ndarray | None,
        chosen: np.ndarray,
        number: int,
        stopped: Event,
    ) -> lightgbm.Booster:
        """One booster, trained on the chosen candidates of words with a right one."""
        import lightgbm

        chosen = chosen & np.isin(groups, np.unique(groups[labels]))
        if not chosen.any():
            raise LexalignError("The ranker has no word to learn from; give more seeds.")
        counts = Candidates(groups[chosen], groups[chosen]).counts
        data = lightgbm.Dataset(
            features[chosen],
            labels[chosen].astype(np.int32),
            group=counts,
            init_score=None if offsets is None else offsets[chosen],
        )
        settings = {
            "objective": "lambdarank",
            "label_gain": [0, 1],
            "lambdarank_truncation_level": 5,
            "num_leaves": self.leaves,
            "learning_rate": self.rate,
            "min_data_in_leaf": 20,
            "feature_fraction": 0.7,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "deterministic": True,
            "force_row_wise": True,
            **ONE_THREAD,
            "verbose": -1,
        }

        def unless_stopped(_: Any) -> None:
            if stopped.is_set():
                raise LexalignError("The training of the ranking was stopped.")

        settings["seed"] = self.seed + number
        return lightgbm.train(settings, data, self.trees, callbacks=[unless_stopped])


@dataclass(frozen=True)
class Ranker:
    """The mean of several boosters."""

    boosters: tuple[lightgbm.Booster, ...]

    def scores(self, features: np.ndarray) -> np.ndarray:
        """The score of every candidate, float64; higher is better."""
        return self._mean(features)

    def contributions(self, features: np.ndarray) -> np.ndarray:
        """The contribution of each feature to each score (Shapley values), (n, f)."""
        return self._mean(features, pred_contrib=True)[:, :-1]

    def _mean(self, features: np.ndarray, **settings: Any) -> np.ndarray:
        """The mean prediction of the boosters."""

        def predicted(part: slice) -> np.ndarray:
            found = [
                booster.predict(features[part], **settings, **ONE_THREAD)
                for booster in self.boosters
            ]
            return np.asarray(np.mean(found, axis=0))

        parts = spread(predicted, len(features), ROWS_AT_ONCE)
        return np.concatenate(parts or [predicted(slice(0))])

    def importance(self) -> np.ndarray:
        """The share of each feature in the gain of all splits."""
        gains = np.sum([one.feature_importance("gain") for one in self.boosters], axis=0)
        return np.asarray(gains / max(gains.sum(), 1e-12))

    @property
    def texts(self) -> list[str]:
        """The boosters as LightGBM texts."""
        return [booster.model_to_string() for booster in self.boosters]

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Ranker:
        """Read boosters from texts; raise ValueError if one is damaged."""
        require_booster()
        import lightgbm

        try:
            return cls(tuple(lightgbm.Booster(model_str=text) for text in texts))
        except lightgbm.basic.LightGBMError as error:
            raise ValueError(f"LightGBM: {error}") from error


def require_booster() -> None:
    """Raise, with the remedy, if LightGBM cannot be loaded."""
    try:
        import lightgbm  # noqa: F401
    except OSError as error:
        raise LexalignError(
            "Learned ranking needs OpenMP, which LightGBM cannot find; install libgomp1 (Linux) "
            "or libomp (macOS)."
        ) from error
