"""Coverage of the target vocabulary by labels, and training with uneven coverage.

A seed lexicon often holds the most frequent words of one side. If that side is the target, only
frequent words can be right labels. A ranker then learns that right translations are frequent, which
is wrong for other words. Let π(r) be the share of labels among the target words around rank r. The
probability that candidate c of a word is labelled right is

    P(c) ∝ exp(s(c)) · π(c)

So training adds log π(c) to the score s(c), and prediction does not. Calibration weights a word by
1/π, where π is the coverage of its translation.

If the lexicon was selected by its source words, no correction is needed.

Sources: McFadden 1978 for choices from a sample of alternatives; Horvitz & Thompson 1952 for the
weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FIRST_BAND = 50
BANDS = 20
HEAVIEST = 20.0
CLEARLY = 0.8
"""Ratio of median ranks. On our development pairs, it is 0.44 to 0.72 for swapped lexicons, and
0.87 or more for others.
"""

SMOOTHING = 5.0
"""Number of words with the mean coverage that smooth each band."""


@dataclass(frozen=True, eq=False)
class LabelCoverage:
    """The share of target words that are labels, in bands of rank.

    Parameters
    ----------
    edges : int array, shape (b + 1,)
        Ranks where the bands begin, and the size of the vocabulary.
    shares : float array, shape (b,)
        The smoothed share of each band.

    Examples
    --------
    >>> coverage = LabelCoverage.of(np.arange(100), 1000)
    >>> coverage.at(np.array([0, 60, 900])).round(2).tolist()
    [0.92, 0.7, 0.0]
    """

    edges: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, labelled: np.ndarray, size: int) -> LabelCoverage:
        """Compute the coverage of a vocabulary of this size by distinct labelled ranks."""
        bands = np.geomspace(min(FIRST_BAND, size), size, BANDS).round().astype(int)
        edges = np.concatenate(([0], np.unique(bands)))
        counts, _ = np.histogram(labelled, edges)
        mean = len(labelled) / size
        return cls(edges, (counts + SMOOTHING * mean) / (np.diff(edges) + SMOOTHING))

    def at(self, ranks: np.ndarray) -> np.ndarray:
        """The share of labels around these ranks."""
        bands = np.searchsorted(self.edges, ranks, side="right") - 1
        return np.asarray(self.shares[np.clip(bands, 0, len(self.shares) - 1)])

    def weights(
        self, words: np.ndarray, labels: np.ndarray, heaviest: float = HEAVIEST
    ) -> np.ndarray:
        """The weights of source words in calibration: one over the coverage of their translation.

        If a word has several translations in the labels, (n, 2) rows, the most frequent one counts.
        A weight is at most ``heaviest`` times the median, so that a few words cannot dominate.
        """
        keys = np.full(1 + int(labels[:, 0].max()), np.iinfo(np.int64).max)
        np.minimum.at(keys, labels[:, 0], labels[:, 1])
        weights = 1 / self.at(keys[words])
        weights = np.minimum(weights, heaviest * np.median(weights))
        return np.asarray(weights / weights.mean())


def target_was_selected(labels: np.ndarray, sources: int, targets: int) -> bool:
    """Whether labels, (n, 2) rows, were selected by their target words.

    The selected side has clearly more frequent words: the translations of the most frequent words
    of a language are on average less frequent. ``sizes`` are the sizes of the vocabularies.
    """
    one, other = (np.median(np.unique(column)) for column in labels.T)
    return bool(other / targets < CLEARLY * one / sources)
