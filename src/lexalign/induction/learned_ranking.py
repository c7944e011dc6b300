"""A learned ranking: candidates, features, a ranker and a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lexalign.arrays import blocks
from lexalign.induction.calibration import Calibration
from lexalign.induction.candidates import Candidates
from lexalign.induction.features import Evidence, FeatureTable
from lexalign.induction.ranker import Ranker
from lexalign.progress import Advance

WORDS_AT_ONCE = 2048
SCALE = 20.0


@dataclass(frozen=True, eq=False)
class RankedCandidates:
    """Candidates of some words, best first, each with the probability that it is right.

    ``rows``, ``keys``, ``probabilities`` and ``places`` have one entry per candidate; places count
    from 1.
    """

    rows: np.ndarray
    keys: np.ndarray
    probabilities: np.ndarray
    places: np.ndarray

    @classmethod
    def joined(cls, parts: Sequence[RankedCandidates]) -> RankedCandidates:
        """The candidates of several blocks of words."""
        if not parts:
            nothing = np.empty(0, dtype=np.int64)
            return cls(nothing, nothing, np.empty(0), nothing)
        names = ("rows", "keys", "probabilities", "places")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True, eq=False)
class RankedWord:
    """The candidates of one word, best first, and the features of ``found``, the same by key."""

    best: RankedCandidates
    found: Candidates
    features: FeatureTable


@dataclass(frozen=True, eq=False)
class LearnedRanking:
    """Rank the candidates of source words by a model that was trained on labels.

    Parameters
    ----------
    evidence : Evidence
        The views, and models fitted to pairs.
    ranker : Ranker or None
        The ranker of candidates; None ranks by CSLS in the last view.
    calibration : Calibration
        Converts scores to probabilities.
    groups : tuple of str
        The groups of features that the ranker uses.
    """

    evidence: Evidence
    ranker: Ranker | None
    calibration: Calibration
    groups: tuple[str, ...]

    def rank(
        self, words: np.ndarray, count: int | None = None, advance: Advance | None = None
    ) -> RankedCandidates:
        """The ``count`` best candidates of some source words, all by default, best first.

        ``words`` are distinct rows of the source; the result is in ascending order.
        """
        words, parts = np.unique(words), list[RankedCandidates]()
        for some in blocks(len(words), WORDS_AT_ONCE):
            found = self.evidence.candidates(words[some])
            parts.append(self._ranked(found, self.scores(found), count))
            if advance is not None:
                advance(some.stop - some.start)
        return RankedCandidates.joined(parts)

    def rank_word(self, word: int) -> RankedWord:
        """All candidates of one source word, with the features that reasons are taken from."""
        found = self.evidence.candidates(np.array([word]))
        features = self.evidence.features(found)
        return RankedWord(self._ranked(found, self.scores(found, features)), found, features)

    def scores(self, found: Candidates, features: FeatureTable | None = None) -> np.ndarray:
        """The scores of candidates; higher is better. Their features are computed if not given."""
        if self.ranker is None:
            return csls_scores(self.evidence, found)
        features = features or self.evidence.features(found)
        return self.ranker.scores(features.only(self.groups).values)

    def _ranked(
        self, found: Candidates, scores: np.ndarray, count: int | None = None
    ) -> RankedCandidates:
        """The ``count`` best candidates of every word, best first."""
        probabilities = self.calibration.probabilities(scores, found.rows)
        places = found.places(scores) + 1
        order = np.lexsort((places, found.rows))
        order = order if count is None else order[places[order] <= count]
        return RankedCandidates(
            found.rows[order], found.keys[order], probabilities[order], places[order]
        )


def csls_scores(evidence: Evidence, found: Candidates) -> np.ndarray:
    """CSLS in the last view, scaled so that a difference of 1 is large."""
    return SCALE * evidence.views[-1].csls(found.rows, found.keys)
