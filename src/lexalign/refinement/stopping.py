"""Where on the way of a refinement to stop, told without a dictionary.

The pairs that a rotation is fitted to come ever closer, up to the minimum, whether or not other
words do. So other words are asked: rarer ones, beyond the ranks in which pairs are sought, of which
the fit has seen none. Each chooses a translation among the rare words of the other language, by
CSLS and by cosine, and what counts is how often two choose each other. With dᵢ in −2 … 2 by how
many of its two choices word i has more mutual ones than in the input, a point is better if

    Σ dᵢ / √(Σ dᵢ²) ≥ 2,

that is by twice what chance would do to so many changes. Of the points that are better the farthest
is taken, and if there is none, the input. Points of later rounds are compared with the input too.
Like the shares of the path, none of this depends on the length of the vectors or on the number of
pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.errors import LexalignError
from lexalign.procrustes import Stop
from lexalign.progress import Advance
from lexalign.retrieval.search import candidates
from lexalign.spaces.arrays import Array, like, namespace, to_numpy

JUDGES = 5000
"""So many rare words of either side are asked."""

FEWEST_JUDGES = 100
CERTAIN = 2.0


@dataclass(frozen=True)
class Judged:
    """A point of the way, and what rare words say of it.

    ``mutual`` is the share of mutual choices, ``certainty`` how many times as much as by chance it
    is above that of the input.
    """

    share: float
    rotation: np.ndarray
    mutual: float
    certainty: float

    def as_dict(self) -> dict[str, Any]:
        """The figures, JSON-ready."""
        return {"share": self.share, "mutual": self.mutual, "certainty": self.certainty}


def frequent(source: Array, target: Array, max_rank: int) -> int:
    """How many words may be fitted to: of small vocabularies the last third is left to judge."""
    words = min(int(source.shape[0]), int(target.shape[0]))
    if words < 3 * FEWEST_JUDGES:
        raise LexalignError(
            f"The horizon 'auto' asks a third of the words, {FEWEST_JUDGES} at least, and one side "
            f"has {words} words in all; give more words, or a number as the horizon."
        )
    return min(max_rank, 2 * words // 3)


class Judges:
    """Rare words of two languages, and whom they choose in the input.

    ``source`` (n, d) and ``target`` (m, d) are that input, most frequent words first. Only words
    before the row ``first`` may be fitted to.
    """

    def __init__(self, source: Array, target: Array, first: int, neighbours: int = 10) -> None:
        self._rare = slice(first, first + JUDGES)
        self._target, self._neighbours = target[self._rare], neighbours
        self._before = self._choices(source[self._rare])

    def __len__(self) -> int:
        """How many source words are asked."""
        return int(self._before.shape[1])

    def judge(
        self, source: Array, stops: Iterable[Stop], advance: Advance = lambda steps: None
    ) -> tuple[Judged, ...]:
        """What they say of the ``stops`` of a way that starts at the ``source``, (n, d).

        In a later round the source is not the input, and the first stop may be better already.
        """
        points = list[Judged]()
        for stop in stops:
            moved = source[self._rare] @ like(stop.rotation.astype(np.float32), source)
            after = self._choices(moved)
            certainty = _certainty(self._before, after)
            points.append(Judged(stop.share, stop.rotation, float(after.mean()), certainty))
            advance(1)
        return tuple(points)

    def _choices(self, source: Array) -> np.ndarray:
        return mutual_choices(source, self._target, self._neighbours)


def farthest(points: tuple[Judged, ...]) -> int:
    """The number of the last point that is better with certainty; 0, the input, if none is."""
    better = [number for number, point in enumerate(points) if point.certainty >= CERTAIN]
    return max(better, default=0)


def mutual_choices(source: Array, target: Array, neighbours: int) -> np.ndarray:
    """Whether each source word and its best target choose each other, (2, n): by CSLS, by cosine.

    Cosine if the rows have one length; of raw vectors it is the inner product. A word whose vector
    is zero chooses nothing.
    """
    k = min(neighbours, int(source.shape[0]), int(target.shape[0]))
    (of_source, nearest), (of_target, nearest_back) = (
        candidates(*sides, k) for sides in ((source, target), (target, source))
    )
    by_csls = candidates(source, target, 1, 0.5 * of_target.mean(1))[1]
    by_csls_back = candidates(target, source, 1, 0.5 * of_source.mean(1))[1]
    known = to_numpy(namespace(source).any(source != 0, axis=1))
    return np.stack(
        [
            known & _mutual(to_numpy(forward)[:, 0], to_numpy(backward)[:, 0])
            for forward, backward in ((by_csls, by_csls_back), (nearest, nearest_back))
        ]
    )


def _mutual(forward: np.ndarray, backward: np.ndarray) -> np.ndarray:
    return np.asarray(backward[forward] == np.arange(len(forward)))


def _certainty(before: np.ndarray, after: np.ndarray) -> float:
    more = after.sum(axis=0, dtype=int) - before.sum(axis=0, dtype=int)
    return float(more.sum() / math.sqrt(max(1, int((more**2).sum()))))
