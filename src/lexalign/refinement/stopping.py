"""Where on the way of a refinement to stop, told without a dictionary.

The pairs that a rotation is fitted to come ever closer, up to the minimum, whether or not other
words do. So other words are asked, of which the fit has seen none. Each chooses a translation among
the words asked of the other language, by CSLS and by cosine.

Words *spelled alike* in both languages, such as names, mostly are translations of each other, and a
choice is good if it is the word itself. Where there are too few of them, *rarer words* are asked,
and a choice is good if it is mutual. With dᵢ by how many good choices word i takes part in more
than in the input, a point of the way is better if

    Σ dᵢ / √(Σ dᵢ²) ≥ 3,

that is by three times what chance would do to so many changes, of the choices by CSLS and of those
by cosine: what helps the one may harm the other. Of the points that are better the one with most
good choices is taken, and if there is none, the input. Points of later rounds are compared with the
input too. Like the shares of the path, none of this depends on the length of the vectors or on the
number of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.arrays import Array, like, namespace, to_device, to_numpy
from lexalign.errors import LexalignError
from lexalign.procrustes import PathPoint
from lexalign.progress import Advance
from lexalign.retrieval.search import candidates
from lexalign.vectors import Embeddings

MOST_JUDGES = 5000
"""So many words of either side are asked at most."""

FEWEST_ALIKE = 500
"""With fewer words that are spelled alike, rarer words are asked."""

FEWEST_JUDGES = 100
CLEARLY = 3.0


@dataclass(frozen=True)
class PointScore:
    """A point of the way, and what the words asked say of it.

    ``good`` is the share of good choices, ``certainty`` by how many times as much as by chance
    there are more of them than in the input, by CSLS or by cosine, whichever is less.
    """

    share: float
    rotation: np.ndarray
    good: float
    certainty: float

    def as_dict(self) -> dict[str, Any]:
        """The figures, JSON-ready."""
        return {"share": self.share, "good": self.good, "certainty": self.certainty}


def frequent(source: Sized, target: Sized, max_rank: int) -> int:
    """How many words may be fitted to: of small vocabularies the last third is left to judge."""
    words = min(len(source), len(target))
    if words < 3 * FEWEST_JUDGES:
        raise LexalignError(
            f"Refinement that stops by itself (the horizon 'auto', the default) needs "
            f"{3 * FEWEST_JUDGES} words of either side, and one has {words}; give more words, or a "
            "number as the horizon, such as the paper's 5e-3."
        )
    return min(max_rank, 2 * words // 3)


class HeldOutWords:
    """Words that are not fitted to, and their choices in the input.

    ``source`` and ``target`` are that input, most frequent words first. Pairs are fitted to words
    before the row ``first`` alone, so that words of which one side lies beyond are in none.
    """

    def __init__(
        self,
        source: Embeddings,
        target: Embeddings,
        first: int,
        *,
        neighbours: int = 10,
        device: str = "cpu",
    ) -> None:
        rows = _spelled_alike(source, target, first)
        self.spelled_alike = len(rows[0]) >= FEWEST_ALIKE
        if not self.spelled_alike:
            beyond = slice(first, first + MOST_JUDGES)
            rows = np.arange(len(source))[beyond], np.arange(len(target))[beyond]
        self._rows, self._neighbours = rows[0], neighbours
        self._target = to_device(target.matrix[rows[1]], device)
        self._before = self._good_choices(to_device(source.matrix[rows[0]], device))

    def __len__(self) -> int:
        """How many words of either side are asked, of the side that has fewer."""
        return min(len(self._rows), len(self._target))

    def judge(
        self, source: Array, stops: Iterable[PathPoint], advance: Advance = lambda steps: None
    ) -> tuple[PointScore, ...]:
        """What they say of the ``stops`` of a way that starts at the ``source``, (n, d).

        In a later round the source is not the input, and the first stop may be better already.
        """
        asked, points = source[like(self._rows, source)], list[PointScore]()
        for stop in stops:
            after = self._good_choices(asked @ like(stop.rotation.astype(np.float32), source))
            certainty = _certainty(self._before, after)
            points.append(PointScore(stop.share, stop.rotation, float(after.mean()), certainty))
            advance(1)
        return tuple(points)

    def _good_choices(self, source: Array) -> np.ndarray:
        """Whether the choices are good, (2, ways, n): by CSLS and by cosine."""
        chosen = choices(source, self._target, self._neighbours)
        own = np.arange(len(source))
        if self.spelled_alike:
            good = np.array([[way == own for way in both_ways] for both_ways in chosen])
        else:
            good = np.array([[backward[forward] == own] for forward, backward in chosen])
        known = to_numpy(namespace(source).any(source != 0, axis=1))
        return np.asarray(good & known)


def best(points: tuple[PointScore, ...]) -> int:
    """The number of the best point that is clearly better than the input; 0 if none is.

    In a later round 0, which is its start, may be the best itself.
    """
    better = [number for number, point in enumerate(points) if point.certainty >= CLEARLY]
    return max([0, *better], key=lambda number: points[number].good)


def choices(
    source: Array, target: Array, neighbours: int
) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """The best target of every source word, and the other way round: by CSLS, then by cosine.

    Cosine if the rows have one length; of raw vectors it is the inner product.
    """
    k = min(neighbours, len(source), len(target))
    (of_source, nearest), (of_target, nearest_back) = (
        candidates(*sides, k) for sides in ((source, target), (target, source))
    )
    by_csls = candidates(source, target, 1, 0.5 * of_target.mean(1))[1]
    by_csls_back = candidates(target, source, 1, 0.5 * of_source.mean(1))[1]
    return (
        (to_numpy(by_csls)[:, 0], to_numpy(by_csls_back)[:, 0]),
        (to_numpy(nearest)[:, 0], to_numpy(nearest_back)[:, 0]),
    )


def _spelled_alike(
    source: Embeddings, target: Embeddings, first: int
) -> tuple[np.ndarray, np.ndarray]:
    """The rows, (n,) of either side, of words of both that lie beyond ``first`` in one at least.

    Those that are most frequent where they are rarer come first: a word that is frequent in one
    language and very rare in the other tends to be a foreign one there.
    """
    shared = [(row, target.index[word]) for row, word in enumerate(source.words) if word in target]
    beyond = sorted((pair for pair in shared if max(pair) >= first), key=max)
    rows = np.array(beyond[:MOST_JUDGES], dtype=np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def _certainty(before: np.ndarray, after: np.ndarray) -> float:
    more = after.sum(axis=1, dtype=int) - before.sum(axis=1, dtype=int)
    return float((more.sum(axis=1) / np.sqrt(np.maximum(1, (more**2).sum(axis=1)))).min())
