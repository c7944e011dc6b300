"""Search with penalties that are known from below only, so that scores are known from above."""

from __future__ import annotations

import numpy as np

from lexalign.arrays import Array
from lexalign.retrieval.penalties import Penalty
from lexalign.retrieval.search import Neighbours, similarities, top_k

SPARE_CANDIDATES = 16


def settled_top_k(
    queries: Array, keys: Array, k: int, costs: Penalty, *, at_once: int | None = None
) -> Neighbours:
    """The k best keys of every query, exactly, although some penalties are bounds.

    Of the candidates that bounds put first, the best ``at_once`` are made exact at a time, all of
    them by default: fewer of them are fewer penalties in more rounds. A query is settled when the
    bound of its last candidate does not exceed its k-th exact score; otherwise it is given more
    candidates. ``costs`` may be those of a longer list of keys that begins with ``keys``.
    """
    count, total = int(queries.shape[0]), int(keys.shape[0])
    best = Neighbours(np.empty((count, k)), np.empty((count, k), dtype=np.int64))
    unsettled, wanted = np.arange(count), min(k + SPARE_CANDIDATES, total)
    while len(unsettled):
        bounds = top_k(queries[unsettled], keys, wanted, costs.values[:total])
        similar = similarities(queries[unsettled], keys, bounds.indices)
        indices, scores = _resolved(bounds.indices, similar, costs, max(k, at_once or wanted))
        best.scores[unsettled], best.indices[unsettled] = scores[:, :k], indices[:, :k]
        doubtful = bounds.scores[:, -1] > best.scores[unsettled, -1]
        unsettled = unsettled[doubtful & (wanted < total)]
        wanted = min(4 * wanted, total)
    return best


def _resolved(
    indices: np.ndarray, similar: np.ndarray, costs: Penalty, at_once: int
) -> tuple[np.ndarray, np.ndarray]:
    """The candidates in order, when the penalties of the first ``at_once`` are exact."""
    while True:
        scores = similar - costs.values[indices]
        order = np.lexsort((indices, -scores))
        first = np.take_along_axis(indices, order[:, :at_once], 1)
        unknown = np.unique(first[~costs.known[first]])
        if not len(unknown):
            return np.take_along_axis(indices, order, 1), np.take_along_axis(scores, order, 1)
        costs.resolve(unknown)
