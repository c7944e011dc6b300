"""Choose the stopping point of a refinement by held-out words.

The fitted pairs come closer up to the minimum of the loss, even if other words do not. So held-out
words, which take no part in the fit, choose the stopping point. Each held-out word selects a
translation among the held-out words of the other language, once by CSLS and once by cosine.

Identical words of both languages, such as names, are mostly translations of each other. If there
are enough of them, they are the held-out words, and a selection is correct if it is the word
itself. Otherwise the held-out words are rarer words, and a selection is correct if it is mutual.
The held-out accuracy of a point is the share of correct selections.

Let dᵢ be the number of correct selections of word i at a point, minus that in the input. The
z-score of the point is

    z = Σ dᵢ / √(Σ dᵢ²).

It is computed for CSLS and for cosine, and the smaller one counts, because a gain in one can be a
loss in the other. The stopping point is the point with the highest held-out accuracy among those
with z ≥ 3. If there is none, the input is kept. Points of later rounds are compared with the input,
too. The result does not depend on the length of the vectors or on the number of pairs.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from lexalign.arrays import Array, like, namespace, to_device, to_numpy
from lexalign.errors import LexalignError
from lexalign.procrustes import RefinementPath
from lexalign.progress import Advance, unseen
from lexalign.retrieval.search import candidates
from lexalign.vectors import Embeddings

MAX_HELD_OUT_WORDS = 5000
"""Maximum number of held-out words per side."""

MIN_SPELLED_ALIKE = 500
"""Minimum number of identical words; with fewer, rarer words are held out."""

MIN_HELD_OUT_WORDS = 100
"""Minimum number of held-out words per side."""

REQUIRED_Z = 3.0
"""Minimum z-score of a stopping point."""


class Decision(Enum):
    """The stopping point of a round, as a sentence."""

    CHOSEN = "Refinement stopped at the point with the most right choices of held-out words."
    UNCHANGED = (
        "No point of the path is clearly better than the input on held-out words. The output is "
        "the input, normalised."
    )
    KEPT = "No further point is better for held-out words: the previous round was the last."


@dataclass(frozen=True)
class PointScore:
    """A point of a path with its held-out accuracy and its z-score against the input."""

    share: float
    rotation: np.ndarray
    accuracy: float
    z: float

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in JSON types."""
        return {"share": self.share, "accuracy": self.accuracy, "z": self.z}


def fitted_words(source: Sized, target: Sized, max_rank: int) -> int:
    """Return the number of words for the fit: at most two thirds; a third is held out."""
    words = min(len(source), len(target))
    if words < 3 * MIN_HELD_OUT_WORDS:
        raise LexalignError(
            f"The horizon 'auto' needs {3 * MIN_HELD_OUT_WORDS} words per side, but one side has "
            f"{words}; give more words, or a number as the horizon, such as the paper's 5e-3."
        )
    return min(max_rank, 2 * words // 3)


class HeldOutWords:
    """Words that take no part in the fit, with their selections in the input.

    ``source`` and ``target`` are the input, most frequent words first. Both words of a fitted pair
    lie before the row ``first``. A held-out word lies at or after it on at least one side.
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
        self.spelled_alike = len(rows[0]) >= MIN_SPELLED_ALIKE
        if not self.spelled_alike:
            beyond = slice(first, first + MAX_HELD_OUT_WORDS)
            rows = np.arange(len(source))[beyond], np.arange(len(target))[beyond]
        self._rows, self._neighbours = rows[0], neighbours
        self._target = to_device(target.matrix[rows[1]], device)
        self._before = self._correct(to_device(source.matrix[rows[0]], device))

    def __len__(self) -> int:
        """Return the number of held-out words of the smaller side."""
        return min(len(self._rows), len(self._target))

    def score(
        self, source: Array, path: RefinementPath, advance: Advance = unseen
    ) -> tuple[PointScore, ...]:
        """Score the points of a path that starts at ``source``, shape (n, d).

        In a later round the source is not the input, so the first point may have a high z-score.
        """
        held_out, scores = source[like(self._rows, source)], list[PointScore]()
        for share, rotation in path:
            after = self._correct(held_out @ like(rotation.astype(np.float32), source))
            z = _z_score(self._before, after)
            scores.append(PointScore(share, rotation, float(after.mean()), z))
            advance(1)
        return tuple(scores)

    def _correct(self, source: Array) -> np.ndarray:
        """Return whether each selection is correct, (2, directions, n): by CSLS and by cosine."""
        selected = selections(source, self._target, self._neighbours)
        own = np.arange(len(source))
        if self.spelled_alike:
            correct = np.array([[rows == own for rows in directions] for directions in selected])
        else:
            correct = np.array([[backward[forward] == own] for forward, backward in selected])
        known = to_numpy(namespace(source).any(source != 0, axis=1))
        return np.asarray(correct & known)


def stopping_point(scores: tuple[PointScore, ...]) -> int:
    """Return the number of the point with the highest held-out accuracy and z ≥ 3; 0 if none.

    Point 0 is the start of the round; in a later round, it can have the highest accuracy.
    """
    better = [number for number, point in enumerate(scores) if point.z >= REQUIRED_Z]
    return max([0, *better], key=lambda number: scores[number].accuracy)


def selections(
    source: Array, target: Array, neighbours: int
) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Return the best target of each source word and vice versa, by CSLS and by cosine.

    Cosine holds for vectors of unit length; for raw vectors it is the inner product.
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
    """Return the rows, (n,) per side, of identical words; at least one row is at or after
    ``first``.

    Words are sorted by their rank in the language where they are rarer. A word that is frequent in
    one language and very rare in the other is often a foreign word there.
    """
    shared = [(row, target.index[word]) for row, word in enumerate(source.words) if word in target]
    beyond = sorted((pair for pair in shared if max(pair) >= first), key=max)
    rows = np.array(beyond[:MAX_HELD_OUT_WORDS], dtype=np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def _z_score(before: np.ndarray, after: np.ndarray) -> float:
    more = after.sum(axis=1, dtype=int) - before.sum(axis=1, dtype=int)
    return float((more.sum(axis=1) / np.sqrt(np.maximum(1, (more**2).sum(axis=1)))).min())
