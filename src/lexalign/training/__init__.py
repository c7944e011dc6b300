"""Training: from text to word vectors, of one language or of two jointly."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lexalign.errors import about
from lexalign.progress import Progress
from lexalign.training.balance import BalancedCorpora
from lexalign.training.corpus import Corpus
from lexalign.training.counts import Counts
from lexalign.training.trainer import MODELS, Trainer, require_gensim
from lexalign.vectors import Embeddings

__all__ = ["MODELS", "BalancedCorpora", "Corpus", "Counts", "Trainer", "train"]


def train(
    paths: Iterable[str | Path],
    trainer: Trainer | None = None,
    *,
    rule: str = "words",
    keep_case: bool = False,
    checkpoints: str = "",
    progress: Progress | None = None,
) -> tuple[Embeddings, Counts]:
    """The vectors of the words in some files of text, and the counts of all words there.

    ``rule`` and ``keep_case`` say what a word is (see ``lexalign.vectors.tokens``). In the folder
    ``checkpoints`` the state after every epoch is kept, and training goes on from there.
    """
    require_gensim()
    trainer, corpus = trainer or Trainer(), Corpus(tuple(map(Path, paths)), rule, keep_case)
    with about(corpus.paths[0]):
        counts = Counts.of(corpus, progress)
        words = counts.most_frequent(trainer.vocabulary, trainer.minimum_count)
    return trainer.train(corpus, words, counts.tokens, progress, checkpoints), counts
