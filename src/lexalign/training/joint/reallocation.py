"""Whose is a word of a jointly trained vocabulary: the source's, the target's, or of both."""

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
    help="A word belongs to the language that has this share of its mass, otherwise to both.",
)


@dataclass(frozen=True)
class Reallocation:
    """The rows of the joint vocabulary, of so many ``words``, that each language has.

    ``source`` and ``target``, int64, by falling count in that language; rows that are ``shared``,
    (n,) bool over the joint vocabulary, are in both. What neither corpus knows is in none.
    """

    words: Sequence[str]
    source: np.ndarray
    target: np.ndarray
    shared: np.ndarray

    @property
    def own_source(self) -> np.ndarray:
        """Those of the source alone."""
        return np.asarray(self.source[~self.shared[self.source]])

    @property
    def own_target(self) -> np.ndarray:
        """Those of the target alone."""
        return np.asarray(self.target[~self.shared[self.target]])

    def known(self, lexicon: Lexicon, case: str = CASE.default) -> LexiconIndices:
        """The pairs whose words each belong to one language alone, as places in those words."""
        sides = ([self.words[row] for row in rows] for rows in (self.own_source, self.own_target))
        source, target = (
            CaseLookup(own, {word: place for place, word in enumerate(own)}, case) for own in sides
        )
        return find_pairs(lexicon.pairs, lexicon.weights, source, target)

    def require_alignable(self, lexicon: Lexicon | None, case: str = CASE.default) -> None:
        """Refuse a language without words of its own, and seeds of which none is known."""
        for name, rows in (("source", self.own_source), ("target", self.own_target)):
            if not len(rows):
                raise LexalignError(
                    f"No word of the joint vocabulary belongs to the {name} alone, so there is "
                    "nothing to align; lower the `threshold`, and check that each corpus or count "
                    "file is of its own language."
                )
        if lexicon is not None and not len(self.known(lexicon, case)):
            raise InputError(
                f"of its {len(lexicon):,} pairs none has words that each belong to one language "
                "alone",
                remedy="check that it lists the source first, or give another lexicon",
            )

    def as_dict(self) -> dict[str, int]:
        """How many there are of each kind."""
        known = len(self.own_source) + len(self.own_target) + int(self.shared.sum())
        return {
            "source": len(self.own_source),
            "target": len(self.own_target),
            "shared": int(self.shared.sum()),
            "unknown": len(self.words) - known,
        }


def require_threshold(threshold: float) -> None:
    """Raise if a threshold could give a word to two languages, or to none."""
    THRESHOLD.require("threshold", threshold, "joint alignment")


def reallocate(
    words: Sequence[str], source: Counts, target: Counts, threshold: float = THRESHOLD.default
) -> Reallocation:
    """Give every word to the language that has at least ``threshold`` of its mass, or to both.

    The mass of a word is its share of a corpus, so that the larger corpus has no advantage. With c
    its count and N the sum of all counts,

        p(w) = (c_source/N_source) / (c_source/N_source + c_target/N_target).

    It is the source's if p ≥ threshold, the target's if 1 − p ≥ threshold, and shared otherwise.

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
