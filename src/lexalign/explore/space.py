"""The two languages in one space, with the path of the refinement: what every answer is made of.

Neither the source nor the target is ever mapped as a whole. The source at a stop of the path is SR.
So a word s of the source is searched among the targets as sR. A word y of the target is searched
among the sources as yRᵀ, since (SR)yᵀ = S(yRᵀ)ᵀ.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lexalign.explore.neighbourhoods import Neighbourhoods, neighbours_of
from lexalign.explore.run_ranking import RunRanking
from lexalign.procrustes.path import RefinementPath
from lexalign.retrieval.memory_mapped import (
    RankedWords,
    by_cosine,
    cosines_of,
    front,
    mean_of_nearest,
    products,
)
from lexalign.vectors import Embeddings

OTHER = {"source": "target", "target": "source"}
DEPTHS = (10, 100)
"""Numbers of words in a search; a request gets the first of them, and the search is kept."""

SPARE_CANDIDATES = 6
REMEMBERED = 512


class Survey(NamedTuple):
    """What one look from a word at all words of the other language finds.

    ``nearest`` are ordered by cosine and ``translations`` by CSLS, or None as long as it cannot be
    computed.
    """

    nearest: RankedWords
    translations: RankedWords | None

    def first(self, count: int) -> Survey:
        """The best of either list."""
        translations = None if self.translations is None else self.translations.first(count)
        return Survey(self.nearest.first(count), translations)


class Space:
    """Two languages, the path between their ends, and what CSLS needs, if that is known yet.

    ``source`` and ``target`` have unit length. Surveys are remembered, for a page asks for the
    same word several times. ``ranking`` is the learned ranking of the run, if it has one and that
    is loaded.
    """

    def __init__(
        self,
        source: Embeddings,
        target: Embeddings,
        path: RefinementPath,
        neighbourhoods: Neighbourhoods | None = None,
        ranking: RunRanking | None = None,
    ) -> None:
        self.sides = {"source": source, "target": target}
        self.path, self.neighbourhoods, self.ranking = path, neighbourhoods, ranking
        self.neighbours = neighbours_of(source, target)
        self._surveys = lru_cache(maxsize=REMEMBERED)(self._survey)
        self._kins = lru_cache(maxsize=REMEMBERED)(self._kin)

    @property
    def scoring(self) -> str:
        """What translations are ordered by, unless a learned ranking orders them."""
        return "cosine" if self.neighbourhoods is None else "csls"

    def row(self, side: str, word: str) -> int | None:
        """The row of a word, None if it is unknown."""
        return self.sides[side].index.get(word)

    def seen(self, side: str, rows: np.ndarray, stop: int) -> np.ndarray:
        """Words of a side, (n, d), in the coordinates of the other side's vectors on disk."""
        rotation = self.path.rotations[stop]
        return np.asarray(
            self.sides[side].matrix[rows] @ (rotation if side == "source" else rotation.T)
        )

    def placed(self, side: str, rows: np.ndarray, stop: int) -> np.ndarray:
        """Words of a side, (n, d), in the shared space: the source moves, the target rests."""
        return self.seen(side, rows, stop) if side == "source" else self.sides[side].matrix[rows]

    def penalties(self, side: str, point: int) -> np.ndarray | None:
        """The CSLS penalties r/2 of all words of a side, float64; None as long as not known."""
        if self.neighbourhoods is None:
            return None
        around = self.neighbourhoods.estimate(side, self.path.shares[point])
        return 0.5 * around.astype(np.float64)

    def kin(self, side: str, row: int, count: int) -> RankedWords:
        """The nearest words of the same language, at most 100, which no rotation changes."""
        return self._kins(side, row, _depth(count)).first(count)

    def survey(self, side: str, row: int, stop: int, count: int) -> Survey:
        """The best words of the other language, at most 100, at a stop of the path."""
        return self._surveys(side, row, stop, _depth(count)).first(count)

    def scored(self, side: str, row: int, others: np.ndarray) -> RankedWords:
        """Some words of the other language with their scores, at the start of the path."""
        other = OTHER[side]
        vector = self.seen(side, np.array([row]), 0)[0]
        cosines = cosines_of(vector, self.sides[other].matrix, others)
        around = [self.penalties(which, 0) for which in (side, other)]
        if around[0] is None or around[1] is None:
            return RankedWords(others, cosines)
        return RankedWords(others, cosines, 2 * (cosines - around[0][row] - around[1][others]))

    def _kin(self, side: str, row: int, count: int) -> RankedWords:
        matrix = self.sides[side].matrix
        found = by_cosine(matrix[row], matrix, products(matrix, matrix[row]), count + 1)
        others = found.rows != row
        return RankedWords(found.rows[others], found.cosines[others]).first(count)

    def _survey(self, side: str, row: int, stop: int, count: int) -> Survey:
        other = OTHER[side]
        vector = self.seen(side, np.array([row]), stop)[0]
        matrix = self.sides[other].matrix
        rough = products(matrix, vector)
        nearest = by_cosine(vector, matrix, rough, max(count, self.neighbours))
        if self.neighbourhoods is None:
            return Survey(nearest.first(count), None)
        own = float(nearest.cosines[: self.neighbours].mean())
        position = self.path.shares[stop]
        penalties = self.neighbourhoods.estimate(other, position)
        between = 0 < stop < len(self.path) - 1
        rows = front(rough - 0.5 * penalties, count + (SPARE_CANDIDATES if between else 0))
        if between:
            seen = self.seen(other, rows, stop)
            around = mean_of_nearest(seen, self.sides[side].matrix, self.neighbours)
        else:
            around = penalties[rows].astype(np.float64)
        cosines = cosines_of(vector, matrix, rows)
        csls = 2 * cosines - own - around
        order = np.lexsort((rows, -csls))[:count]
        return Survey(nearest.first(count), RankedWords(rows[order], cosines[order], csls[order]))


def _depth(count: int) -> int:
    return next(depth for depth in DEPTHS if count <= depth)
