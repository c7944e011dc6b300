"""Typical figures of the health check for good and for failed alignments.

Good are the rotations fitted to the MUSE dictionaries of six real language pairs. Failed are random
rotations of the same pairs after 20 rounds of induced pairs. ``benchmarks/health.py`` measures
both. The gaps of singular values and eigenvalues do not depend on the map, so that they have the
same range for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lexalign.aligners.health import MANY_DIMENSIONS

Range = tuple[float, float]


class TypicalRange(NamedTuple):
    """The lowest and highest value of a figure for good and for failed alignments."""

    good: Range
    failed: Range


_IN_300_DIMENSIONS = {
    "found_again": TypicalRange((0.67, 0.85), (0.10, 0.19)),
    "mutual": TypicalRange((0.35, 0.64), (0.43, 0.55)),
    "mean_csls": TypicalRange((0.11, 0.19), (0.08, 0.11)),
    "mean_cosine": TypicalRange((0.49, 0.59), (0.41, 0.45)),
    "hubness": TypicalRange((1.9, 5.1), (2.6, 8.7)),
    "singular_value_gap": TypicalRange((0.1, 9.0), (0.1, 9.0)),
    "eigenvalue_gap": TypicalRange((350, 2830), (350, 2830)),
    "identical": TypicalRange((0.19, 0.63), (0.0, 0.0)),
}
_IN_50_DIMENSIONS = {
    "found_again": TypicalRange((0.39, 0.85), (0.19, 0.27)),
    "mutual": TypicalRange((0.34, 0.63), (0.33, 0.42)),
    "mean_csls": TypicalRange((0.07, 0.18), (0.06, 0.07)),
    "mean_cosine": TypicalRange((0.66, 0.81), (0.62, 0.68)),
    "hubness": TypicalRange((1.3, 4.2), (2.5, 4.9)),
    "singular_value_gap": TypicalRange((0.03, 0.99), (0.03, 0.99)),
    "eigenvalue_gap": TypicalRange((122, 1960), (122, 1960)),
    "identical": TypicalRange((0.14, 0.49), (0.0, 0.0)),
}


def health_scale(dimension: int) -> Mapping[str, TypicalRange]:
    """Return the typical ranges of the figures of ``Health`` by name.

    Parameters
    ----------
    dimension : int
        The dimension of the vectors. From 200 on, the ranges are those of 300 dimensions; below,
        those of 50.

    Examples
    --------
    >>> health_scale(300)["found_again"].good
    (0.67, 0.85)
    """
    return _IN_300_DIMENSIONS if dimension >= MANY_DIMENSIONS else _IN_50_DIMENSIONS
