"""Which words of two languages are drawn near each other: the neighbours of every word.

In a shared space the nearest words are mostly of the same language, even where translations are
found well, because the two sides keep a gap between them. A drawing of the plain neighbours falls
into two halves. So every word gets neighbours of both languages, half of its weight each:

    P = (A + Aᵀ) / 2n,   A_ij = 1/2k if j is among the k nearest of i, in its own language by
    cosine, in the other by CSLS

Equal weights draw about the same as those of a Gaussian kernel [1]_, from fewer neighbours.

References
----------
.. [1] J. N. Böhm, P. Berens & D. Kobak (2022). Attraction-repulsion spectrum in neighbor
   embeddings. JMLR 23(95).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexalign.retrieval import neighbourhood, top_k

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NEIGHBOURS = 10


def bilingual_graph(source: np.ndarray, target: np.ndarray) -> csr_matrix:
    """Weights between all words, the source first.

    Parameters
    ----------
    source, target : ndarray of float32, shapes (n, d) and (m, d)
        Words of unit length in one space, at least two a side.

    Returns
    -------
    csr_matrix, shape (n + m, n + m)
        Symmetric weights that sum to 1.
    """
    from scipy.sparse import bmat

    graph = bmat(
        [
            [_within(source), _across(source, target)],
            [_across(target, source), _within(target)],
        ],
        format="csr",
    )
    graph = graph + graph.T
    return graph / graph.sum()


def _within(words: np.ndarray) -> csr_matrix:
    """The nearest other words of the same language by cosine."""
    k = min(NEIGHBOURS, len(words) - 1)
    found = top_k(words, words, k + 1).indices
    own = found == np.arange(len(words))[:, None]
    own[~own.any(axis=1), -1] = True  # Equal vectors may have crowded a word out of its own list.
    return _weights(found[~own].reshape(len(words), k), len(words))


def _across(words: np.ndarray, others: np.ndarray) -> csr_matrix:
    """The nearest words of the other language by CSLS."""
    k = min(NEIGHBOURS, len(others))
    around = neighbourhood(others, words, min(NEIGHBOURS, len(words)))
    return _weights(top_k(words, others, k, 0.5 * around).indices, len(others))


def _weights(neighbours: np.ndarray, count: int) -> csr_matrix:
    from scipy.sparse import csr_matrix

    rows, k = neighbours.shape
    starts = np.arange(0, rows * k + 1, k)
    return csr_matrix((np.full(rows * k, 0.5 / k), neighbours.ravel(), starts), (rows, count))
