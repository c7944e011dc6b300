"""What is known about a text before it is trained on: sizes, coverage, preparation, languages."""

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
    "words": "a token is a run of letters, marks and numbers",
    "whitespace": "a token is what stands between white space",
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
        The words that are going to be trained.
    languages : LanguageShares
        What languages a sample of the text looks like.
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
        """The share of the tokens that are words to be trained."""
        found = self.counts.words
        return sum(found.get(word, 0) for word in self.words) / self.counts.tokens

    @property
    def preparation(self) -> dict[str, Any]:
        """How text becomes tokens, for records."""
        return {
            "case": "kept" if self.corpus.keep_case else "lower",
            "unicode_form": "NFC",
            "tokens": self.corpus.rule,
        }

    def statements(self) -> list[tuple[str, str]]:
        """What to show before training: a name and a sentence each."""
        case = "case as in the text" if self.corpus.keep_case else "lower case"
        forgotten = ", and more that were forgotten" if self.counts.forgotten else ""
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
        """Sentences about what may be wrong with the text, but not those languages."""
        return [f"{self.corpus.paths[0]}: {one}" for one in self.languages.findings(without)]

    def as_dict(self) -> dict[str, Any]:
        """The preparation and the languages, for records."""
        return {"preparation": self.preparation, "language": self.languages.as_dict()}


class Inspection(Protocol):
    """What is known before training, about one text or two."""

    def statements(self) -> list[tuple[str, str]]:
        """What to show: a name and a sentence each."""

    def findings(self) -> list[str]:
        """Sentences about what may be wrong."""

    def as_dict(self) -> dict[str, Any]:
        """The same for records."""


Report = Callable[[Inspection], None]
"""Shows an inspection before training begins."""


def announce(inspection: Inspection, report: Report | None) -> None:
    """Give an inspection to ``report``, if there is one, and its findings to the log."""
    if report is not None:
        report(inspection)
    for finding in inspection.findings():
        logger.warning("%s.", finding)
