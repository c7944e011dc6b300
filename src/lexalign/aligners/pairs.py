"""Word pairs as row numbers: where aligners get them, and the rotation that fits them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from lexalign.errors import InputError
from lexalign.procrustes import fitted_rotation
from lexalign.vectors import Embeddings, Lexicon
from lexalign.vectors.case_folding import CASE, CaseLookup
from lexalign.vectors.lexicon import require_lexicon
from lexalign.vectors.lexicon_indices import find_pairs, require_direction

SEEDS = ("identical", "numerals")
_NUMERAL = re.compile(r"[0-9]+([.,][0-9]+)*")


@dataclass(frozen=True)
class Pairs:
    """Word pairs as ``rows`` (n, 2) of source and target, with optional ``weights`` (n,).

    ``folded`` is the number of pairs that were found only by ignoring case.
    """

    rows: np.ndarray
    weights: np.ndarray | None = None
    folded: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def lexicon(self, source: Embeddings, target: Embeddings) -> Lexicon:
        """The pairs as words."""
        one, other = source.words, target.words
        return Lexicon([(one[i], other[j]) for i, j in self.rows.tolist()], self.weights)

    def joined(self, others: Pairs) -> Pairs:
        """The union of these pairs and others, without weights."""
        return Pairs(np.unique(np.vstack((self.rows, others.rows)), axis=0))

    def rotation(self, source: np.ndarray, target: np.ndarray, loss: str = "l2") -> np.ndarray:
        """The orthogonal M, float64, with source·M ≈ target over these pairs."""
        a = source[self.rows[:, 0]].astype(np.float64)
        b = target[self.rows[:, 1]].astype(np.float64)
        return np.asarray(fitted_rotation(a, b, loss, self.weights))


NO_SEEDS = Pairs(np.empty((0, 2), dtype=np.int64))


def known_seeds(
    source: Embeddings, target: Embeddings, lexicon: Lexicon, case: str = CASE.default
) -> Pairs:
    """Look up the seeds that have vectors on both sides; ``case`` sets how.

    Raises
    ------
    InputError
        If no seed has vectors, the lexicon has the wrong direction, or a weight is not above 0.
    """
    require_lexicon(lexicon)
    _require_positive_weights(lexicon)
    one, other = (CaseLookup(side.words, side.index, case) for side in (source, target))
    require_direction(lexicon.pairs, one, other)
    found = find_pairs(lexicon.pairs, lexicon.weights, one, other)
    return Pairs(found.pairs, found.weights, found.folded)


def _require_positive_weights(lexicon: Lexicon) -> None:
    if lexicon.weights is None:
        return
    wrong = np.flatnonzero(lexicon.weights <= 0)
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"the weight of {lexicon.pairs[row]!r} is {lexicon.weights[row]:g}, but seeds need "
            "weights above 0",
            line=lexicon.lines[row] if lexicon.lines else None,
            remedy="leave out the pair, or the weights of all pairs",
        )


def require_kind(kind: str) -> None:
    """Raise unless this kind of words can replace a seed lexicon."""
    if kind not in SEEDS:
        raise InputError(
            f"The seeds must be one of {SEEDS}. Got {kind!r} instead",
            remedy="read a file with Lexicon.read",
        )


def seed_lexicon(kind: str, source: Embeddings, target: Embeddings) -> Lexicon:
    """The pairs (w, w) of all "identical" words, or only of "numerals", most frequent first."""
    require_kind(kind)
    shared = [word for word in source.words if word in target]
    if kind == "numerals":
        shared = [word for word in shared if _NUMERAL.fullmatch(word)]
    if not shared:
        raise InputError(
            f"the two vocabularies share no {kind} words",
            remedy="give a seed lexicon, or change both to lower case",
        )
    return Lexicon([(word, word) for word in shared])
