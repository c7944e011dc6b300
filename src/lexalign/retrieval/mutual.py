"""Mutual pairs: words that choose each other, the dictionary of Algorithm 1.

A pair (x, y) of the ``max_rank`` most frequent words of each side is mutual if y is the best target
of x, and x the best source of y. All words of the other side compete. With CSLS, a naive search
needs the neighbourhood of every word: 200,000 × 200,000 similarities. This search needs less:

1. Only pairs that are mutual among the frequent words can be mutual at all. Finding them needs only
   the neighbourhoods of frequent words.
2. A rare word y can only replace a partner, by a better score. Its neighbourhood over a subset of
   the queries is too small, so its score is an upper bound. Only the few rare words whose bound
   exceeds the score of a pair are computed exactly.

The pairs are equal to those of the naive search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.arrays import Array, namespace, to_numpy
from lexalign.errors import LexalignError
from lexalign.parameters import parameter
from lexalign.progress import Advance, Stage
from lexalign.retrieval.penalties import Penalty, comparisons, penalty
from lexalign.retrieval.search import TIE, Neighbours, similarities, top_k

THREATS = 8


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

    def penalties(keys: Array, queries: Array) -> Penalty:
        return penalty(
            retrieval,
            keys,
            queries,
            neighbours=neighbours,
            beta=beta,
            head=max_rank,
            advance=stage,
        )

    frequent = source[:max_rank], target[:max_rank]
    sizes = int(source.shape[0]), int(target.shape[0])
    _expect(stage, sizes, max_rank, retrieval, neighbours)
    of_target, of_source = penalties(target, source), penalties(source, target)
    forward = _best_two(*frequent, of_target.values[:max_rank], stage)
    # Only words that some word chose can choose back.
    chosen, place = np.unique(forward.indices[:, 0], return_inverse=True)
    backward = _best_two(frequent[1][chosen], frequent[0], of_source.values[:max_rank], stage)
    ranks = np.flatnonzero(backward.indices[place, 0] == np.arange(len(place)))
    pairs = np.column_stack((ranks, chosen[place[ranks]]))
    pairs = pairs[_any(source[pairs[:, 0]]) & _any(target[pairs[:, 1]])]
    stage.expect(stage.done + len(pairs) * sum(max(0, size - max_rank) for size in sizes), "about")

    alive = _withstand(
        source[pairs[:, 0]], target, max_rank, of_target, forward.scores[pairs[:, 0], 0], stage
    )
    pairs = pairs[alive]
    alive = _withstand(
        target[pairs[:, 1]],
        source,
        max_rank,
        of_source,
        backward.scores[place[pairs[:, 0]], 0],
        stage,
    )
    pairs = pairs[alive]
    margins = of_target.factor * np.minimum(
        _lead(forward.scores)[pairs[:, 0]], _lead(backward.scores)[place[pairs[:, 0]]]
    )
    if min_margin is not None:
        pairs, margins = pairs[margins >= min_margin], margins[margins >= min_margin]
    order = np.lexsort((pairs[:, 0], -margins))
    return MutualPairs(pairs[order], margins[order])


def _any(rows: Array) -> np.ndarray:
    """Whether each row has a number other than zero."""
    return to_numpy(namespace(rows).any(rows != 0, axis=1))


def _expect(
    stage: Stage, sizes: tuple[int, int], max_rank: int, retrieval: str, neighbours: int
) -> None:
    """Estimate the comparisons: about a third of the frequent words have a mutual translation."""
    n, m = sizes
    total = sum(
        comparisons(retrieval, *side, neighbours=neighbours, head=max_rank)
        for side in ((m, n), (n, m))
    )
    total += 2 * min(n, max_rank) * min(m, max_rank)
    rare = sum(max(0, size - max_rank) for size in sizes)
    stage.expect(stage.done + total + min(n, m, max_rank) // 3 * rare, "about")


def _best_two(queries: Array, keys: Array, costs: np.ndarray, advance: Advance) -> Neighbours:
    return top_k(queries, keys, min(2, int(keys.shape[0])), costs, advance)


def _lead(scores: np.ndarray) -> np.ndarray:
    """The margin of the first score over the second; 0 if there is no second."""
    return np.asarray(scores[:, 0] - scores[:, -1])


def _withstand(
    queries: Array, keys: Array, head: int, costs: Penalty, first: np.ndarray, advance: Advance
) -> np.ndarray:
    """Whether each query keeps its first choice against the rare keys, from ``head``.

    ``first`` holds the exact scores of the choices. A rare key whose upper bound exceeds that is a
    threat; the threats found are computed exactly, and if one of them remains, the choice falls. A
    query with more threats than were asked for is searched again for more of them. On equal
    scores the frequent key, of lower rank, wins.
    """
    rare, alive = int(keys.shape[0]) - head, np.ones(len(first), dtype=bool)
    unsettled, threats = np.arange(len(first) if rare > 0 else 0), min(THREATS, rare)
    while len(unsettled):
        found = top_k(queries[unsettled], keys[head:], threats, costs.values[head:], advance)
        indices, score = head + found.indices, first[unsettled]
        dangerous = (found.scores > score[:, None]) & ~costs.known[indices]
        costs.resolve(np.unique(indices[dangerous]))
        exact = similarities(queries[unsettled], keys[head:], found.indices) - costs.values[indices]
        fallen = (exact > score[:, None] + TIE).any(axis=1)
        alive[unsettled[fallen]] = False
        more = (found.scores[:, -1] > score) & (threats < rare)
        unsettled = unsettled[~fallen & more]
        threats = min(4 * threats, rare)
    return alive
