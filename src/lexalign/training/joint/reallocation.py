"""Assign each word of a joint vocabulary to the source, the target, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lexalign.errors import InputError, LexalignError
from lexalign.parameters import Parameter
from lexalign.training.counts import Counts
from lexalign.vectors import Lexicon, LexiconIndices
from lexalign.vectors.case_folding import CASE, CaseLookup
from lexalign.vectors.lexicon_indices import find_pairs

THRESHOLD = Parameter(
    default=0.9,
    kind=float,
    above=0.5,
    at_most=1,
    help="A word belongs to the language that holds this share of its mass, otherwise to both.",
)


@dataclass(frozen=True)
class Reallocation:
    """The rows of a joint vocabulary of ``words`` words that each language has.

    ``source`` and ``target``, int64, are sorted by count in that language. ``shared`` rows, (n,)
    bool over the joint vocabulary, are in both. Words that neither corpus has are in none.
    """

    words: Sequence[str]
    source: np.ndarray
    target: np.ndarray
    shared: np.ndarray

    @property
    def own_source(self) -> np.ndarray:
        """The rows of the source only."""
        return np.asarray(self.source[~self.shared[self.source]])

    @property
    def own_target(self) -> np.ndarray:
        """The rows of the target only."""
        return np.asarray(self.target[~self.shared[self.target]])

    def known(self, lexicon: Lexicon, case: str = CASE.default) -> LexiconIndices:
        """The pairs whose words each belong to one language, as places among these words."""
        sides = ([self.words[row] for row in rows] for rows in (self.own_source, self.own_target))
        source, target = (
            CaseLookup(own, {word: place for place, word in enumerate(own)}, case) for own in sides
        )
        return find_pairs(lexicon.pairs, lexicon.weights, source, target)

    def require_alignable(self, lexicon: Lexicon | None, case: str = CASE.default) -> None:
        """Raise if a language has no words of its own, or no seed is known."""
        for name, rows in (("source", self.own_source), ("target", self.own_target)):
            if not len(rows):
                raise LexalignError(
                    f"No word of the joint vocabulary belongs only to the {name}; lower the "
                    "`threshold`, or check the language of each corpus or count file."
                )
        if lexicon is not None and not len(self.known(lexicon, case)):
            raise InputError(
                f"none of its {len(lexicon):,} pairs has words that each belong to one language",
                remedy="check that it lists the source first, or use another lexicon",
            )

    def as_dict(self) -> dict[str, int]:
        """The number of words of each kind."""
        known = len(self.own_source) + len(self.own_target) + int(self.shared.sum())
        return {
            "source": len(self.own_source),
            "target": len(self.own_target),
            "shared": int(self.shared.sum()),
            "unknown": len(self.words) - known,
        }


def require_threshold(threshold: float) -> None:
    """Raise if a threshold could assign a word to two languages, or to none."""
    THRESHOLD.require("threshold", threshold, "joint alignment")


def reallocate(
    words: Sequence[str], source: Counts, target: Counts, threshold: float = THRESHOLD.default
) -> Reallocation:
    """Assign each word to the language that holds at least ``threshold`` of its mass, or to both.

    The mass of a word is its share of a corpus, so the larger corpus has no advantage. With c its
    count and N the sum of all counts,

        p(w) = (c_source/N_source) / (c_source/N_source + c_target/N_target).

    It belongs to the source if p ≥ threshold, to the target if 1 − p ≥ threshold, otherwise to
    both.

    Source: Wang et al. 2020, "Cross-lingual Alignment vs Joint Training".
    """
    require_threshold(threshold)
    sides = source.words, target.words
    counts = np.array([[side.get(word, 0) for word in words] for side in sides])
    mass = counts / np.array([[sum(side.values())] for side in sides])
    known = mass.any(axis=0)
    own = mass >= threshold * mass.sum(axis=0)
    shared = known & ~own.any(axis=0)
    by_source, by_target = (np.argsort(-side, kind="stable") for side in counts)
    return Reallocation(
        words=words,
        source=by_source[(known & (shared | own[0]))[by_source]],
        target=by_target[(known & (shared | own[1]))[by_target]],
        shared=shared,
    )
