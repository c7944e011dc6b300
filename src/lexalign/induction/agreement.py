"""Agreement of neighbourhoods: whether the neighbours of two words are translations, too."""

from __future__ import annotations

from copy import copy

import numpy as np

from lexalign.arrays import Array, blocks, to_numpy
from lexalign.induction.nearest import NearestWords
from lexalign.induction.view import AlignedView

NEIGHBOURS = 10
PAIRS_AT_ONCE = 4096
FEATURES = (
    "agreement",
    "centroids",
    "source density",
    "target density",
    "density difference",
    "source to target's neighbours",
    "target to source's neighbours",
)


class OwnNeighbours:
    """The nearest words of each word in its own language.

    Parameters
    ----------
    source, target : float32 arrays, shapes (n, d) and (m, d)
        Vectors at unit length.
    """

    def __init__(self, source: Array, target: Array) -> None:
        # The nearest word of a word is the word itself.
        self.source = NearestWords(source, source, NEIGHBOURS + 1)
        self.target = NearestWords(target, target, NEIGHBOURS + 1)

    @property
    def swapped(self) -> OwnNeighbours:
        """The neighbours for the direction from target to source."""
        other = copy(self)
        other.source, other.target = self.target, self.source
        return other


def agreement(
    view: AlignedView,
    own: OwnNeighbours,
    rows: np.ndarray,
    keys: np.ndarray,
    close: np.ndarray,
) -> np.ndarray:
    """Features of how well the neighbourhoods of each pair agree, (len(rows), features), float32.

    The agreement of two words is the mean, over the neighbours of both, of the highest cosine to a
    neighbour of the other word. It is expensive, so only pairs that are ``close`` have it; other
    pairs have NaN. The centroid of a word is the centroid of its neighbours.
    """
    found = np.full((len(rows), len(FEATURES)), np.nan, dtype=np.float32)
    pairs = np.flatnonzero(close)
    near_source, near_target = own.source.rows(rows)[:, 1:], own.target.rows(keys)[:, 1:]
    for block in blocks(len(pairs), PAIRS_AT_ONCE):
        these = pairs[block]
        around_source = view.source[near_source[these]]
        between = to_numpy(around_source @ view.target[near_target[these]].swapaxes(1, 2))
        found[these, 0] = between.max(axis=2).mean(axis=1) + between.max(axis=1).mean(axis=1)
    source, place_of_row = _centroids(view.source, own.source, rows)
    target, place_of_key = _centroids(view.target, own.target, keys)
    for block in blocks(len(rows), PAIRS_AT_ONCE):
        centres = source[place_of_row[block]], target[place_of_key[block]]
        found[block, 1] = to_numpy((centres[0] * centres[1]).sum(-1))
        found[block, 5] = to_numpy((view.source[rows[block]] * centres[1]).sum(-1))
        found[block, 6] = to_numpy((view.target[keys[block]] * centres[0]).sum(-1))
    found[:, 2] = own.source.scores(rows)[:, 1:].mean(axis=1)
    found[:, 3] = own.target.scores(keys)[:, 1:].mean(axis=1)
    found[:, 4] = found[:, 2] - found[:, 3]
    return found


def _centroids(vectors: Array, own: NearestWords, words: np.ndarray) -> tuple[Array, np.ndarray]:
    """The centroids of distinct words, and the index of each of ``words`` among them."""
    different, places = np.unique(words, return_inverse=True)
    near = own.rows(different)[:, 1:]
    total = vectors[near[:, 0]]
    for column in near[:, 1:].T:
        total = total + vectors[column]
    return total / max(near.shape[1], 1), places
