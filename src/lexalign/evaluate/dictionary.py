"""Dictionaries from files: translations of given words, of all words, or all mutual pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.evaluate.columns import read_columns
from lexalign.evaluate.files import AlignedPair, read_pair
from lexalign.evaluate.protocols import PROTOCOLS
from lexalign.evaluate.translation import Translation, Translator
from lexalign.progress import Progress
from lexalign.vectors import Lexicon

SUGGESTED_FOR_AT_MOST = 20


@dataclass(frozen=True)
class Entry:
    """A word and its translations, best first; ``backward`` if it is a word of the target."""

    word: str
    translations: tuple[Translation, ...]
    backward: bool = False

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "word": self.word,
            "direction": "backward" if self.backward else "forward",
            "translations": [found._asdict() for found in self.translations],
        }


@dataclass(frozen=True)
class Dictionary:
    """The entries, and a sentence about every word that could not be translated."""

    entries: tuple[Entry, ...]
    unknown: tuple[str, ...] = ()

    @property
    def lexicon(self) -> Lexicon:
        """All pairs as source and target word, with their scores."""
        pairs, scores = [], []
        for entry in self.entries:
            for word, score in entry.translations:
                pairs.append((word, entry.word) if entry.backward else (entry.word, word))
                scores.append(score)
        return Lexicon(pairs, np.array(scores))


def translate_files(
    source: Path,
    target: Path,
    *,
    words: Sequence[str] = (),
    word_file: Path | None = None,
    mutual: bool = False,
    directions: Sequence[str] = ("forward",),
    k: int = 5,
    retrieval: str = "csls",
    neighbours: int = 10,
    min_margin: float | None = None,
    max_rank: int | None = None,
    limit: int = 200_000,
    lowercase: bool = False,
    device: str = "cpu",
    progress: Progress | None = None,
) -> Dictionary:
    """Translate ``words``, those of ``word_file``, or all; or find all ``mutual`` pairs.

    With both ``directions`` a word is looked up on either side.
    """
    progress = progress or Progress()
    asked = list(words) if word_file is None else _read_words(word_file)
    if lowercase:
        asked = [word.lower() for word in asked]
    rules = PROTOCOLS["fasttext"].but(case="lower" if lowercase else None)
    sides = read_pair(AlignedPair(source, target), rules, limit=limit, progress=progress)
    translator = Translator(
        source=sides[0],
        target=sides[1],
        retrieval=retrieval,
        neighbours=neighbours,
        device=device,
    )
    with progress.stage("translating"):
        if mutual:
            lexicon = translator.mutual(max_rank=max_rank, min_margin=min_margin)
            margins = lexicon.weights.tolist() if lexicon.weights is not None else []
            return Dictionary(
                tuple(
                    Entry(word, (Translation(other, margin),))
                    for (word, other), margin in zip(lexicon, margins, strict=True)
                )
            )
        entries = list[Entry]()
        for direction in directions:
            side = translator.reverse if direction == "backward" else translator
            known = [word for word in asked or side.source.words if word in side.source]
            entries.extend(
                Entry(word, tuple(found), backward=direction == "backward")
                for word, found in side.translate(known, k).items()
            )
    return Dictionary(tuple(entries), tuple(_unknown(translator, asked, entries, directions)))


def _unknown(
    translator: Translator,
    asked: Sequence[str],
    entries: Sequence[Entry],
    directions: Sequence[str],
) -> list[str]:
    """A sentence for each of the first words that were not found, and one for all the others."""
    found = {entry.word for entry in entries}
    missing = [word for word in dict.fromkeys(asked) if word not in found]
    side = translator.reverse if tuple(directions) == ("backward",) else translator
    sentences = [str(side.unknown(word)) for word in missing[:SUGGESTED_FOR_AT_MOST]]
    if len(missing) > SUGGESTED_FOR_AT_MOST:
        sentences.append(f"{len(missing) - SUGGESTED_FOR_AT_MOST:,} more words are not known.")
    return sentences


def _read_words(path: Path) -> list[str]:
    """The words of a file, one a line; what follows a tab is passed over."""
    return [row.fields[0] for row in read_columns(path)]
