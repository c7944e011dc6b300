"""Agreement of neighbourhoods: whether the neighbours of two words are translations too."""

from __future__ import annotations

from copy import copy

import numpy as np

from lexalign.arrays import Array, blocks, to_numpy
from lexalign.induction.nearest import NearestWords
from lexalign.induction.view import View

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


class Neighbourhoods:
    """The nearest words of every word in its own language.

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
    def swapped(self) -> Neighbourhoods:
        """The same from the target to the source."""
        other = copy(self)
        other.source, other.target = self.target, self.source
        return other


def agreement(view: View, own: Neighbourhoods, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """How well the neighbourhoods of every pair fit each other, (len(rows), features), float32.

    The agreement of a source word and a target word is the mean, over the neighbours of either, of
    the highest cosine to a neighbour of the other.
    """
    found = np.empty((len(rows), len(FEATURES)), dtype=np.float32)
    near_source, near_target = own.source.rows(rows)[:, 1:], own.target.rows(keys)[:, 1:]
    for some in blocks(len(rows), PAIRS_AT_ONCE):
        around_source = view.source[near_source[some]]
        around_target = view.target[near_target[some]]
        between = around_source @ around_target.swapaxes(1, 2)
        found[some, 0] = to_numpy(between).max(axis=2).mean(axis=1)
        found[some, 0] += to_numpy(between).max(axis=1).mean(axis=1)
        centres = around_source.mean(1), around_target.mean(1)
        found[some, 1] = to_numpy((centres[0] * centres[1]).sum(-1))
        found[some, 5] = to_numpy((view.source[rows[some]] * centres[1]).sum(-1))
        found[some, 6] = to_numpy((view.target[keys[some]] * centres[0]).sum(-1))
    found[:, 2] = own.source.scores(rows)[:, 1:].mean(axis=1)
    found[:, 3] = own.target.scores(keys)[:, 1:].mean(axis=1)
    found[:, 4] = found[:, 2] - found[:, 3]
    return found
