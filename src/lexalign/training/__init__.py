"""Training: from text to word vectors, for one language or for two jointly."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lexalign.errors import about
from lexalign.progress import Progress
from lexalign.training.balance import BalancedCorpora
from lexalign.training.corpus import Corpus
from lexalign.training.counts import Counts
from lexalign.training.inspection import Report, TextInspection, announce
from lexalign.training.languages import LANGUAGE, identify
from lexalign.training.passages import PassageSample
from lexalign.training.settings import MODELS
from lexalign.training.trainer import Trainer
from lexalign.vectors import Embeddings

__all__ = ["LANGUAGE", "MODELS", "BalancedCorpora", "Corpus", "Counts", "Trainer", "train"]


def train(
    paths: str | Path | Iterable[str | Path],
    trainer: Trainer | None = None,
    *,
    rule: str = "words",
    keep_case: bool = False,
    language: str = "auto",
    checkpoints: str = "",
    report: Report | None = None,
    progress: Progress | None = None,
) -> tuple[Embeddings, Counts]:
    """Train word vectors on text files.

    Parameters
    ----------
    paths : str, Path or iterable of them
        Text files in UTF-8, plain or compressed (``.gz``, ``.bz2``, ``.xz``).
    trainer : Trainer, optional
        The model and its parameters; the default is ``Trainer()``.
    rule : {"words", "whitespace"}
        How to split the text into words (see ``lexalign.vectors.tokens``).
    keep_case : bool
        Whether to keep upper case; otherwise all words are changed to lower case.
    language : str
        The expected language of the text, as a code such as "de". With "auto", the log reports text
        in a second language. With "none", nothing is checked.
    checkpoints : str
        A folder that keeps the state after every epoch. A later call resumes from it.
    report : callable, optional
        Called with a ``TextInspection`` before training: sizes, coverage and languages.
    progress : Progress, optional
        Receives the stages of the work.

    Returns
    -------
    embeddings : Embeddings, shape (n, d)
        The vectors of the trained words, most frequent first.
    counts : Counts
        The number of occurrences of every word.

    Raises
    ------
    InputError
        If a file is missing or is not text, if no word occurs often enough, or if the text is
        clearly not in ``language``.
    MissingExtraError
        If the training library is not installed.

    Examples
    --------
    >>> import tempfile, lexalign
    >>> from pathlib import Path
    >>> from lexalign.training import Trainer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "en.txt"
    ...     _ = path.write_text("the dog sees the cat " * 20)
    ...     english, counts = lexalign.train([path], Trainer(model="skipgram", dimension=8))
    >>> english.words, english.dimension, counts.tokens
    (('the', 'cat', 'dog', 'sees'), 8, 100)
    """
    trainer = trainer or Trainer()
    trainer.require_packages()
    LANGUAGE.require("language", language, "training")
    files = [paths] if isinstance(paths, str | Path) else paths
    corpus = Corpus(tuple(map(Path, files)), rule, keep_case)
    with about(corpus.paths[0]):
        sample = PassageSample()
        counts = Counts.of(sample.watch(corpus), progress)
        words = counts.most_frequent(trainer.vocabulary, trainer.minimum_count)
        languages = identify(sample.passages, language, progress)
        languages.require_expected()
    announce(TextInspection(corpus, counts, words, languages), report)
    return trainer.train(corpus, words, counts.tokens, progress, checkpoints), counts
