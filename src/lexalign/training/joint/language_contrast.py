"""Find passages of two texts that are more like the other text, for any languages.

Each text has a profile, the frequencies of its character trigrams g. A passage x of one text is
compared with both profiles, its own text without x:

    score(x) = Σ over g in x of log p_other(g) − log p_own(g).

Passages with a high score move to the other profile, and the comparison is repeated. Otherwise text
in the wrong language would make its own profile similar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.progress import Progress
from lexalign.training.languages import LEAST_PASSAGES, LEAST_SHARE, example_of, percent_of

BUCKETS = 2**16
"""Number of hash buckets for trigrams."""

SMOOTHING = 0.5
MARGIN = 10.0
"""A passage belongs to a text if it is e^10 times as likely there; otherwise it is undecided."""

ROUNDS = 4
LARGEST_DOUBT = 1 / 3
LEAST_OWN = 0.25
"""Texts are distinct if at most a third of each is undecided and at least a quarter is its own."""


@dataclass(frozen=True)
class TextContrast:
    """How much of a text is more like the other one.

    Parameters
    ----------
    passages : int
        The size of the sample.
    own, other : float
        The shares of its words in passages that clearly belong to this text, or to the other one.
    example : str
        The passage that is most like the other text.
    """

    passages: int
    own: float
    other: float
    example: str

    @property
    def is_plain(self) -> bool:
        """Whether most passages clearly belong to one text, and enough to their own text."""
        undecided = 1 - self.own - self.other
        return self.passages > 0 and undecided <= LARGEST_DOUBT and self.own >= LEAST_OWN


@dataclass(frozen=True)
class LanguageContrast:
    """The comparison of two texts in both directions."""

    source: TextContrast
    target: TextContrast

    @property
    def is_plain(self) -> bool:
        """Whether the texts can be distinguished."""
        return self.source.is_plain and self.target.is_plain

    def statement(self) -> str:
        """The result in words."""
        if not self.is_plain:
            return "the spelling of the two texts is too similar to compare them"
        return (
            f"{percent_of(self.source.other)} of the source is more like the target, "
            f"{percent_of(self.target.other)} of the target is more like the source"
        )

    def findings(self, threshold: float) -> list[str]:
        """Sentences about text in the wrong language.

        Parameters
        ----------
        threshold : float
            The share of its mass from which a word belongs to one language. Words of the other
            language become shared from the share (1 − threshold) / threshold.
        """
        sides = (("source", "target", self.source), ("target", "source", self.target))
        if min(self.source.passages, self.target.passages) < LEAST_PASSAGES:
            return []
        if not self.is_plain:
            return [f"{self.statement()}; are both in the same language?"]
        limit = (1 - threshold) / threshold
        found = []
        for name, other, side in sides:
            if side.other >= LEAST_SHARE:
                effect = "nearly all" if side.other > limit else "some"
                found.append(
                    f"{percent_of(side.other)} of the {name} text is more like the {other} (such "
                    f"as {side.example!r}), so {effect} words of the {other} become shared; "
                    "clean the text, or lower the threshold"
                )
        return found

    def suspects(self, side: str) -> bool:
        """Whether a text contains text of the other language."""
        text: TextContrast = getattr(self, side)
        return self.is_plain and text.other >= LEAST_SHARE

    def as_dict(self) -> dict[str, Any]:
        """The shares, for records."""
        return {
            "told_apart": self.is_plain,
            **{
                name: {
                    "passages": side.passages,
                    "own": round(side.own, 4),
                    "other": round(side.other, 4),
                }
                for name, side in (("source", self.source), ("target", self.target))
            },
        }


def language_contrast(
    source: Sequence[str], target: Sequence[str], progress: Progress | None = None
) -> LanguageContrast:
    """Compare samples of two texts.

    Parameters
    ----------
    source, target : sequence of str
        Passages, words with blanks between them.
    progress : Progress, optional
        Receives the stage of the work.

    Returns
    -------
    LanguageContrast

    Examples
    --------
    >>> english = [f"the house number {n} stands in the long street" for n in range(60)]
    >>> german = [f"das Haus mit der Nummer {n} steht in der langen Straße" for n in range(60)]
    >>> result = language_contrast(english[:50], german + english[50:])
    >>> round(result.source.other, 2), round(result.target.other, 2)  # 10 of 70 lines are English
    (0.0, 0.12)
    """
    with (progress or Progress()).stage("comparing languages"):
        passages = [*source, *target]
        is_target = np.arange(len(passages)) >= len(source)
        scores = _scores(passages, is_target)
        scores[is_target] *= -1
        return LanguageContrast(_side(source, scores[~is_target]), _side(target, scores[is_target]))


def _side(passages: Sequence[str], scores: np.ndarray) -> TextContrast:
    """The shares of one text; a high score belongs to the other text."""
    if not len(passages):
        return TextContrast(0, 0.0, 0.0, "")
    words = np.array([passage.count(" ") + 1 for passage in passages])
    own, other = (
        float(words[clear].sum() / words.sum()) for clear in (scores < -MARGIN, scores > MARGIN)
    )
    return TextContrast(len(passages), own, other, example_of(passages[int(scores.argmax())]))


def _scores(passages: Sequence[str], is_target: np.ndarray) -> np.ndarray:
    """Score every passage, log p_target − log p_source, without its own part of a profile."""
    size = len(passages)
    row, trigram, count = _trigrams(passages)
    length = np.bincount(row, count, size)
    now, scores = is_target, np.zeros(size, dtype=float)
    for _ in range(ROUNDS):
        likelihoods = []
        for belongs in (~now, now):
            mine = belongs[row]
            profile = np.bincount(trigram[mine], count[mine], BUCKETS)
            rest = profile[trigram] - mine * count + SMOOTHING
            total = profile.sum() - belongs * length + SMOOTHING * BUCKETS
            likelihoods.append(np.log(rest / total[row]))
        evidence = count * (likelihoods[1] - likelihoods[0])
        scores = np.bincount(row, evidence, size).astype(float)
        before, now = now, np.where(np.abs(scores) > MARGIN, scores > 0, is_target)
        if (now == before).all():
            break
    return scores


def _trigrams(passages: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The hashed trigrams: number of the passage, bucket, and count."""
    text = "".join(f" {passage.replace(chr(10), ' ')} \n" for passage in passages)
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    first, second, third = (letters[place : len(letters) - 2 + place] for place in range(3))
    multiplier = np.uint64(1_000_003)
    mixed = ((first * multiplier ^ second) * multiplier ^ third) * np.uint64(0x9E3779B97F4A7C15)
    inside = (first != 10) & (second != 10) & (third != 10)
    row = np.cumsum(letters == 10)[: len(mixed)]
    keys = row[inside] * BUCKETS + (mixed[inside] >> np.uint64(48)).astype(np.int64)
    found, count = np.unique(keys, return_counts=True)
    return found // BUCKETS, found % BUCKETS, count.astype(float)
