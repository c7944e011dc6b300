"""An inspection of the texts of two languages before joint training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lexalign.training.inspection import TextInspection
from lexalign.training.joint.language_contrast import LanguageContrast


@dataclass(frozen=True)
class JointInspection:
    """Two texts before joint training.

    Parameters
    ----------
    source, target : TextInspection
        Each text by itself.
    vocabulary : int
        The number of words to train, those of both languages together.
    contrast : LanguageContrast or None
        The shares of each text that are more like the other one; None if not compared.
    threshold : float
        The share of its mass from which a word belongs to one language.
    """

    source: TextInspection
    target: TextInspection
    vocabulary: int
    contrast: LanguageContrast | None
    threshold: float

    def statements(self) -> list[tuple[str, str]]:
        """The lines to print before training: a name and a sentence each."""
        (text, *source), (_, *target) = self.source.statements(), self.target.statements()
        found = [("text", text[1]), *source, *target]
        found.append(("joint vocabulary", f"{self.vocabulary:,} words of both languages"))
        if self.contrast is not None:
            found.append(("comparison", self.contrast.statement()))
        return found

    def findings(self) -> list[str]:
        """Sentences about possible problems of the texts, each fact once."""
        found = []
        for text, other in ((self.source, self.target), (self.target, self.source)):
            known = self.contrast is not None and self.contrast.suspects(text.side)
            found += text.findings(without=(other.languages.main,) if known else ())
        return found + (self.contrast.findings(self.threshold) if self.contrast else [])

    def as_dict(self) -> dict[str, Any]:
        """The preparation, the languages and the comparison, for records."""
        return {
            "preparation": self.source.preparation,
            "language": {
                "source": self.source.languages.as_dict(),
                "target": self.target.languages.as_dict(),
            },
            "covered": {
                "source": round(self.source.covered, 4),
                "target": round(self.target.covered, 4),
            },
            "contrast": None if self.contrast is None else self.contrast.as_dict(),
        }
