"""Word vectors from text, trained by gensim on the CPU or by torch on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import attrs

from lexalign.checkpoint import Checkpoint
from lexalign.progress import Progress
from lexalign.training.corpus import Text
from lexalign.training.gensim_models import train_by_gensim
from lexalign.training.settings import TrainingSettings
from lexalign.training.torch_models import train_by_torch
from lexalign.vectors import Embeddings


@attrs.frozen(kw_only=True)
class Trainer(TrainingSettings):
    """The training of word vectors.

    Skip-gram with negative sampling maximises, over all pairs of a word w and a context c within
    ``window`` of it,

        log σ(v(w)·u(c)) + Σ over ``negative`` random words c′ of log σ(−v(w)·u(c′)).

    "skipgram" has one vector v(w) per word. "cbow" predicts w from the mean of its contexts. In
    "fasttext" v(w) is the mean of the vectors of w and of its parts, which are hashed into
    ``buckets``.

    On the CPU, gensim trains [1]_ [2]_. With one of its ``workers``, every run gives the same
    vectors; with several, it does not. On a GPU, torch trains ``skipgram`` and ``fasttext`` on many
    words at once (see ``lexalign.training.skip_gram``). The same seed gives the same vectors on the
    same kind of GPU.

    Raises
    ------
    ParameterError
        If the value of a parameter is not valid.

    Examples
    --------
    >>> Trainer(model="skipgram", dimension=100).epochs
    5

    References
    ----------
    .. [1] Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their
       Compositionality".
    .. [2] Bojanowski et al. 2017, "Enriching Word Vectors with Subword Information".
    """

    def train(
        self,
        text: Text,
        words: Mapping[str, int],
        tokens: int,
        progress: Progress | None = None,
        checkpoints: str = "",
    ) -> Embeddings:
        """Train the vectors of some words on a text.

        Parameters
        ----------
        text : Text
            Pieces of text as lists of words; it is read once per epoch.
        words : mapping of str to int, length n
            The words to train with their counts, in the order of the result.
        tokens : int
            Approximate number of words in the text.
        progress : Progress, optional
            Receives the stages of the work.
        checkpoints : str
            A folder that keeps the state after every epoch. A later call resumes from it.

        Returns
        -------
        Embeddings, shape (n, d)
            The vectors of ``words``.

        Raises
        ------
        MissingExtraError
            If gensim is not installed.
        """
        listed = "\n".join(f"{word} {count}" for word, count in words.items())
        settings = {
            **attrs.asdict(self),
            "words": sha256(listed.encode("utf-8", "surrogatepass")).hexdigest(),
            "tokens": tokens,
            "text": text.identity,
        }
        checkpoint = Checkpoint.of(checkpoints, "training", settings)
        train = train_by_torch if self.uses_torch else train_by_gensim
        return train(self, text, words, tokens, progress or Progress(), checkpoint)
