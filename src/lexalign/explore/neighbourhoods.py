"""The neighbourhood terms of CSLS for all words, at both ends of the path.

CSLS(x, y) = 2 cos(x, y) − r(x) − r(y), where r is the mean cosine of a word with its ten nearest of
the other language. Finding the r of all words takes as many products as there are pairs of words:
minutes for 200,000 a side, once. Between the ends they are interpolated, which only serves to
choose candidates; theirs are computed then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lexalign.arrays import blocks
from lexalign.explore.cached_array import load_array, save_array
from lexalign.procrustes.path import RefinementPath
from lexalign.retrieval import neighbourhood
from lexalign.vectors import Embeddings

NEIGHBOURS = 10
WORDS_AT_ONCE = 1024


@dataclass(frozen=True)
class Neighbourhoods:
    """r of every word, (ends, words) float32 a side; one end if the path has only that."""

    source: np.ndarray
    target: np.ndarray

    def estimate(self, side: str, position: float) -> np.ndarray:
        """R of all words of a side: exact at the ends, a straight line between them."""
        ends = self.source if side == "source" else self.target
        if len(ends) == 1 or position == 0.0:
            return np.asarray(ends[0])
        if position == 1.0:
            return np.asarray(ends[1])
        share = np.float32(position)
        return np.asarray((1 - share) * ends[0] + share * ends[1])


def neighbours_of(source: Embeddings, target: Embeddings) -> int:
    """The k of CSLS: ten, or fewer if there are not enough words."""
    return min(NEIGHBOURS, len(source), len(target))


def find_neighbourhoods(
    source: Embeddings,
    target: Embeddings,
    path: RefinementPath,
    cache: Path,
    *,
    report: Callable[[float], None] = lambda share: None,
    before_writing: Callable[[], None] = lambda: None,
) -> Neighbourhoods:
    """Compute what ``cache`` does not hold yet, and ``report`` the share that is done.

    ``before_writing`` may raise an error to say that it must not be kept.
    """
    k = neighbours_of(source, target)
    ends = path.rotations[[0, -1]] if len(path) > 1 else path.rotations
    whole, done = len(ends) * (len(source) + len(target)), 0
    found: dict[str, list[np.ndarray]] = {"source": [], "target": []}
    for end, rotation in enumerate(ends):
        for side, points, others, turn in (
            ("source", source.matrix, target.matrix, rotation),
            ("target", target.matrix, source.matrix, rotation.T),
        ):
            file = _file(cache, side, end)
            if not file.is_file():
                values = np.empty(len(points), dtype=np.float32)
                for rows in blocks(len(points), WORDS_AT_ONCE):
                    values[rows] = neighbourhood(points[rows] @ turn, others, k)
                    report((done + rows.stop) / whole)
                before_writing()
                save_array(values, file)
            what = f"the neighbourhoods of {len(points)} words"
            found[side].append(load_array(file, np.float32, (len(points),), what))
            done += len(points)
            report(done / whole)
    return Neighbourhoods(np.stack(found["source"]), np.stack(found["target"]))


def known_neighbourhoods(
    source: Embeddings, target: Embeddings, path: RefinementPath, cache: Path
) -> Neighbourhoods | None:
    """What was computed before, None unless all of it was."""
    ends = range(2 if len(path) > 1 else 1)
    if not all(_file(cache, side, end).is_file() for side in ("source", "target") for end in ends):
        return None
    return find_neighbourhoods(source, target, path, cache)


def _file(cache: Path, side: str, end: int) -> Path:
    return cache / f"neighbourhood.{side}.{'end' if end else 'start'}.npy"
