"""Dictionaries: translations of given words or of all, or the pairs that choose each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.retrieval.translator import Translation, Translator
from lexalign.vectors import Lexicon

DIRECTIONS = {"forward": (False,), "backward": (True,), "both": (False, True)}
SUGGESTED_FOR_AT_MOST = 3


@dataclass(frozen=True)
class WordTranslations:
    """A word and its translations, best first; ``backward`` if it is a word of the target."""

    word: str
    translations: tuple[Translation, ...]
    backward: bool = False

    @property
    def direction(self) -> str:
        """From source to target, or back."""
        return "backward" if self.backward else "forward"

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "word": self.word,
            "direction": self.direction,
            "translations": [found._asdict() for found in self.translations],
        }


@dataclass(frozen=True)
class Translations:
    """The entries, and a sentence about every word that could not be translated."""

    entries: tuple[WordTranslations, ...]
    unknown: tuple[str, ...] = ()

    @property
    def lexicon(self) -> Lexicon:
        """All pairs as source and target word, with their scores; each pair once."""
        scores: dict[tuple[str, str], float] = {}
        for entry in self.entries:
            for word, score in entry.translations:
                pair = (word, entry.word) if entry.backward else (entry.word, word)
                scores.setdefault(pair, score)
        return Lexicon(list(scores), np.array(list(scores.values())))


def translated(
    translator: Translator,
    words: Sequence[str] | None,
    *,
    direction: str = "forward",
    k: int = 5,
) -> Translations:
    """Translations of ``words``, or of all there are; in both directions on either side."""
    entries = list[WordTranslations]()
    for backward in DIRECTIONS[direction]:
        side = translator.reverse if backward else translator
        known = [word for word in words or () if word in side.source]
        found = side.translate(side.source.words if words is None else known, k)
        entries += [WordTranslations(word, tuple(best), backward) for word, best in found.items()]
    side = translator.reverse if direction == "backward" else translator
    return Translations(tuple(entries), tuple(_unknown(side, words or (), entries)))


def mutual_dictionary(
    translator: Translator, *, max_rank: int | None = None, min_margin: float | None = None
) -> Translations:
    """The pairs that choose each other, scored by their margins."""
    lexicon = translator.mutual(max_rank=max_rank, min_margin=min_margin)
    margins = () if lexicon.weights is None else lexicon.weights.tolist()
    return Translations(
        tuple(
            WordTranslations(word, (Translation(other, margin),))
            for (word, other), margin in zip(lexicon, margins, strict=True)
        )
    )


def _unknown(
    translator: Translator, asked: Sequence[str], entries: Sequence[WordTranslations]
) -> list[str]:
    """A sentence for each of the first words that were not found, and one for all the others."""
    found = {entry.word for entry in entries}
    missing = [word for word in dict.fromkeys(asked) if word not in found]
    sentences = [str(translator.unknown(word)) for word in missing[:SUGGESTED_FOR_AT_MOST]]
    if others := missing[SUGGESTED_FOR_AT_MOST:]:
        listed = ", ".join(map(repr, others[:20])) + (", ..." if len(others) > 20 else "")
        sentences.append(f"{len(others):,} more words are not known: {listed}")
    return sentences
