"""Mutual pairs: words that choose each other, the dictionary of Algorithm 1.

A pair (x, y) of the ``max_rank`` most frequent words of each side is mutual if y is the best target
of x, and x the best source of y. All words of the other side compete. With CSLS, a naive search
needs the neighbourhood of every word: 200,000 × 200,000 similarities. This search needs less. A
neighbourhood over a subset of the words is too small, so a score with it is an upper bound.

1. A pair of frequent words cannot be mutual if its bound is below the exact score of another pair
   of one of the two words. About half of the frequent words remain. Their neighbourhoods are
   computed, and the pairs that are mutual among these words are found.
2. Any other word can only replace a partner, by a better score (see ``spoilers``).

The pairs are equal to those of the naive search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.arrays import Array, like, namespace, to_numpy
from lexalign.errors import LexalignError
from lexalign.parameters import parameter
from lexalign.progress import Advance, Stage
from lexalign.retrieval.penalties import Penalty, bounded_penalty, comparisons, penalty
from lexalign.retrieval.search import ROUNDING, lengths_of, top_k
from lexalign.retrieval.settled import settled_top_k
from lexalign.retrieval.spoilers import unspoilt
from lexalign.threads import in_blocks

WORTH_BOUNDING = 3
"""From how many times as many words as are searched among bounds take less work than they save."""

ROWS_AT_ONCE = 512

Sides = tuple[Array, Array]
Costs = tuple[Penalty, Penalty]


@dataclass(frozen=True)
class MutualPairs:
    """Mutual pairs, largest margin first.

    Attributes
    ----------
    pairs : ndarray of int, shape (p, 2)
        Row of the source word and row of the target word.
    margins : ndarray, shape (p,)
        Score of the pair minus the score of the second choice among the ``max_rank`` most frequent
        words: the smaller of the two directions.
    """

    pairs: np.ndarray
    margins: np.ndarray

    def __len__(self) -> int:
        return len(self.pairs)


def max_rank_parameter(default: int = 10_000) -> Any:
    """Declare the number of words for the search of mutual pairs."""
    return parameter(
        default,
        at_least=1,
        help="Search mutual pairs among this number of most frequent words per side.",
    )


def mutual_pairs(
    source: Array,
    target: Array,
    *,
    retrieval: str = "csls",
    neighbours: int = 10,
    beta: float = 30.0,
    max_rank: int = 10_000,
    min_margin: float | None = None,
    stage: Stage | None = None,
) -> MutualPairs:
    """Find the pairs of words that are each other's best translation.

    A pair (x, y) is mutual if y has the best score of all targets for x, and x has the best score
    of all sources for y. A word whose vector is zero has no translation.

    Parameters
    ----------
    source, target : float32 arrays, shapes (n, d) and (m, d)
        Two aligned vocabularies, most frequent words first: NumPy arrays or torch tensors. Rows of
        unit length give cosines.
    retrieval : {"csls", "nn", "invsoftmax"}
        Score of a pair: CSLS [1]_, inner product, or inverted softmax [2]_.
    neighbours : int
        The k of CSLS.
    beta : float
        Inverse temperature of the inverted softmax.
    max_rank : int
        Search among this number of most frequent words per side; all words compete.
    min_margin : float, optional
        Leave out pairs with a smaller margin over the second choice.
    stage : Stage, optional
        A stage of a run that counts comparisons of two words; it receives the total.

    Returns
    -------
    MutualPairs
        ``pairs``, shape (p, 2), and ``margins``, shape (p,), largest margin first.

    Raises
    ------
    LexalignError
        If a parameter is not valid, or a side has fewer words than ``neighbours``.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    >>> target = np.array([[0, 1], [1, 0]], dtype=np.float32)
    >>> found = mutual_pairs(source, target, retrieval="nn")
    >>> found.pairs.tolist(), found.margins.round(1).tolist()
    ([[0, 1], [1, 0]], [0.4, 0.2])

    References
    ----------
    .. [1] Conneau et al. 2018, "Word Translation Without Parallel Data".
    .. [2] Smith et al. 2017, "Offline Bilingual Word Vectors, Orthogonal Transformations and the
       Inverted Softmax".
    """
    if max_rank < 1:
        raise LexalignError(f"The `max_rank` must be at least 1. Got {max_rank} instead.")
    if min_margin is not None and not np.isfinite(min_margin):
        raise LexalignError(f"The `min_margin` must be a finite number. Got {min_margin} instead.")
    for side, array in (("source", source), ("target", target)):
        needed = max(2, neighbours) if retrieval == "csls" else 2
        if array.shape[0] < needed:
            raise LexalignError(
                f"The {side} vocabulary has {array.shape[0]} words, fewer than the {needed} that "
                "retrieval needs; use more words or fewer neighbours."
            )

    stage = stage or Stage("")
    sides = source, target
    _expect(stage, sides, retrieval, neighbours, max_rank)

    def penalties(keys: Array, queries: Array) -> Penalty:
        if retrieval == "csls" and int(queries.shape[0]) > WORTH_BOUNDING * max_rank:
            return bounded_penalty(
                keys, queries, neighbours=neighbours, head=max_rank, advance=stage
            )
        return penalty(
            retrieval,
            keys,
            queries,
            neighbours=neighbours,
            beta=beta,
            head=max_rank,
            advance=stage,
        )

    costs = penalties(source, target), penalties(target, source)
    frequent = source[:max_rank], target[:max_rank]
    _resolve_candidates(frequent, costs, stage)
    known = [_known_first(cost, len(side)) for cost, side in zip(costs, frequent, strict=True)]
    pairs, scores = _mutual_among(known, frequent, costs, stage)
    nonzero = _any(source[pairs[:, 0]]) & _any(target[pairs[:, 1]])
    pairs, scores = pairs[nonzero], scores[nonzero]
    rivals = [~np.isin(np.arange(len(side)), some) for side, some in zip(sides, known, strict=True)]
    stage.expect(stage.done + _work_left(len(pairs), rivals, costs), "about")
    for here, there in ((0, 1), (1, 0)):
        alive = unspoilt(
            sides[here][pairs[:, here]],
            sides[there],
            pairs[:, there],
            scores[:, here],
            rivals[there],
            costs[there],
            sample=sides[here][: max(neighbours, max_rank)],
            neighbours=neighbours,
            advance=stage,
        )
        pairs, scores = pairs[alive], scores[alive]
    margins = costs[0].factor * np.minimum(
        *(
            _lead(sides[here][pairs[:, here]], frequent[there], costs[there])
            for here, there in ((0, 1), (1, 0))
        )
    )
    if min_margin is not None:
        pairs, margins = pairs[margins >= min_margin], margins[margins >= min_margin]
    order = np.lexsort((pairs[:, 0], -margins))
    return MutualPairs(pairs[order], margins[order])


def _known_first(costs: Penalty, count: int) -> np.ndarray:
    """Which of the first words have a known penalty."""
    return np.flatnonzero(costs.known[:count])


def _resolve_candidates(sides: Sides, costs: Costs, advance: Advance) -> None:
    """Make the penalties of all words exact that may be part of a mutual pair.

    Two words are no mutual pair if one of them has a better partner: one of known penalty whose
    score exceeds theirs, although theirs is an upper bound. Those are resolved first that are
    mutual by their bounds; ties may leave none, and then all are.
    """
    if all(cost.known[: len(side)].all() for cost, side in zip(costs, sides, strict=True)):
        return
    words = [np.arange(len(side)) for side in sides]
    best = [np.full(len(side), -np.inf) for side in sides]
    pairs = _mutual(sides, costs, advance)[0]
    fresh = [
        np.union1d(_known_first(cost, len(some)), pairs[:, side] if len(pairs) else some)
        for side, (cost, some) in enumerate(zip(costs, words, strict=True))
    ]
    while any(len(some) for some in fresh):
        for cost, some in zip(costs, fresh, strict=True):
            cost.resolve(some[~cost.known[some]])
        for here, there in ((0, 1), (1, 0)):
            if len(fresh[there]):
                some, others = sides[here][words[here]], sides[there][fresh[there]]
                values = costs[there].values[fresh[there]]
                found = top_k(some, others, 1, values, advance).scores[:, 0]
                best[here] = np.maximum(best[here], found)
        possible = _possible_words(
            [side[some] for side, some in zip(sides, words, strict=True)],
            [cost.values[some] for cost, some in zip(costs, words, strict=True)],
            best,
            advance,
        )
        words = [some[kept] for some, kept in zip(words, possible, strict=True)]
        best = [some[kept] for some, kept in zip(best, possible, strict=True)]
        fresh = [some[~cost.known[some]] for cost, some in zip(costs, words, strict=True)]


def _possible_words(
    sides: list[Array], values: list[np.ndarray], best: list[np.ndarray], advance: Advance
) -> tuple[np.ndarray, np.ndarray]:
    """The words of both sides that occur in a pair whose score reaches the best of both words.

    ``values`` are the penalties of the words or bounds of them; ``best`` is the best score that a
    partner of known penalty gives to each word.
    """
    xp, (x, z) = namespace(sides[0]), sides
    largest = max(float(np.abs(value).max(initial=0)) for value in values)
    slack = ROUNDING * (_longest(x) * _longest(z) + largest)
    of_x, of_z, best_x, best_z = (
        like(some.astype(np.float32), x) for some in (*values, *(one - slack for one in best))
    )

    def possible(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        tile = x[rows] @ z.T
        pairs = tile >= best_x[rows, None] + of_z
        pairs &= tile >= of_x[rows, None] + best_z
        advance(tile.shape[0] * tile.shape[1])
        return to_numpy(xp.any(pairs, axis=1)), to_numpy(xp.any(pairs, axis=0))

    found = in_blocks(possible, x, len(x), ROWS_AT_ONCE)
    rows = np.concatenate([words for words, _ in found])
    return np.flatnonzero(rows), np.flatnonzero(np.any([words for _, words in found], axis=0))


def _longest(rows: Array) -> float:
    return float(lengths_of(rows).max())


def _mutual_among(
    known: list[np.ndarray], sides: Sides, costs: Costs, advance: Advance
) -> tuple[np.ndarray, np.ndarray]:
    """The pairs that are mutual among these words, with both scores."""
    some = sides[0][known[0]], sides[1][known[1]]
    pairs, scores = _mutual(some, (costs[0].only(known[0]), costs[1].only(known[1])), advance)
    return np.column_stack((known[0][pairs[:, 0]], known[1][pairs[:, 1]])), scores


def _mutual(sides: Sides, costs: Costs, advance: Advance) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of words that are each other's best by these penalties, exact or not, (p, 2).

    With the score of the target among targets and of the source among sources, (p, 2).
    """
    x, z = sides
    forward = top_k(x, z, 1, costs[1].values[: len(z)], advance)
    # Only words that some word chose can choose back.
    chosen, place = np.unique(forward.indices[:, 0], return_inverse=True)
    backward = top_k(z[chosen], x, 1, costs[0].values[: len(x)], advance)
    ranks = np.flatnonzero(backward.indices[place, 0] == np.arange(len(place)))
    pairs = np.column_stack((ranks, chosen[place[ranks]]))
    return pairs, np.column_stack((forward.scores[ranks, 0], backward.scores[place[ranks], 0]))


def _any(rows: Array) -> np.ndarray:
    """Whether each row has a number other than zero."""
    return to_numpy(namespace(rows).any(rows != 0, axis=1))


def _expect(stage: Stage, sides: Sides, retrieval: str, neighbours: int, max_rank: int) -> None:
    """Estimate the comparisons: about half of the frequent words have a mutual translation."""
    sizes = [int(side.shape[0]) for side in sides]
    n, m = (min(size, max_rank) for size in sizes)
    total = 2 * n * m
    for keys, queries in (sizes, sizes[::-1]):
        if retrieval == "csls" and queries > WORTH_BOUNDING * max_rank:
            total += 3 * n * m + min(n, m) * queries
        else:
            total += comparisons(retrieval, keys, queries, neighbours=neighbours, head=max_rank)
        total += min(n, m) // 2 * keys if keys > max_rank else 0
    stage.expect(stage.done + total, "about")


def _work_left(pairs: int, rivals: list[np.ndarray], costs: Costs) -> int:
    """About how many comparisons remain: with rivals, and of as many words as there are pairs."""
    return sum(
        pairs * len(some) * (1 if cost.known.all() else 2)
        for some, cost in zip(rivals, costs, strict=True)
        if some.any()
    )


def _lead(words: Array, others: Array, costs: Penalty) -> np.ndarray:
    """The margin of the best of the others over the second; 0 if there is no second."""
    k = min(2, int(others.shape[0]))
    scores = settled_top_k(words, others, k, costs, at_once=k).scores
    return np.asarray(scores[:, 0] - scores[:, -1])
