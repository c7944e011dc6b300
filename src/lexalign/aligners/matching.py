"""One-to-one matchings of least cost between words and their candidates.

A matching has as many pairs as possible, and among those matchings the least cost. With one
shortest augmenting path per word, a word without a partner would cost a search of its whole
component. So a maximum matching comes first. It splits the words (Dulmage & Mendelsohn 1958). Words
that an alternating path reaches from a word without a partner compete for too few candidates. Every
maximum matching gives a partner to all candidates of these words, and to all other words. Both
parts are therefore full assignments: one covers its candidates, the other covers its words.

Examples
--------
>>> import numpy as np
>>> scores = np.array([[0.9, 0.5], [0.8, 0.1], [0.7, 0.2]])
>>> best_matching(scores, np.array([[0, 1], [0, 1], [0, 1]]), 2).tolist()
[[0, 1], [1, 0]]
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import (
    breadth_first_order,
    maximum_bipartite_matching,
    min_weight_full_bipartite_matching,
)


def best_matching(scores: np.ndarray, candidates: np.ndarray, columns: int) -> np.ndarray:
    """Find the one-to-one pairs (p, 2) of words and candidates: most pairs, then the largest sum.

    Parameters
    ----------
    scores : ndarray, shape (n, k)
        Scores from -1 to 1, up to rounding, such as cosines.
    candidates : ndarray of int, shape (n, k)
        The candidates of word i, all different, are in row i.
    columns : int
        The number of all possible candidates.

    Returns
    -------
    ndarray of int64, shape (p, 2)
        Pairs in the order of the words.
    """
    rows, each = scores.shape
    starts = np.arange(0, scores.size + 1, each)
    # An entry of zero would be no entry, so all costs are one higher.
    graph = csr_array((2 - scores.ravel(), candidates.ravel(), starts), shape=(rows, columns))
    competing = _competing(graph, candidates)
    wanted = np.zeros(columns, dtype=bool)
    wanted[candidates[competing]] = True
    by_candidate = _full_matching(graph, competing, wanted, transposed=True)
    by_word = _full_matching(graph, ~competing, ~wanted, transposed=False)
    pairs = np.vstack((by_candidate, by_word))
    return pairs[np.argsort(pairs[:, 0])]


def _competing(graph: csr_array, candidates: np.ndarray) -> np.ndarray:
    """The words that some maximum matching leaves without a partner."""
    (rows, columns), each = graph.shape, candidates.shape[1]
    partners = maximum_bipartite_matching(graph, perm_type="column")
    owners, owned = np.full(columns, -1), partners >= 0
    owners[partners[owned]] = np.flatnonzero(owned)
    # From a word to the owners of its candidates, and from one more node to all without a partner.
    owner, alone = owners[candidates.ravel()], np.flatnonzero(~owned)
    begin = np.concatenate(
        (np.repeat(np.arange(rows), each)[owner >= 0], np.full(len(alone), rows))
    )
    end = np.concatenate((owner[owner >= 0], alone))
    steps = csr_array((np.ones(len(end)), (begin, end)), shape=(rows + 1, rows + 1))
    reached = np.zeros(rows + 1, dtype=bool)
    reached[breadth_first_order(steps, rows, return_predecessors=False)] = True
    return reached[:rows]


def _full_matching(
    graph: csr_array, words: np.ndarray, candidates: np.ndarray, *, transposed: bool
) -> np.ndarray:
    """The pairs of least cost that give a partner to each word, or to each candidate."""
    rows, columns = np.flatnonzero(words), np.flatnonzero(candidates)
    if not len(rows) or not len(columns):
        return np.empty((0, 2), dtype=np.int64)
    part = graph[rows][:, columns]
    if transposed:
        right, left = min_weight_full_bipartite_matching(part.T.tocsr())
    else:
        left, right = min_weight_full_bipartite_matching(part)
    return np.column_stack((rows[left], columns[right])).astype(np.int64)
