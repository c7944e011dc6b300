"""Accuracy of a learned ranking, from the result of CSLS and the ranked candidates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lexalign.evaluation.accuracy import Accuracy
from lexalign.induction.learned_ranking import LearnedRanking, RankedCandidates
from lexalign.vectors import Embeddings


def ranked_accuracy(
    by_csls: Accuracy, ranking: LearnedRanking, source: Embeddings, target: Embeddings
) -> Accuracy:
    """Rank the candidates of each query by a learned ranking.

    A reference among the candidates has its rank there. Any other reference comes after all
    candidates, or at its CSLS rank if that is later.
    """
    rows = {source.index[word] for word in by_csls.words if word in source.index}
    found = ranking.rank(np.array(sorted(rows), dtype=np.int64))
    return accuracy_of_candidates(by_csls, found, source, target)


def accuracy_of_candidates(
    by_csls: Accuracy, found: RankedCandidates, source: Embeddings, target: Embeddings
) -> Accuracy:
    """The accuracy from the ranked candidates of all queries."""
    protocol = by_csls.protocol.but(retrieval="learned")
    rows = [source.index.get(word, -1) for word in by_csls.words]
    known, starts = np.unique(found.rows, return_index=True)
    ends = np.append(starts[1:], len(found.rows))
    places = by_csls.ranks.copy()
    for number, (row, references) in enumerate(zip(rows, by_csls.references, strict=True)):
        if row < 0 or by_csls.ranks[number] == 0:
            continue
        at = int(np.searchsorted(known, row))
        candidates = found.keys[starts[at] : ends[at]].tolist()
        right = {target.index[word] for word in references if word in target.index}
        first = next((place for place, key in enumerate(candidates, 1) if key in right), None)
        places[number] = first or max(int(by_csls.ranks[number]), len(candidates) + 1)
    return replace(by_csls, protocol=protocol, ranks=places)
