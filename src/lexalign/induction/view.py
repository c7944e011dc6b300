"""A view: both vocabularies in one shared space, searched in both directions.

Different aligners give different views of a language pair. Ranking collects candidates from all
views, and uses the scores of a candidate in each view.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from lexalign.arrays import blocks, is_numpy, to_device, to_numpy
from lexalign.induction.nearest import NearestWords
from lexalign.retrieval.memory_mapped import cosines_of, front, products
from lexalign.retrieval.search import candidates
from lexalign.spaces.normalise import unit_rows
from lexalign.threads import single_threaded_products

NEIGHBOURS = 10
BACKWARD = 50
PAIRS_AT_ONCE = 16_384
FEW_WORDS = 4
"""Up to this number, words are searched for one by one."""


@dataclass(frozen=True)
class ViewMaps:
    """The matrix of each side, (d, d), from the normalised vectors into the view."""

    source: np.ndarray | None
    target: np.ndarray | None

    @property
    def swapped(self) -> ViewMaps:
        """The view from target to source."""
        return ViewMaps(self.target, self.source)

    def equals(self, other: ViewMaps) -> bool:
        """Whether both sides have the same matrices, up to rounding."""
        return _equal(self.source, other.source) and _equal(self.target, other.target)


class AlignedView:
    """Two vocabularies of unit vectors in one space, with the densities for CSLS.

    Parameters
    ----------
    source, target : float32 arrays, shapes (n, d) and (m, d)
        Vectors before the maps, most frequent words first.
    maps : ViewMaps
        The maps into the shared space.
    densities : pair of float arrays, shapes (n,) and (m,), optional
        The mean cosine of each word to its nearest words of the other side, if known.
    device : {"cpu", "cuda"}
        Device to compute on.
    """

    def __init__(
        self,
        source: np.ndarray,
        target: np.ndarray,
        maps: ViewMaps,
        densities: tuple[np.ndarray, np.ndarray] | None = None,
        device: str = "cpu",
    ) -> None:
        self.maps = maps
        self.source = to_device(mapped(source, maps.source), device)
        self.target = to_device(mapped(target, maps.target), device)
        self._backward = NearestWords(self.target, self.source, BACKWARD)
        self._forward = NearestWords(self.source, self.target, BACKWARD)
        self.source_density, self.target_density = densities or (
            _density(self._forward, len(self.source)),
            _density(self._backward, len(self.target)),
        )

    @property
    def swapped(self) -> AlignedView:
        """The view from target to source."""
        other = copy(self)
        other.maps = self.maps.swapped
        other.source, other.target = self.target, self.source
        other._backward, other._forward = self._forward, self._backward
        other.source_density, other.target_density = self.target_density, self.source_density
        return other

    def best(self, rows: np.ndarray, count: int) -> np.ndarray:
        """The target words with the highest CSLS for some rows, (len(rows), count), best first."""
        count = min(count, int(self.target.shape[0]))
        if is_numpy(self.target) and len(rows) <= FEW_WORDS:
            return np.stack([self._best_of_word(row, count) for row in rows])
        _, found = candidates(self.source[rows], self.target, count, 0.5 * self.target_density)
        return to_numpy(found)

    def _best_of_word(self, row: int, count: int) -> np.ndarray:
        """The same for one word, without the copy of the target that a search of many makes."""
        penalties = 0.5 * self.target_density
        keys = front(products(self.target, self.source[row]) - penalties, count)
        scores = cosines_of(self.source[row], self.target, keys) - penalties[keys]
        return np.asarray(keys[np.lexsort((keys, -scores))[:count]])

    def cosines(self, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The cosines of pairs of rows, float32."""
        found = np.empty(len(rows), dtype=np.float32)
        for some in blocks(len(rows), PAIRS_AT_ONCE):
            found[some] = to_numpy((self.source[rows[some]] * self.target[keys[some]]).sum(-1))
        return found

    def csls(self, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The CSLS of pairs of rows."""
        densities = self.source_density[rows] + self.target_density[keys]
        return np.asarray(2 * self.cosines(rows, keys) - densities)

    def backward(self, rows: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The backward search from the target word of each pair.

        Returns the place of the source word among the best source words of the target word, counted
        from 0, and the CSLS of the first one. The ``BACKWARD`` nearest source words by cosine are
        compared by CSLS; later places count as one place.
        """
        places = np.empty(len(rows), dtype=np.int32)
        first = np.empty(len(rows))
        for some in blocks(len(rows), PAIRS_AT_ONCE):
            asked = keys[some]
            found = self._backward.rows(asked)
            csls = 2 * self._backward.scores(asked) - self.source_density[found]
            here = found == rows[some, None]
            own = np.where(here, csls, -np.inf).max(axis=1)
            ahead = (csls > own[:, None]).sum(axis=1)
            places[some] = np.where(here.any(axis=1), ahead, found.shape[1])
            first[some] = csls.max(axis=1) - self.target_density[asked]
        return places, first


def _density(nearest: NearestWords, words: int) -> np.ndarray:
    """The mean cosine of each word to its nearest words."""
    found = nearest.scores(np.arange(words))[:, :NEIGHBOURS]
    return np.asarray(found.mean(axis=1, dtype=np.float64))


def _equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and np.allclose(one, other, atol=1e-8)


def mapped(matrix: np.ndarray, learned: np.ndarray | None) -> np.ndarray:
    """Multiply rows by a matrix (None: the identity) and scale them to unit length."""
    if learned is None:
        return unit_rows(matrix)
    with single_threaded_products():  # so that the number of threads does not change a ranking
        return unit_rows(matrix @ learned.astype(np.float32))
