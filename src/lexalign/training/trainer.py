"""Word vectors from text, by gensim: skip-gram, CBOW, or skip-gram with subwords (fastText)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.checkpoint import Checkpoint, State
from lexalign.libraries import load
from lexalign.parameters import parameter, seed_parameter
from lexalign.progress import Advance, Progress
from lexalign.training.corpus import Text
from lexalign.vectors import Embeddings

MODELS = ("fasttext", "skipgram", "cbow")
LOWEST_RATE = 1e-4
"""Where the learning rate ends, as a share of where it began."""


@attrs.frozen(kw_only=True)
class Trainer:
    """Set how vectors are trained.

    Skip-gram with negative sampling maximises, over all pairs of a word w and a context c within
    ``window`` of it,

        log σ(v(w)·u(c)) + Σ over ``negative`` random words c′ of log σ(−v(w)·u(c′)).

    "skipgram" has one vector v(w) per word. "cbow" predicts w from the mean of its contexts. In
    "fasttext" v(w) is the mean of the vectors of w and of its parts, which are hashed into
    ``buckets``.

    One of the ``workers`` gives the same vectors every time; several do not.

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

    role: ClassVar[str] = "training"

    model: str = parameter(
        "fasttext",
        choices=MODELS,
        help="Skip-gram with subwords, skip-gram, or continuous bag of words.",
    )
    dimension: int = parameter(300, at_least=1, help="Dimension of the vectors.")
    vocabulary: int = parameter(
        200_000, at_least=1, help="Train this number of most frequent words per language."
    )
    minimum_count: int = parameter(5, at_least=1, help="Leave out words that occur less often.")
    epochs: int = parameter(5, at_least=1, help="Number of passes over the text.")
    window: int = parameter(5, at_least=1, help="Number of context words to either side.")
    negative: int = parameter(10, at_least=1, help="Number of negative samples per context.")
    sample: float = parameter(
        1e-4, at_least=0, below=1, help="Downsample words above this frequency; 0 keeps all."
    )
    rate: float = parameter(0.05, above=0, help="Initial learning rate; falls to almost 0.")
    buckets: int = parameter(
        200_000, at_least=1, help="Number of hashed subword vectors (model fasttext)."
    )
    workers: int = parameter(
        1, at_least=1, help="Number of threads; only 1 gives the same result every time."
    )
    seed: int = seed_parameter(below=2**32)

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
            A folder that keeps the state after every epoch. A later call continues from there.

        Returns
        -------
        Embeddings, shape (n, d)
            The vectors of ``words``.

        Raises
        ------
        MissingExtraError
            If gensim is not installed.
        """
        model = self._untrained(words)
        listed = "\n".join(f"{word} {count}" for word, count in words.items())
        settings = {
            **attrs.asdict(self),
            "words": sha256(listed.encode("utf-8", "surrogatepass")).hexdigest(),
            "tokens": tokens,
            "text": text.identity,
        }
        checkpoint = Checkpoint.of(checkpoints, "training", settings)
        total = self.epochs * tokens
        with (progress or Progress()).stage("training", total=total, unit="tokens") as advance:
            watched, done = MonitoredText(text, advance), _restore(model, checkpoint.load())
            advance.resume(done * tokens)
            for epoch in range(done, self.epochs):
                start, end = (self.rate * (1 - (epoch + step) / self.epochs) for step in (0, 1))
                model.train(
                    watched,
                    total_words=tokens,
                    epochs=1,
                    start_alpha=start,
                    end_alpha=max(end, LOWEST_RATE * self.rate),
                )
                if watched.error is not None:
                    raise watched.error
                checkpoint.save(_state(model, epoch + 1))
        return Embeddings(tuple(model.wv.index_to_key), model.wv.vectors)

    def _untrained(self, words: Mapping[str, int]) -> Any:
        """The model of gensim, with its first random vectors."""
        models = require_gensim()
        kind, more = models.Word2Vec, {}
        if self.model == "fasttext":
            kind, more = models.FastText, {"bucket": self.buckets}
        model = kind(
            vector_size=self.dimension,
            sg=int(self.model != "cbow"),
            window=self.window,
            negative=self.negative,
            sample=self.sample,
            alpha=self.rate,
            min_count=1,
            workers=self.workers,
            seed=self.seed,
            sorted_vocab=0,
            **more,
        )
        model.build_vocab_from_freq(dict(words))
        return model


class MonitoredText:
    """A text whose reading is reported.

    gensim reads it in a thread of its own and would wait for ever after an error there, so an error
    is kept, and ends the pass.
    """

    def __init__(self, text: Text, advance: Advance) -> None:
        self.text, self.advance = text, advance
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[list[str]]:
        """One pass."""
        try:
            for piece in self.text:
                self.advance(len(piece))
                yield piece
        except Exception as error:
            self.error = error


def require_gensim() -> Any:
    """The models of gensim, or a sentence that says how to get them."""
    return load("gensim.models", feature="Training", extra="train")


def _weights(model: Any) -> dict[str, np.ndarray]:
    """All that training changes, by name, besides the state of the random numbers."""
    weights = {"contexts": model.syn1neg}
    if hasattr(model.wv, "vectors_ngrams"):
        return {**weights, "words": model.wv.vectors_vocab, "parts": model.wv.vectors_ngrams}
    return {**weights, "words": model.wv.vectors}


def _state(model: Any, epochs: int) -> State:
    _, keys, position, *_ = model.random.get_state()
    return State({**_weights(model), "random": keys}, {"epochs": epochs, "position": position})


def _restore(model: Any, state: State | None) -> int:
    """Bring a model back to where it was; the number of epochs it has behind it."""
    if state is None:
        return 0
    for name, weights in _weights(model).items():
        weights[:] = state.arrays[name]
    model.random.set_state(("MT19937", state.arrays["random"], state.facts["position"]))
    if hasattr(model.wv, "vectors_ngrams"):
        model.wv.adjust_vectors()
    return int(state.facts["epochs"])
