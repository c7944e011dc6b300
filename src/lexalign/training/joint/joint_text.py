"""The text of two languages, counted and balanced, ready to be trained on jointly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attrs

from lexalign.digests import sha256
from lexalign.errors import about
from lexalign.progress import Progress
from lexalign.training import BalancedCorpora, Corpus, Counts, Trainer
from lexalign.vectors import Embeddings


@dataclass(frozen=True)
class JointText:
    """Two corpora, the ``counts`` of their words, and the ``trainer`` that shall read them."""

    corpora: tuple[Corpus, Corpus]
    counts: tuple[Counts, Counts]
    trainer: Trainer

    @classmethod
    def read(
        cls,
        source: tuple[Path, ...],
        target: tuple[Path, ...],
        trainer: Trainer,
        *,
        rule: str = "words",
        keep_case: bool = False,
        progress: Progress | None = None,
    ) -> JointText:
        """Count the words of both languages."""
        corpora, counts = list[Corpus](), list[Counts]()
        for name, paths in (("source", source), ("target", target)):
            corpora.append(Corpus(paths, rule, keep_case))
            with about(paths[0]):
                name = f"counting words of the {name}"
                counts.append(Counts.of(corpora[-1], progress, name=name))
        return cls((corpora[0], corpora[1]), (counts[0], counts[1]), trainer)

    @property
    def stream(self) -> BalancedCorpora:
        """Both languages, line by line, neither outweighing the other."""
        return BalancedCorpora(self.corpora, self.counts, self.trainer.seed)

    @property
    def words(self) -> dict[str, int]:
        """The joint vocabulary with its counts, most frequent first."""
        return self.stream.vocabulary(self.trainer.vocabulary, self.trainer.minimum_count)

    def train(self, progress: Progress | None = None, checkpoints: str = "") -> Embeddings:
        """One space for the words of both languages."""
        stream = self.stream
        return self.trainer.train(stream, self.words, stream.tokens, progress, checkpoints)

    def as_dict(self) -> dict[str, Any]:
        """How the vectors were trained and on what, for the record of a run."""
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
