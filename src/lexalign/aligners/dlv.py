"""Latent-variable matching: every word is given one partner, by assignment, and the map follows.

Examples
--------
>>> import lexalign
>>> from lexalign.demo import demo_embeddings, demo_lexicon
>>> english, german = (demo_embeddings(language).top(500) for language in ("en", "de"))
>>> aligned = lexalign.align("dlv", english, german, demo_lexicon("seeds"), max_iterations=2)
>>> english_words = [word for word, _ in aligned.lexicon]
>>> len(english_words) == len(set(english_words))
True
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.aligner import Aligner, Fit
from lexalign.aligners.pairs import Pairs
from lexalign.parameters import parameter
from lexalign.progress import Progress
from lexalign.retrieval import top_k
from lexalign.spaces.normalise import normalise_parameter, unit_rows

WITHOUT_PARTNER = 1e3
STAGNATION = 1e-6


@attrs.frozen(kw_only=True)
class Dlv(Aligner):
    """Viterbi expectation maximisation over one-to-one dictionaries.

    In turn: among the ``vocabulary`` most frequent words of both sides find the matching of least
    cost, 1 − cos(xM, y) a pair, in which every source word has at most one partner, out of its
    ``candidates`` nearest, and every target word at most one; then rotate the source onto it. It
    ends when the mean similarity of the matching no longer rises, or after ``max_iterations``.

    The matching is sparse, so memory grows with the words and not with their square.

    Source: Ruder, Cotterell, Kementchedjhieva & Søgaard 2018.
    """

    name: ClassVar[str] = "dlv"
    citation: ClassVar[str] = (
        "Sebastian Ruder, Ryan Cotterell, Yova Kementchedjhieva and Anders Søgaard. 2018. A "
        "Discriminative Latent-Variable Model for Bilingual Lexicon Induction. EMNLP 2018."
    )

    normalise: str = normalise_parameter("unit,centre")
    vocabulary: int = parameter(
        40_000, at_least=1, help="Learn from this number of most frequent words per side."
    )
    candidates: int = parameter(3, at_least=1, help="Number of possible partners per word.")
    max_iterations: int = parameter(100, at_least=1, help="Maximum number of rounds.")

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Match and rotate until the matching settles."""
        frequent, keys = source[: self.vocabulary], unit_rows(target[: self.vocabulary])
        pairs, best = seeds, -np.inf
        history = list[Mapping[str, Any]]([{"iteration": 0, "pairs": len(seeds)}])
        with progress.stage(
            "aligning", total=self.max_iterations, unit="rounds", certainty="at most"
        ) as advance:
            matrix = seeds.rotation(source, target, self.loss)
            for iteration in range(1, self.max_iterations + 1):
                mapped = unit_rows(frequent @ matrix.astype(np.float32))
                rows, similarity = match(mapped, keys, min(self.candidates, len(keys)))
                history.append(
                    {"iteration": iteration, "pairs": len(rows), "similarity": similarity}
                )
                if similarity < best + STAGNATION:
                    break
                pairs, best = Pairs(rows), similarity
                matrix = pairs.rotation(source, target, self.loss)
                advance(1)
        return Fit(matrix, None, pairs, tuple(history))


def match(source: np.ndarray, target: np.ndarray, candidates: int) -> tuple[np.ndarray, float]:
    """The one-to-one pairs (n, 2) of least cost among the nearest, and their mean cosine.

    Every source word also has a partner of its own that costs more than any other, so that a full
    matching exists; pairs with those are left out.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    found = top_k(source, target, candidates)
    count, columns = len(source), len(target)
    # An entry of zero would be no entry, so all costs are one higher.
    costs = np.column_stack((2 - found.scores, np.full(count, WITHOUT_PARTNER)))
    partners = np.column_stack((found.indices, columns + np.arange(count)))
    starts = np.arange(0, costs.size + 1, candidates + 1)
    graph = csr_array((costs.ravel(), partners.ravel(), starts), shape=(count, columns + count))
    left, right = min_weight_full_bipartite_matching(graph)
    real = right < columns
    pairs = np.column_stack((left[real], right[real])).astype(np.int64)
    similarity = np.einsum("ij,ij->i", source[pairs[:, 0]], target[pairs[:, 1]], dtype=np.float64)
    return pairs, float(similarity.mean())
