"""Bilingual lexicon induction: how often the best translation found is one in the lexicon."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexalign.errors import LexalignError
from lexalign.retrieval import penalty, top_k
from lexalign.vectors import Embeddings, Lexicon


@dataclass(frozen=True)
class TranslationAccuracy:
    """The share of queries whose best translation is right, and how many could be asked.

    ``queries`` counts the source words that have a translation in the vocabulary, ``asked`` all
    source words of the lexicon.
    """

    precision: float
    queries: int
    asked: int


def translation_accuracy(
    source: Embeddings,
    target: Embeddings,
    lexicon: Lexicon,
    *,
    retrieval: str = "csls",
    neighbours: int = 10,
) -> TranslationAccuracy:
    """P@1 over source words, any listed translation counting; pairs out of vocabulary are dropped.

    All target words are candidates, and CSLS takes its neighbourhoods from all words of both sides
    (Conneau et al. 2018).
    """
    pairs = lexicon.indices(source, target).pairs
    if not len(pairs):
        raise LexalignError(
            "No pair of the lexicon has both words in the vocabularies; check that the languages "
            "are in the right order and the case of the words."
        )
    queries, row = np.unique(pairs[:, 0], return_inverse=True)
    costs = penalty(retrieval, target.matrix, source.matrix, neighbours=neighbours)
    best = top_k(source.matrix[queries], target.matrix, 1, costs.values).indices[:, 0]
    right = np.zeros(len(queries), dtype=bool)
    np.logical_or.at(right, row, best[row] == pairs[:, 1])
    asked = len({word for word, _ in lexicon.pairs})
    return TranslationAccuracy(float(right.mean()), len(queries), asked)
