"""The map of the vocabulary: the most frequent words of both languages on a plane, kept in a file.

The vectors are drawn as the run wrote them. The drawing takes about a minute for 20,000 words, so
the preparation makes it once and keeps it in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lexalign.explore.cached_array import load_array, save_array
from lexalign.explore.vocabulary_projection import METHODS, planned_method, project
from lexalign.spaces.linear_map import SIDES
from lexalign.vectors import Embeddings

WORDS = 10_000
"""Words of each language on the map, the most frequent ones."""

EXTENT = 65_535
"""Coordinates are whole numbers from 0 to this, about a pixel at the largest zoom."""

SMALLEST = 1e-12


@dataclass(frozen=True)
class VocabularyMap:
    """Points of both languages.

    Parameters
    ----------
    method : str
        How they were drawn, one of ``vocabulary_projection.METHODS``.
    points : ndarray of uint16, shape (n + m, 2)
        The words of the source, then those of the target, from 0 to ``EXTENT``.
    words : mapping
        The n words of the source and the m words of the target, the most frequent first.
    """

    method: str
    points: np.ndarray
    words: dict[str, list[str]]


def find_vocabulary(
    source: Embeddings,
    target: Embeddings,
    cache: Path,
    *,
    report: Callable[[float], None] = lambda share: None,
    before_writing: Callable[[], None] = lambda: None,
) -> VocabularyMap:
    """Draw the map unless ``cache`` holds it, and ``report`` the share that is done.

    ``before_writing`` may raise an error to say that it must not be kept.
    """
    known = known_vocabulary(source, target, cache)
    if known is not None:
        return known
    one, other = source.matrix[:WORDS], target.matrix[:WORDS]
    method = planned_method(one, other)
    points = _fitted(project(one, other, method, report))
    before_writing()
    save_array(points, _file(cache, method))
    return VocabularyMap(method, points, _words(source, target))


def known_vocabulary(source: Embeddings, target: Embeddings, cache: Path) -> VocabularyMap | None:
    """The map that was drawn before, None if there is none or this installation draws a better one.

    Raises
    ------
    InputError
        If its file is damaged.
    """
    planned = planned_method(source.matrix[:WORDS], target.matrix[:WORDS])
    for method in METHODS[: METHODS.index(planned) + 1]:
        if _file(cache, method).is_file():
            words = _words(source, target)
            shape = (sum(map(len, words.values())), 2)
            what = f"a map of {shape[0]} words"
            points = load_array(_file(cache, method), np.uint16, shape, what)
            return VocabularyMap(method, points, words)
    return None


def _words(source: Embeddings, target: Embeddings) -> dict[str, list[str]]:
    return {
        side: list(words.words[:WORDS]) for side, words in zip(SIDES, (source, target), strict=True)
    }


def _fitted(points: np.ndarray) -> np.ndarray:
    """The points in the middle of a square of whole numbers, in their proportions."""
    low, high = points.min(axis=0), points.max(axis=0)
    scale = EXTENT / max(float((high - low).max()), SMALLEST)
    placed = (points - (low + high) / 2) * scale + EXTENT / 2
    return np.asarray(np.clip(np.rint(placed), 0, EXTENT), dtype=np.uint16)


def _file(cache: Path, method: str) -> Path:
    return cache / f"vocabulary.{method}.npy"
