"""Cross-fitting: the candidates of a seed word under maps that were fitted without it.

Seeds are closer to their translations than other words, because the maps were fitted to them. A
ranker trained on them would expect the same closeness for new words. So the seed words are divided
into folds, and the views of a fold are fitted without its source and target words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lexalign.induction.candidates import Candidates
from lexalign.induction.features import Evidence, FeatureTable
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.view import ViewMaps
from lexalign.induction.views import FittedViews, with_chosen
from lexalign.progress import Progress


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Candidates of seed words with features, labels and folds."""

    candidates: Candidates
    features: FeatureTable
    right: np.ndarray
    folds: np.ndarray

    @classmethod
    def joined(cls, parts: list[TrainingTable]) -> TrainingTable:
        """The candidates of all folds."""
        return cls(
            Candidates(
                np.concatenate([part.candidates.rows for part in parts]),
                np.concatenate([part.candidates.keys for part in parts]),
            ),
            FeatureTable(
                parts[0].features.names, np.concatenate([part.features.values for part in parts])
            ),
            np.concatenate([part.right for part in parts]),
            np.concatenate([part.folds for part in parts]),
        )


@dataclass(frozen=True, eq=False)
class SeedFolds:
    """Seeds divided into folds by source word.

    Parameters
    ----------
    seeds : int array, shape (n, 2)
        Rows of the two vocabularies.
    folds : int array, shape (n,)
        The fold of every pair.
    """

    seeds: np.ndarray
    folds: np.ndarray

    @classmethod
    def drawn(cls, seeds: np.ndarray, count: int, seed: int) -> SeedFolds:
        """Draw folds of equal size at random."""
        words, where = np.unique(seeds[:, 0], return_inverse=True)
        of_word = np.random.default_rng(seed).permutation(np.arange(len(words)) % count)
        return cls(seeds, of_word[where])

    @classmethod
    def rarest(cls, seeds: np.ndarray, share: float) -> SeedFolds:
        """One fold of the rarest words of either language; the other words are in no fold."""
        words, where = np.unique(seeds[:, 0], return_inverse=True)
        ranks = np.full(len(words), np.iinfo(np.int64).max)
        np.minimum.at(ranks, where, seeds[:, 1])
        ranks = np.maximum(ranks, words)
        fold_of_word = np.where(ranks >= np.quantile(ranks, 1 - share), 0, -1)
        return cls(seeds, fold_of_word[where])

    @property
    def count(self) -> int:
        """The number of folds."""
        return int(self.folds.max()) + 1

    def share_of(self, pairs: np.ndarray) -> float:
        """The share of the seeds among these pairs, (m, 2) rows."""
        known = {tuple(pair) for pair in pairs.tolist()}
        return sum(tuple(pair) in known for pair in self.seeds.tolist()) / max(len(self.seeds), 1)

    def held_out(self, fold: int) -> np.ndarray:
        """The pairs of a fold."""
        return np.asarray(self.seeds[self.folds == fold])

    def held_out_backward(self, fold: int) -> np.ndarray:
        """All pairs, in the other direction, of target words that are in no earlier fold."""
        before = self.seeds[self.folds < fold, 1]
        words = np.setdiff1d(self.held_out(fold)[:, 1], before)
        return np.asarray(self.seeds[np.isin(self.seeds[:, 1], words)][:, ::-1])

    def known(self, fold: int) -> np.ndarray:
        """The pairs that share no word with the fold."""
        targets = self.held_out(fold)[:, 1]
        others = (self.folds != fold) & ~np.isin(self.seeds[:, 1], targets)
        return np.asarray(self.seeds[others])


def views_of_folds(
    pair: LanguagePair,
    folds: SeedFolds,
    chosen: Callable[[int | None], ViewMaps | None] = lambda fold: None,
    progress: Progress | None = None,
) -> tuple[FittedViews, ...]:
    """The views fitted without the pairs of each fold; the last ones are fitted to all pairs.

    ``chosen`` returns the maps of the chosen method for a fold, or for all pairs if the fold is
    None. If it returns None, that view is left out.
    """
    fitted, maps = list[FittedViews](), list[ViewMaps | None]()
    with (progress or Progress()).stage(
        "fitting alignments", total=folds.count + 1, unit="fits"
    ) as advance:
        for fold in (*range(folds.count), None):
            fitted.append(pair.fit_views(folds.seeds if fold is None else folds.known(fold)))
            maps.append(chosen(fold))
            advance(1)
    return with_chosen(fitted, maps)


def training_tables(
    pair: LanguagePair,
    folds: SeedFolds,
    views: Sequence[FittedViews],
    *,
    both: bool = True,
    progress: Progress | None = None,
) -> tuple[TrainingTable, ...]:
    """The training tables from source to target and, with ``both``, from target to source.

    ``views`` is a result of ``views_of_folds``.
    """
    parts: tuple[list[TrainingTable], ...] = ([], []) if both else ([],)
    with (progress or Progress()).stage(
        "cross-fitting", total=folds.count, unit="folds"
    ) as advance:
        for fold in range(folds.count):
            evidence = pair.evidence(views[fold])
            parts[0].append(_table(evidence, folds.held_out(fold), fold))
            if both:
                backward = folds.held_out_backward(fold)
                parts[1].append(_table(evidence.swapped, backward, fold))
            advance(1)
    return tuple(TrainingTable.joined(part) for part in parts)


def _table(evidence: Evidence, held_out: np.ndarray, fold: int) -> TrainingTable:
    found = evidence.candidates(np.unique(held_out[:, 0]))
    return TrainingTable(
        found,
        evidence.features(found),
        found.right(held_out),
        np.full(len(found), fold),
    )
