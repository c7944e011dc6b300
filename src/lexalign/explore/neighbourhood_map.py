"""The surroundings of a word on a plane, drawn so that the refinement can be watched.

The points are the word, its nearest words of its own language, and those of the other language at
both ends of the path. The axes are the first two principal components of these points at both ends.
They stay fixed along the path, so that only the space moves, not the view.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexalign.explore.space import OTHER, Space

SMALLEST = 1e-9


class Point(NamedTuple):
    """A word on the plane: where it is, and where at either end of the path, from −1 to 1."""

    side: str
    row: int
    here: tuple[float, float]
    start: tuple[float, float]
    end: tuple[float, float]


class NeighbourhoodMap(NamedTuple):
    """The points, the word asked for first, and the share of the variance that each axis shows."""

    points: tuple[Point, ...]
    explained: tuple[float, float]


def neighbourhood_map(space: Space, side: str, row: int, stop: int, k: int) -> NeighbourhoodMap:
    """Draw a word with at most ``k`` neighbours of each language."""
    other, last = OTHER[side], len(space.path) - 1
    own = [row, *space.kin(side, row, k).rows.tolist()]
    ends = [space.survey(side, row, end, k).nearest for end in dict.fromkeys((0, last))]
    across = _first_of_all([end.rows.tolist() for end in ends], k)
    here, start, end = (_placed(space, side, own, across, at) for at in (stop, 0, last))
    both = np.concatenate((start, end))
    centre = both.mean(axis=0)
    axes, explained = _principal_axes(both - centre)
    scale = max(float(np.abs((both - centre) @ axes).max()), SMALLEST)
    planes = [((points - centre) @ axes / scale).tolist() for points in (here, start, end)]
    names = [(side, place) for place in own] + [(other, place) for place in across]
    points = tuple(
        Point(*name, *((x, y) for x, y in places))
        for name, *places in zip(names, *planes, strict=True)
    )
    return NeighbourhoodMap(points, explained)


def _placed(space: Space, side: str, own: list[int], across: list[int], stop: int) -> np.ndarray:
    words = space.placed(side, np.array(own), stop)
    others = space.placed(OTHER[side], np.array(across), stop)
    return np.concatenate((words, others)).astype(np.float64)


def _first_of_all(lists: list[list[int]], k: int) -> list[int]:
    """The first of every list, then the second and so on, each once, k in all."""
    merged = dict.fromkeys(row for rows in zip(*lists, strict=True) for row in rows)
    return list(merged)[:k]


def _principal_axes(centred: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """The two directions of largest variance, (d, 2), each with its largest entry positive."""
    _, strengths, directions = np.linalg.svd(centred, full_matrices=False)
    count = min(2, len(strengths))
    found = directions[:count].T
    axes, variance = np.zeros((centred.shape[1], 2)), np.zeros(2)
    largest = found[np.abs(found).argmax(axis=0), np.arange(count)]
    axes[:, :count] = found * np.where(largest < 0, -1.0, 1.0)
    variance[:count] = strengths[:count] ** 2
    shares = variance / max(float((strengths**2).sum()), SMALLEST)
    return axes, (float(shares[0]), float(shares[1]))
