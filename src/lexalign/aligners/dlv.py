"""Latent-variable matching: assign one partner to each word, then fit the map.

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
from lexalign.retrieval import Neighbours, top_k
from lexalign.spaces.normalise import normalise_parameter, unit_rows

STAGNATION = 1e-6


@attrs.frozen(kw_only=True)
class Dlv(Aligner):
    """Viterbi expectation maximisation over one-to-one dictionaries.

    Each round finds a one-to-one matching of the ``vocabulary`` most frequent words of both sides,
    then rotates the source onto it. The matching has the most pairs, and among such matchings the
    least cost. A pair costs 1 − cos(xM, y), and a source word can match only its ``candidates``
    nearest target words. Rounds end when the mean similarity of the matching no longer rises, or
    after ``max_iterations``.

    The matching is sparse, so memory grows linearly with the number of words.

    Source: Ruder, Cotterell, Kementchedjhieva & Søgaard 2018.
    """

    name: ClassVar[str] = "dlv"
    summary: ClassVar[str] = "Match words one to one, then rotate, in rounds."
    citation: ClassVar[str] = (
        "Sebastian Ruder, Ryan Cotterell, Yova Kementchedjhieva and Anders Søgaard. 2018. A "
        "Discriminative Latent-Variable Model for Bilingual Lexicon Induction. EMNLP 2018."
    )

    normalise: str = normalise_parameter("unit,centre")
    vocabulary: int = parameter(
        40_000, at_least=1, help="Learn from this number of most frequent words per side."
    )
    candidates: int = parameter(3, at_least=1, help="Number of candidate partners per word.")
    max_iterations: int = parameter(100, at_least=1, help="Maximum number of rounds.")

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Match and rotate until the matching no longer improves."""
        frequent, keys = source[: self.vocabulary], unit_rows(target[: self.vocabulary])
        candidates = min(self.candidates, len(keys))
        pairs, best = seeds, -np.inf
        history = list[Mapping[str, Any]]([{"iteration": 0, "pairs": len(seeds)}])
        with progress.stage(
            "aligning", total=self.max_iterations, unit="rounds", certainty="at most"
        ) as advance:
            matrix = seeds.rotation(source, target, self.loss)
            for iteration in range(1, self.max_iterations + 1):
                mapped = unit_rows(frequent @ matrix.astype(np.float32))
                rows, similarity = match(mapped, keys, top_k(mapped, keys, candidates))
                history.append(
                    {"iteration": iteration, "pairs": len(rows), "similarity": similarity}
                )
                if similarity < best + STAGNATION:
                    break
                pairs, best = Pairs(rows), similarity
                matrix = pairs.rotation(source, target, self.loss)
                advance(1)
        return Fit(matrix, None, pairs, tuple(history))


def match(source: np.ndarray, target: np.ndarray, found: Neighbours) -> tuple[np.ndarray, float]:
    """The best one-to-one pairs (n, 2) among the candidates, and their mean cosine."""
    from lexalign.aligners.matching import best_matching

    pairs = best_matching(found.scores, found.indices, len(target))
    similarity = np.einsum("ij,ij->i", source[pairs[:, 0]], target[pairs[:, 1]], dtype=np.float64)
    return pairs, float(similarity.mean())
