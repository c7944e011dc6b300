"""The text of two languages, counted and balanced for joint training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attrs

from lexalign.digests import sha256
from lexalign.errors import about
from lexalign.progress import Progress
from lexalign.training import BalancedCorpora, Corpus, Counts, Trainer
from lexalign.training.inspection import TextInspection
from lexalign.training.joint.joint_inspection import JointInspection
from lexalign.training.joint.language_contrast import language_contrast
from lexalign.training.languages import LANGUAGE, LanguageShares, identify
from lexalign.training.passages import PassageSample
from lexalign.vectors import Embeddings


@dataclass(frozen=True)
class JointText:
    """Two corpora, the ``counts`` of their words, and the ``trainer`` for them.

    ``samples`` are passages of each, and ``languages`` are the languages of the passages.
    """

    corpora: tuple[Corpus, Corpus]
    counts: tuple[Counts, Counts]
    trainer: Trainer
    samples: tuple[Sequence[str], Sequence[str]] = ((), ())
    languages: tuple[LanguageShares, LanguageShares] = (LanguageShares(), LanguageShares())

    @classmethod
    def read(
        cls,
        source: tuple[Path, ...],
        target: tuple[Path, ...],
        trainer: Trainer,
        *,
        rule: str = "words",
        keep_case: bool = False,
        source_language: str = "auto",
        target_language: str = "auto",
        progress: Progress | None = None,
    ) -> JointText:
        """Count the words of both languages, and sample passages of each."""
        sides = []
        LANGUAGE.require("source_language", source_language, "joint training")
        LANGUAGE.require("target_language", target_language, "joint training")
        for name, paths, language in (
            ("source", source, source_language),
            ("target", target, target_language),
        ):
            corpus, sample = Corpus(paths, rule, keep_case), PassageSample()
            with about(paths[0]):
                counts = Counts.of(
                    sample.watch(corpus), progress, name=f"counting words of the {name}"
                )
                languages = identify(sample.passages, language, progress)
                languages.require_expected()
            sides.append((corpus, counts, tuple(sample.passages), languages))
        corpora, both, samples, shares = zip(*sides, strict=True)
        return cls(corpora, both, trainer, samples, shares)

    @property
    def stream(self) -> BalancedCorpora:
        """Yield both languages line by line, in balance."""
        return BalancedCorpora(self.corpora, self.counts, self.trainer.seed)

    @property
    def words(self) -> dict[str, int]:
        """The joint vocabulary with its counts, most frequent first."""
        return self.stream.vocabulary(self.trainer.vocabulary, self.trainer.minimum_count)

    def inspection(self, threshold: float, progress: Progress | None = None) -> JointInspection:
        """The inspection before training; ``threshold`` is the threshold of the reallocation."""
        words = self.words
        source, target = (
            TextInspection(corpus, counts, words, languages, side)
            for corpus, counts, languages, side in zip(
                self.corpora, self.counts, self.languages, ("source", "target"), strict=True
            )
        )
        is_off = any(languages.is_off for languages in self.languages)
        contrast = None if is_off else language_contrast(*self.samples, progress)
        return JointInspection(source, target, len(words), contrast, threshold)

    def train(self, progress: Progress | None = None, checkpoints: str = "") -> Embeddings:
        """Train one space for the words of both languages."""
        stream = self.stream
        return self.trainer.train(stream, self.words, stream.tokens, progress, checkpoints)

    def as_dict(self) -> dict[str, Any]:
        """The parameters and the text of the training, for the record of a run."""
        return {
            "training": {
                **attrs.asdict(self.trainer),
                "rule": self.corpora[0].rule,
                "keep_case": self.corpora[0].keep_case,
                "kept": self.stream.kept,
            },
            "inputs": {
                name: {
                    "files": {str(path): sha256(path) for path in corpus.paths},
                    "tokens": counts.tokens,
                    "words": len(counts.words),
                }
                for name, corpus, counts in zip(
                    ("source", "target"), self.corpora, self.counts, strict=True
                )
            },
        }
