"""Retrieval criteria as penalties: each ranks the keys y by x·y − penalty(y).

    nn          0                              plain nearest neighbour
    csls        r(y)/2                         cross-domain similarity local scaling
    invsoftmax  log Σₓ exp(β x·y) / β          inverted softmax

r(y) is the mean similarity of y to its k nearest queries. CSLS, 2x·y − r(x) − r(y), and the
logarithm of the inverted softmax, β x·y − log Σ, are ``factor`` times these scores up to a constant
of the query, so their order is the same.

Sources: Conneau et al. 2018 for CSLS; Smith et al. 2017 for the inverted softmax.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.arrays import Array, blocks, namespace, to_numpy
from lexalign.errors import LexalignError
from lexalign.parameters import Parameter, field_of, parameter
from lexalign.progress import Advance, unseen
from lexalign.retrieval.search import lengths_of, mean_similarity_bound, top_k
from lexalign.threads import product

RETRIEVALS = ("csls", "nn", "invsoftmax")
KEYS_AT_ONCE = 4096
BETA = Parameter(
    default=30.0,
    kind=float,
    at_least=0.1,
    at_most=10_000,
    help="Inverse temperature of the inverted softmax.",
)
"""Outside these bounds, single precision cannot distinguish scores."""


@dataclass
class Penalty:
    """The penalties of all keys; some can be lower bounds.

    ``values`` holds lower bounds where ``known`` is False, so that scores with them are upper
    bounds; ``resolve`` replaces bounds by the true values for the keys it is given.
    """

    values: np.ndarray
    known: np.ndarray
    factor: float
    compute: Callable[[np.ndarray], np.ndarray] | None = None

    def only(self, keys: np.ndarray) -> Penalty:
        """The penalties of these keys as they are now."""
        return Penalty(self.values[keys], self.known[keys], self.factor)

    def raise_to(self, keys: np.ndarray | slice, bounds: np.ndarray) -> None:
        """Replace the bounds of these keys where others are higher."""
        higher = np.maximum(self.values[keys], bounds)
        self.values[keys] = np.where(self.known[keys], self.values[keys], higher)

    def resolve(self, keys: np.ndarray) -> None:
        """Compute the exact penalties of these keys."""
        if self.compute is not None and len(keys):
            self.values[keys] = self.compute(keys)
        self.known[keys] = True


def neighbours_parameter() -> Any:
    """Declare the k of CSLS."""
    return parameter(10, at_least=1, help="Number of neighbours in CSLS.")


def beta_parameter() -> Any:
    """Declare the inverse temperature of the inverted softmax."""
    return field_of(BETA)


def retrieval_parameter(help: str) -> Any:
    """Declare the retrieval criterion."""
    return parameter("csls", choices=RETRIEVALS, help=help)


def neighbourhood(points: Array, others: Array, k: int, advance: Advance = unseen) -> np.ndarray:
    """r(y): the mean similarity of every point to its k nearest among the others, float64."""
    return np.asarray(top_k(points, others, k, None, advance).scores.mean(axis=1))


def log_partition(
    keys: Array, queries: Array, beta: float, advance: Advance = unseen
) -> np.ndarray:
    """The logarithm of Σₓ exp(β x·y) over all queries x for every key y."""
    xp, result = namespace(keys), np.empty(int(keys.shape[0]))
    for rows in blocks(len(result), KEYS_AT_ONCE):
        total, highest = None, None
        for columns in blocks(int(queries.shape[0]), KEYS_AT_ONCE):
            tile = beta * product(keys[rows], queries[columns].T)
            peak = xp.max(tile, axis=1)
            summed = xp.sum(xp.exp(tile - peak[:, None]), axis=1)
            if highest is None:
                highest, total = peak, summed
            else:
                new = xp.maximum(highest, peak)
                total = total * xp.exp(highest - new) + summed * xp.exp(peak - new)
                highest = new
        result[rows] = to_numpy(highest + xp.log(total))
        advance((rows.stop - rows.start) * int(queries.shape[0]))
    return result


def comparisons(
    retrieval: str, keys: int, queries: int, *, neighbours: int = 10, head: int | None = None
) -> int:
    """Return the initial number of comparisons of two words in ``penalty``."""
    some = min(head or queries, queries)
    if retrieval != "csls":
        return keys * some if retrieval == "invsoftmax" else 0
    exact = min(head or keys, keys)
    return exact * queries + (keys - exact) * min(max(neighbours, exact), queries)


def penalty(
    retrieval: str,
    keys: Array,
    queries: Array,
    *,
    neighbours: int = 10,
    beta: float = 30.0,
    head: int | None = None,
    advance: Advance = unseen,
) -> Penalty:
    """The penalties of ``keys`` against ``queries`` for a retrieval criterion.

    For CSLS, the neighbourhoods of the first ``head`` keys (by default all) are exact. For the
    other keys, the first ``head`` queries give lower bounds, which are resolved on demand. The
    inverted softmax sums over the first ``head`` queries. ``advance`` receives numbers of
    comparisons, ``comparisons`` in all.
    """
    count = int(keys.shape[0])
    if retrieval == "nn":
        return Penalty(np.zeros(count), np.ones(count, dtype=bool), factor=1.0)
    if retrieval == "invsoftmax":
        BETA.require("beta", beta, "the inverted softmax")
        some = queries[: head or int(queries.shape[0])]
        values = log_partition(keys, some, beta, advance) / beta
        return Penalty(values, np.ones(count, dtype=bool), factor=beta)
    if retrieval != "csls":
        raise LexalignError(f"The `retrieval` must be one of {RETRIEVALS}. Got {retrieval!r}.")

    _require_neighbours(neighbours, keys, queries)
    costs = _unknown(keys, queries, neighbours, advance)
    head = min(head or count, count)
    costs.values[:head] = 0.5 * neighbourhood(keys[:head], queries, neighbours, advance)
    costs.known[:head] = True
    if head < count:
        some = queries[: max(neighbours, head)]
        costs.values[head:] = 0.5 * mean_similarity_bound(keys[head:], some, neighbours, advance)
    return costs


def bounded_penalty(
    keys: Array, queries: Array, *, neighbours: int, head: int, advance: Advance = unseen
) -> Penalty:
    """The penalties of CSLS as lower bounds; resolving a key makes its penalty exact.

    The first ``head`` queries bound the first ``head`` keys. Their lengths alone bound the others.
    ``advance`` receives the numbers of comparisons, those of resolving included.
    """
    _require_neighbours(neighbours, keys, queries)
    costs = _unknown(keys, queries, neighbours, advance)
    some = queries[: max(neighbours, head)]
    costs.values[:head] = 0.5 * mean_similarity_bound(keys[:head], some, neighbours, advance)
    return costs


def _unknown(keys: Array, queries: Array, neighbours: int, advance: Advance) -> Penalty:
    """CSLS of which nothing is known but that no similarity exceeds the product of the lengths."""

    def exact(indices: np.ndarray) -> np.ndarray:
        return 0.5 * neighbourhood(keys[indices], queries, neighbours, advance)

    lowest = -0.5 * lengths_of(keys).astype(np.float64) * float(lengths_of(queries).max())
    return Penalty(lowest, np.zeros(len(lowest), dtype=bool), factor=2.0, compute=exact)


def _require_neighbours(neighbours: int, keys: Array, queries: Array) -> None:
    words = min(int(keys.shape[0]), int(queries.shape[0]))
    if not 1 <= neighbours <= words:
        raise LexalignError(
            f"CSLS needs at least one neighbour and as many words as neighbours. Got {neighbours} "
            f"neighbours and {words} words; use fewer neighbours or a larger vocabulary."
        )
