"""How labels cover the target vocabulary, and how to learn from labels that cover it unevenly.

A seed lexicon often holds the most frequent words of one side. Where that side is the target, only
frequent words can be labelled right. A ranker then learns that right translations are frequent,
which is wrong for other words. With π(r) the share of the target words around rank r that are
labels, the chance to see candidate c of a word labelled right is

    P(c) ∝ exp(s(c)) · π(c)

So log π(c) is added to the score while it is learned, and left out afterwards. A word whose
translation has the coverage π counts 1/π when probabilities are calibrated.

Where the source was selected, as in the direction that a lexicon was made for, nothing needs to be
corrected: the translations are what they are, given the source word.

Sources: McFadden 1978 for choices from a sample of alternatives; Horvitz & Thompson 1952 for the
weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FIRST_BAND = 50
BANDS = 20
SMOOTHING = 5.0
"""Words of mean coverage that each band has in addition."""


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
        """The coverage of a vocabulary of this size by different labelled ranks."""
        bands = np.geomspace(min(FIRST_BAND, size), size, BANDS).round().astype(int)
        edges = np.concatenate(([0], np.unique(bands)))
        counts, _ = np.histogram(labelled, edges)
        mean = len(labelled) / size
        return cls(edges, (counts + SMOOTHING * mean) / (np.diff(edges) + SMOOTHING))

    def at(self, ranks: np.ndarray) -> np.ndarray:
        """The share of labels around these ranks."""
        bands = np.searchsorted(self.edges, ranks, side="right") - 1
        return np.asarray(self.shares[np.clip(bands, 0, len(self.shares) - 1)])


def target_was_selected(rows: np.ndarray, keys: np.ndarray, sources: int, targets: int) -> bool:
    """Whether labelled pairs were selected by their target rather than their source words.

    The selected side is the one of more frequent words: translations of the most frequent words of
    a language are on average less frequent in theirs. ``rows`` and ``keys`` are the ranks of both
    words of each label in vocabularies of these sizes.
    """
    one, other = np.median(np.unique(rows)) / sources, np.median(np.unique(keys)) / targets
    return bool(other < one)
