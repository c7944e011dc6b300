"""Translate between two files: words, a list of words, all words, or mutual pairs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lexalign.atomic import Claim
from lexalign.errors import InputError, UnknownWordWarning
from lexalign.progress import Progress, Stage
from lexalign.retrieval.translator import Translation, Translator, unknown_words_sentence
from lexalign.runs import AlignedPair, Run
from lexalign.vectors import FREQUENT_WORDS, Embeddings, Lexicon, Policy
from lexalign.vectors.word_lists import read_words

DIRECTIONS = {"forward": (False,), "backward": (True,), "both": (False, True)}
NO_MUTUAL_PAIR = "no pair is mutual; lower `min_margin` or raise `max_rank`."


@dataclass(frozen=True, kw_only=True)
class TranslationRequest:
    """What to translate, and how.

    Exactly one of ``words``, ``word_file``, ``all_words`` and ``mutual`` is set. ``ranking`` sets
    the order of the translations: a "learned" ranking, "csls" for the scores of ``Translator``, or
    "auto" for a learned ranking if the run has one. ``k`` is the number of translations per word;
    the default is 5, or 1 for all words. ``max_rank`` and ``min_margin`` apply only to mutual
    pairs. ``scoring`` has the parameters of ``Translator``.
    """

    words: Sequence[str] = ()
    word_file: Path | None = None
    all_words: bool = False
    mutual: bool = False
    direction: str = "forward"
    k: int | None = None
    scoring: Mapping[str, Any] = field(default_factory=dict)
    max_rank: int | None = None
    min_margin: float | None = None
    limit: int = FREQUENT_WORDS
    lowercase: bool = False
    ranking: str = "auto"

    def given_words(self) -> list[str] | None:
        """The words to translate; None means all words."""
        if self.all_words:
            return None
        words = self.words if self.word_file is None else read_words(self.word_file)
        return [word.lower() if self.lowercase else word for word in words]


@dataclass(frozen=True)
class WordTranslations:
    """A word and its translations, best first; None if the word is unknown.

    ``backward`` tells that the word belongs to the target.
    """

    word: str
    translations: tuple[Translation, ...] | None
    backward: bool = False

    @property
    def direction(self) -> str:
        """The direction of the translation: forward or backward."""
        return "backward" if self.backward else "forward"

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        known = self.translations is not None
        return {
            "word": self.word,
            "direction": self.direction,
            "translations": [one._asdict() for one in self.translations or ()] if known else None,
        }


@dataclass(frozen=True)
class Translations:
    """One entry per word, in the order of the input, and an optional warning.

    ``score`` is the name of the ranking criterion.
    """

    entries: tuple[WordTranslations, ...]
    warning: str | None = None
    score: str = "score"

    @property
    def any_known(self) -> bool:
        """Whether at least one word has a translation."""
        return any(entry.translations is not None for entry in self.entries)

    @property
    def lexicon(self) -> Lexicon:
        """All pairs as source and target word, with their scores; each pair once."""
        scores: dict[tuple[str, str], float] = {}
        for entry in self.entries:
            for word, score in entry.translations or ():
                pair = (word, entry.word) if entry.backward else (entry.word, word)
                scores.setdefault(pair, score)
        return Lexicon(list(scores), np.array(list(scores.values())))


def translate_files(
    pair: AlignedPair, request: TranslationRequest, *, progress: Progress | None = None
) -> Translations:
    """Read both files and translate the requested words."""
    progress = progress or Progress()
    words = request.given_words()
    policy = Policy(lowercase=request.lowercase)
    source, target = pair.read(policy, limit=request.limit, progress=progress)
    plain = Translator(source=source, target=target, **request.scoring)
    run = ranked_run(pair, "csls" if request.mutual else request.ranking)
    unit = "comparisons" if request.mutual else "words"
    with progress.stage("translating", unit=unit) as stage:
        if request.mutual:
            return _mutual_dictionary(plain, request, stage)
        translator: WordTranslator = plain
        if run is not None:
            from lexalign.induction.learned_translator import LearnedTranslator

            device = request.scoring.get("device", "cpu")
            translator = LearnedTranslator(source, target, run.rankings(source, target, device))
        k = request.k or (1 if request.all_words else 5)
        found = _translations(translator, words, request.direction, k, stage)
        return found if run is None else replace(found, score="probability")


class WordTranslator(Protocol):
    """Translates words, in both directions."""

    @property
    def source(self) -> Embeddings:
        """The words to translate."""

    @property
    def target(self) -> Embeddings:
        """The candidates."""

    @property
    def reverse(self) -> WordTranslator:
        """The translator of the other direction."""

    def translate(
        self, words: Sequence[str], k: int = 5, stage: Stage | None = None
    ) -> list[list[Translation] | None]:
        """Translate every word; None for an unknown one."""


def ranked_run(pair: AlignedPair, ranking: str) -> Run | None:
    """The run whose learned ranking is used; None for CSLS.

    Raises
    ------
    InputError
        If a learned ranking is required and the pair has none.
    """
    run = None if pair.folder is None or ranking == "csls" else Run.open(pair.folder)
    if run is not None and run.has_ranking:
        return run
    if ranking == "learned":
        raise InputError(
            "there is no learned ranking",
            path=pair.paths[0],
            remedy="name a folder that 'lexalign induce' wrote, or use `ranking=csls`",
        )
    return None


def write_dictionary(translations: Translations, claim: Claim, *, format: str = "tsv") -> str:
    """Write the known words as a lexicon to a claimed file; return a sentence with the counts."""
    found = translations.lexicon
    lexicon = found.writable(format)
    lexicon.write(claim.path, format=format, claim=claim)
    left_out = len(found) - len(lexicon)
    reason = f"; {left_out:,} pairs left out that this format cannot hold" if left_out else ""
    return f"{len(lexicon):,} pairs{reason}"


def _translations(
    translator: WordTranslator,
    words: Sequence[str] | None,
    direction: str,
    k: int,
    stage: Stage,
) -> Translations:
    """Translate ``words``, or all; in both directions, a word is unknown if neither side has it."""
    directions = DIRECTIONS[direction]
    sides = [translator.reverse if backward else translator for backward in directions]
    unknown = _unknown(words or (), sides)
    entries = list[WordTranslations]()
    for backward, side in zip(directions, sides, strict=True):
        # An unknown word is listed once, a known one in every direction that has it.
        listed = unknown if side is sides[0] else ()
        asked = side.source.words if words is None else words
        asked = [word for word in asked if word in side.source or word in listed]
        entries += _entries(side, asked, k, backward, stage)
    sentence = (
        unknown_words_sentence(list(unknown), sides[0].source, sides[0].target) if unknown else None
    )
    return Translations(tuple(entries), sentence)


def _unknown(words: Sequence[str], sides: Sequence[WordTranslator]) -> dict[str, None]:
    """The words that neither side can translate, in order, without repetition."""
    return dict.fromkeys(word for word in words if not any(word in side.source for side in sides))


def _entries(
    translator: WordTranslator, words: Sequence[str], k: int, backward: bool, stage: Stage
) -> list[WordTranslations]:
    """One entry for each word; the caller warns of unknown words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownWordWarning)
        found = translator.translate(words, k, stage)
    return [
        WordTranslations(word, None if best is None else tuple(best), backward)
        for word, best in zip(words, found, strict=True)
    ]


def _mutual_dictionary(
    translator: Translator, request: TranslationRequest, stage: Stage
) -> Translations:
    """The mutual pairs, scored by their margins."""
    lexicon = translator.mutual(
        max_rank=request.max_rank, min_margin=request.min_margin, stage=stage
    )
    margins = () if lexicon.weights is None else lexicon.weights.tolist()
    entries = tuple(
        WordTranslations(word, (Translation(other, margin),))
        for (word, other), margin in zip(lexicon, margins, strict=True)
    )
    return Translations(entries, None if entries else NO_MUTUAL_PAIR)
