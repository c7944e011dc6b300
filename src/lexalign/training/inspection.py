"""An inspection of a text before training: sizes, coverage, preparation and languages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from lexalign.training.corpus import Corpus
from lexalign.training.counts import Counts
from lexalign.training.languages import LanguageShares

logger = logging.getLogger("lexalign")

_TOKENS = {
    "words": "tokens are runs of letters, marks and digits",
    "whitespace": "tokens are separated by white space",
}


@dataclass(frozen=True)
class TextInspection:
    """One text before training.

    Parameters
    ----------
    corpus : Corpus
        The text, with the rule that splits it.
    counts : Counts
        The number of occurrences of every word.
    words : mapping of str to int
        The words to train.
    languages : LanguageShares
        The languages of a sample of the text.
    side : str
        "source" or "target" in joint training, otherwise "".
    """

    corpus: Corpus
    counts: Counts
    words: Mapping[str, int]
    languages: LanguageShares
    side: str = ""

    @property
    def covered(self) -> float:
        """The share of the tokens whose words are trained."""
        found = self.counts.words
        return sum(found.get(word, 0) for word in self.words) / self.counts.tokens

    @property
    def preparation(self) -> dict[str, Any]:
        """How text is split into tokens, for records."""
        return {
            "case": "kept" if self.corpus.keep_case else "lower",
            "unicode_form": "NFC",
            "tokens": self.corpus.rule,
        }

    def statements(self) -> list[tuple[str, str]]:
        """The lines to print before training: a name and a sentence each."""
        case = "case unchanged" if self.corpus.keep_case else "lower case"
        forgotten = (
            (", plus rare words that were dropped while counting") if self.counts.forgotten else ""
        )
        name = f" of the {self.side}" if self.side else ""
        known = sum(word in self.counts.words for word in self.words)
        return [
            (f"text{name}", f"{case}, composed form (NFC); {_TOKENS[self.corpus.rule]}"),
            (
                f"size{name}",
                f"{self.counts.tokens:,} tokens, {len(self.counts.words):,} different words"
                f"{forgotten}",
            ),
            (
                f"vocabulary{name}",
                f"{known:,} words to train cover {100 * self.covered:.1f} % of the tokens",
            ),
            (f"language{name}", self.languages.statement()),
        ]

    def findings(self, without: Collection[str] = ()) -> list[str]:
        """Sentences about possible problems of the text, except with these languages."""
        return [f"{self.corpus.paths[0]}: {one}" for one in self.languages.findings(without)]

    def as_dict(self) -> dict[str, Any]:
        """The preparation and the languages, for records."""
        return {"preparation": self.preparation, "language": self.languages.as_dict()}


class Inspection(Protocol):
    """The interface of an inspection of one text or two."""

    def statements(self) -> list[tuple[str, str]]:
        """The lines to print: a name and a sentence each."""

    def findings(self) -> list[str]:
        """Sentences about possible problems."""

    def as_dict(self) -> dict[str, Any]:
        """The inspection for records."""


Report = Callable[[Inspection], None]
"""Receives an inspection before training."""


def announce(inspection: Inspection, report: Report | None) -> None:
    """Pass an inspection to ``report``, if given, and log its findings."""
    if report is not None:
        report(inspection)
    for finding in inspection.findings():
        logger.warning("%s.", finding)
