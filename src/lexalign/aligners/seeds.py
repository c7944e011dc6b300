"""Seeds without a dictionary: words that are spelled the same on both sides."""

from __future__ import annotations

import re

from lexalign.errors import InputError
from lexalign.vectors import Embeddings, Lexicon

SEEDS = ("identical", "numerals")
_NUMERAL = re.compile(r"[0-9]+([.,][0-9]+)*")


def seed_lexicon(kind: str, source: Embeddings, target: Embeddings) -> Lexicon:
    """The pairs (w, w) of all "identical" words, or of "numerals" alone, most frequent first."""
    if kind not in SEEDS:
        raise InputError(f"The seeds must be one of {SEEDS}. Got {kind!r} instead")
    shared = [word for word in source.words if word in target]
    if kind == "numerals":
        shared = [word for word in shared if _NUMERAL.fullmatch(word)]
    if not shared:
        raise InputError(
            f"the two vocabularies have no {kind} words in common",
            remedy="give a seed lexicon, or lower the case of both",
        )
    return Lexicon([(word, word) for word in shared])
