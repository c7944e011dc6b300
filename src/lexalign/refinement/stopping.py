"""Where on the way of a refinement to stop, told without a dictionary.

The pairs that a rotation is fitted to come ever closer, up to the minimum, whether or not other
words do. So other words are asked: rarer ones, beyond the ranks in which pairs are sought, of which
the fit has seen none. A point of the way is judged by how many of them choose each other,

    ½ (share of mutual choices by CSLS + share of mutual choices by cosine),

and compared with the input word by word. With dᵢ in −2 … 2 by how many of its two choices word i
has more mutual ones than before, a point counts as better if

    Σ dᵢ / √(Σ dᵢ²) ≥ 2,

that is by twice what chance would do to so many changes. Of the points that are better the one with
most mutual choices is taken, and if there is none, the input. Like the shares of the path, none of
this depends on the length of the vectors or on the number of pairs.
"""

from __future__ import annotations

import math
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
    """The number of the point to take; 0, the input, if none is better with certainty."""
    better = [number for number, point in enumerate(points) if point.certainty >= CERTAIN]
    return max(better, key=lambda number: points[number].mutual, default=0)


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
