"""Labels: the word pairs that train a ranking, and the words that test it.

Seeds are labels. If there are few or none, the mutual CSLS pairs of the alignment are *weak
labels*. Many weak labels are wrong. A ranker that does not see the maps that found them still
learns what right pairs have in common. The seeds then test and calibrate the ranker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexalign.arrays import to_device
from lexalign.induction.cross_fitting import SeedFolds
from lexalign.induction.view import ViewMaps, mapped
from lexalign.retrieval import mutual_pairs

FEWEST_WORDS = 300
"""Minimum number of seed words to train a ranking only on seeds."""

FEWEST_JUDGES = 50
"""Minimum number of seed words to test a ranking that was trained on weak labels."""

FREQUENT = 10_000
MOST_WEAK = 5000


@dataclass(frozen=True, eq=False)
class Labels:
    """Word pairs for training, in folds.

    Parameters
    ----------
    folds : SeedFolds
        All labels.
    judges : int array, shape (n, 2), or None
        The seeds among weak labels; None if all labels are seeds.
    """

    folds: SeedFolds
    judges: np.ndarray | None = None

    @property
    def weak(self) -> bool:
        """Whether most labels are mutual pairs of an alignment."""
        return self.judges is not None

    def judging(self, words: np.ndarray, side: int) -> np.ndarray | None:
        """Mask of the words that test a ranking: None for all, all False for too few seeds."""
        if self.judges is None:
            return None
        known = np.isin(words, self.judges[:, side])
        return known if known.sum() >= FEWEST_JUDGES else np.zeros(len(words), dtype=bool)

    @classmethod
    def of_seeds(cls, seeds: np.ndarray, folds: int, seed: int) -> Labels:
        """Use the seeds, (n, 2) rows, as labels."""
        return cls(SeedFolds.drawn(np.unique(seeds, axis=0), folds, seed))

    @classmethod
    def weak_labels(
        cls,
        source: np.ndarray,
        target: np.ndarray,
        maps: ViewMaps,
        seeds: np.ndarray,
        folds: int,
        seed: int,
        device: str = "cpu",
    ) -> Labels:
        """Use the seeds and the mutual pairs of an alignment among frequent words as labels.

        Mutual pairs that share a word with a seed are left out.
        """
        sides = [
            to_device(mapped(side[:FREQUENT], matrix), device)
            for side, matrix in ((source, maps.source), (target, maps.target))
        ]
        found = mutual_pairs(*sides, retrieval="csls", max_rank=FREQUENT).pairs
        if len(seeds):
            known = np.isin(found[:, 0], seeds[:, 0]) | np.isin(found[:, 1], seeds[:, 1])
            found = found[~known]
        if len(found) > MOST_WEAK:
            chosen = np.random.default_rng(seed).choice(len(found), MOST_WEAK, replace=False)
            found = found[np.sort(chosen)]
        pairs = np.unique(np.vstack((seeds, found)), axis=0)
        return cls(SeedFolds.drawn(pairs, folds, seed), seeds)
