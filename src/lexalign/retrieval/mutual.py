"""Mutual translations: pairs of words that choose each other, the dictionary of Algorithm 1.

Among the ``max_rank`` most frequent words of each side a pair (x, y) is mutual if y is the best
target of x and x the best source of y, all words of the other side competing. With CSLS a naive
search would need the neighbourhood of every word: 200,000 × 200,000 similarities. It does not:

1. Pairs that are mutual among the frequent words alone are the only ones that can be mutual at
   all, and finding them needs the neighbourhoods of frequent words only.
2. A rare word y can only spoil such a pair, by a better score. Its neighbourhood taken over a
   subset of the queries is too small, so its score with it is an upper bound; only the few rare
   words whose bound threatens a pair are ever computed exactly.

The result is the same as that of the naive search.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np

from lexalign.errors import LexalignError
from lexalign.retrieval.penalties import Penalty, penalty
from lexalign.retrieval.search import similarities, top_k
from lexalign.spaces.arrays import Array, namespace, to_numpy

THREATS = 8
ONE_BY_ONE = 3


@dataclass(frozen=True)
class MutualPairs:
    """Mutual pairs, the most certain first.

    ``pairs`` (m, 2) holds the ranks of source and target word; ``margins`` (m,) by how much a
    pair's score exceeds that of the second choice, the smaller of the two directions.
    """

    pairs: np.ndarray
    margins: np.ndarray

    def __len__(self) -> int:
        return len(self.pairs)


def mutual_pairs(
    source: Array,
    target: Array,
    *,
    retrieval: str = "csls",
    neighbours: int = 10,
    beta: float = 30.0,
    max_rank: int = 10_000,
    min_margin: float | None = None,
) -> MutualPairs:
    """The mutual pairs of two aligned vocabularies, both ordered by frequency.

    ``source`` (n, d) and ``target`` (m, d) are float32 and lie in one space. ``neighbours`` is the
    k of CSLS, ``beta`` the inverse temperature of the inverted softmax; pairs with a margin below
    ``min_margin`` are left out. A word whose vector is zero has no translation.
    """
    if max_rank < 1:
        raise LexalignError(f"The 'max_rank' must be at least 1. Got {max_rank} instead.")
    for side, array in (("source", source), ("target", target)):
        needed = max(2, neighbours) if retrieval == "csls" else 2
        if array.shape[0] < needed:
            raise LexalignError(
                f"The {side} vocabulary has {array.shape[0]} words, fewer than the {needed} that "
                "retrieval needs; use more words or fewer neighbours."
            )

    def penalties(keys: Array, queries: Array) -> Penalty:
        return penalty(retrieval, keys, queries, neighbours=neighbours, beta=beta, head=max_rank)

    of_target, of_source = penalties(target, source), penalties(source, target)
    frequent = source[:max_rank], target[:max_rank]
    forward = _best_two(*frequent, of_target.values[:max_rank])
    backward = _best_two(*frequent[::-1], of_source.values[:max_rank])
    chosen = forward.choice
    ranks = np.flatnonzero(backward.choice[chosen] == np.arange(len(chosen)))
    pairs = np.column_stack((ranks, chosen[ranks]))
    pairs = pairs[_any(source[pairs[:, 0]]) & _any(target[pairs[:, 1]])]

    alive, margins = _withstand(
        source[pairs[:, 0]], target, max_rank, of_target, forward.take(pairs[:, 0])
    )
    pairs, margins = pairs[alive], margins[alive]
    alive, other = _withstand(
        target[pairs[:, 1]], source, max_rank, of_source, backward.take(pairs[:, 1])
    )
    pairs, margins = pairs[alive], np.minimum(margins[alive], other[alive]) * of_target.factor
    if min_margin is not None:
        pairs, margins = pairs[margins >= min_margin], margins[margins >= min_margin]
    order = np.lexsort((pairs[:, 0], -margins))
    return MutualPairs(pairs[order], margins[order])


def _any(rows: Array) -> np.ndarray:
    """Which rows hold anything but zeros."""
    return to_numpy(namespace(rows).any(rows != 0, axis=1))


@dataclass
class _BestTwo:
    """The first choice of every query with its score and the score of the second."""

    choice: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def take(self, rows: np.ndarray) -> _BestTwo:
        return _BestTwo(self.choice[rows], self.first[rows], self.second[rows])


def _best_two(queries: Array, keys: Array, costs: np.ndarray) -> _BestTwo:
    found = top_k(queries, keys, min(2, int(keys.shape[0])), costs)
    second = (
        found.scores[:, 1] if found.scores.shape[1] > 1 else np.full(len(found.scores), -np.inf)
    )
    return _BestTwo(found.indices[:, 0], found.scores[:, 0], second)


def _withstand(
    queries: Array, keys: Array, head: int, costs: Penalty, best: _BestTwo
) -> tuple[np.ndarray, np.ndarray]:
    """Which queries keep their first choice against the rare keys, and with what margin.

    ``best`` holds the exact scores among the ``head`` frequent keys. A rare key whose upper bound
    exceeds a query's second score is a threat; threats are resolved until none is left, at first
    only the highest of each query, since that often disarms the others. On equal scores the
    frequent key, of lower rank, wins.
    """
    rare, second = int(keys.shape[0]) - head, best.second.copy()
    alive, threats = np.ones(len(second), dtype=bool), min(THREATS, rare)
    unsettled = np.arange(len(second)) if rare > 0 else np.arange(0)
    while len(unsettled):
        found = top_k(queries[unsettled], keys[head:], threats, costs.values[head:])
        indices, first = head + found.indices, best.first[unsettled]
        similarity = similarities(queries[unsettled], keys[head:], found.indices)
        for attempt in count():
            bounds, known = similarity - costs.values[indices], costs.known[indices]
            highest = np.where(known, bounds, -np.inf).max(axis=1)
            runner_up = np.maximum(best.second[unsettled], highest)
            open_bounds = np.where(known | (bounds <= runner_up[:, None]), -np.inf, bounds)
            open_bounds[highest > first] = -np.inf
            if attempt < ONE_BY_ONE:
                open_bounds[open_bounds < open_bounds.max(axis=1, keepdims=True)] = -np.inf
            dangerous = open_bounds > -np.inf
            if not dangerous.any():
                break
            costs.resolve(np.unique(indices[dangerous]))
        alive[unsettled], second[unsettled] = highest <= first, runner_up
        beyond = found.scores[:, -1] > runner_up if threats < rare else np.zeros(len(first), bool)
        unsettled = unsettled[alive[unsettled] & beyond]
        threats = min(4 * threats, rare)
    return alive, best.first - second
