"""The views of a ranking: fitted to the seeds, to a larger dictionary, and the chosen method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lexalign.aligners.pairs import Pairs
from lexalign.aligners.symmetric_maps import symmetric_maps
from lexalign.arrays import to_device
from lexalign.induction.view import ViewMaps, mapped
from lexalign.retrieval import mutual_pairs

ENOUGH_FOR_WHITENING = 4
"""Minimum number of pairs per dimension for whitening maps to beat a rotation."""

VOCABULARY = 20_000
MOST_PAIRS = 10_000
REWEIGHT = 0.5


@dataclass(frozen=True)
class FittedViews:
    """The maps of each view, and the dictionary grown from the seeds, (n, 2) rows."""

    maps: tuple[ViewMaps, ...]
    pairs: np.ndarray


def with_chosen(
    fitted: Sequence[FittedViews], chosen: Sequence[ViewMaps | None]
) -> tuple[FittedViews, ...]:
    """Add the maps of the chosen method as the last view of each fit; None adds nothing.

    A view that equals the chosen method in all fits is left out. A view that equals it only in some
    fits stays, because a ranker needs the same number of views in all fits.
    """
    both = [(views, last) for views, last in zip(fitted, chosen, strict=True) if last is not None]
    if len(both) < len(fitted):
        return tuple(fitted)
    kept = [
        number
        for number in range(len(fitted[0].maps))
        if not all(views.maps[number].equals(last) for views, last in both)
    ]
    return tuple(
        replace(views, maps=(*(views.maps[number] for number in kept), last))
        for views, last in both
    )


def fitted_views(
    source: np.ndarray, target: np.ndarray, seeds: np.ndarray, device: str = "cpu"
) -> FittedViews:
    """Fit all views to the seeds, (n, 2) rows of normalised vectors (n, d) and (m, d).

    The first view has the whitening and re-weighting maps of VecMap, or a rotation if there are too
    few seeds for whitening. The second view is fitted in the same way to the seeds and the mutual
    nearest neighbours in the first view, frequent words first, as in Proc-B.
    """
    first = _fitted(source, target, seeds)
    frequent = [
        to_device(mapped(side[:VOCABULARY], map_), device)
        for side, map_ in ((source, first.source), (target, first.target))
    ]
    found = mutual_pairs(*frequent, retrieval="nn", max_rank=VOCABULARY).pairs
    found = found[np.argsort(found.sum(axis=1), kind="stable")][:MOST_PAIRS]
    grown = np.unique(np.vstack((seeds, found)), axis=0)
    return FittedViews((first, _fitted(source, target, grown)), grown)


def _fitted(source: np.ndarray, target: np.ndarray, pairs: np.ndarray) -> ViewMaps:
    """Whitening maps, or a rotation if there are too few pairs for them."""
    if len(pairs) < ENOUGH_FOR_WHITENING * source.shape[1]:
        return ViewMaps(Pairs(pairs).rotation(source, target), None)
    return ViewMaps(*symmetric_maps(source, target, Pairs(pairs), REWEIGHT))
