"""Where on the way of a refinement to stop, told without a dictionary.

The pairs that a rotation is fitted to come ever closer, up to the minimum, whether or not other
words do. So other words are asked: rarer ones, beyond the ranks in which pairs are sought, of which
the fit has seen none. A point of the way is judged by how many of them choose each other,

    ½ (share of mutual choices by CSLS + share of mutual choices by cosine),

and compared with the input word by word: with g the choices that have become mutual and l those
that no longer are, a point counts as better only if

    (g − l) / √(g + l) ≥ 1,

that is by no less than chance would do to so many changes. Of the points that are better the one
with most mutual choices is taken, and if there is none, the input. Like the shares of the path,
none of this depends on the length of the vectors or on the number of pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.procrustes import Stop
from lexalign.progress import Advance
from lexalign.retrieval.search import candidates
from lexalign.spaces.arrays import Array, like, to_numpy

JUDGES = 5000
"""So many rare words of either side are asked."""

CERTAIN = 1.0


@dataclass(frozen=True)
class Judged:
    """A point of the way, and what rare words say of it.

    ``mutual`` is the share of mutual choices, ``certainty`` by how many times what chance would do
    it is above that of the input.
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
    return min(max_rank, 2 * min(int(source.shape[0]), int(target.shape[0])) // 3)


def judged_path(
    source: Array,
    target: Array,
    stops: tuple[Stop, ...],
    *,
    first_judge: int,
    neighbours: int = 10,
    advance: Advance = lambda steps: None,
) -> tuple[Judged, ...]:
    """What rare words say of the ``stops``, of which the first is the input.

    ``source`` (n, d) and ``target`` (m, d) lie in one space, most frequent words first; the stops
    come from a fit to words before the row ``first_judge``.
    """
    rare = slice(first_judge, first_judge + JUDGES)
    points, before = list[Judged](), None
    for stop in stops:
        moved = source[rare] @ like(stop.rotation.astype(np.float32), source)
        choices = mutual_choices(moved, target[rare], neighbours)
        before = choices if before is None else before
        points.append(
            Judged(stop.share, stop.rotation, float(choices.mean()), _certainty(before, choices))
        )
        advance(1)
    return tuple(points)


def best(points: tuple[Judged, ...]) -> int:
    """The number of the point to take; 0, the input, if none is better by more than chance."""
    better = [number for number, point in enumerate(points) if point.certainty >= CERTAIN]
    return max(better, key=lambda number: points[number].mutual, default=0)


def mutual_choices(source: Array, target: Array, neighbours: int) -> np.ndarray:
    """Whether each source word and its best target choose each other, (2, n): by CSLS, by cosine.

    Cosine if the rows have one length; of raw vectors it is the inner product.
    """
    k = min(neighbours, int(source.shape[0]), int(target.shape[0]))
    (of_source, nearest), (of_target, nearest_back) = (
        candidates(*sides, k) for sides in ((source, target), (target, source))
    )
    by_csls = candidates(source, target, 1, 0.5 * of_target.mean(1))[1]
    by_csls_back = candidates(target, source, 1, 0.5 * of_source.mean(1))[1]
    return np.stack(
        [
            _mutual(to_numpy(forward)[:, 0], to_numpy(backward)[:, 0])
            for forward, backward in ((by_csls, by_csls_back), (nearest, nearest_back))
        ]
    )


def _mutual(forward: np.ndarray, backward: np.ndarray) -> np.ndarray:
    return np.asarray(backward[forward] == np.arange(len(forward)))


def _certainty(before: np.ndarray, after: np.ndarray) -> float:
    gained, lost = int((after & ~before).sum()), int((before & ~after).sum())
    return (gained - lost) / math.sqrt(max(1, gained + lost))
