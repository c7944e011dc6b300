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
    """How vectors are trained.

    ``model`` is "skipgram" or "cbow" of word2vec, or "fasttext", which is skip-gram whose words
    share the vectors of their parts, hashed into so many ``buckets``. Of the words that occur
    ``minimum_count`` times the ``vocabulary`` most frequent get vectors of ``dimension`` numbers.
    In ``epochs`` passes over the text, words within ``window`` of each other are told from
    ``negative`` random ones, very frequent words being left out at times as ``sample`` says, while
    the learning ``rate`` falls to nothing. One of the ``workers`` gives the same vectors every
    time; with several it depends on who comes first.

    Sources: Mikolov et al. 2013; Bojanowski et al. 2017; by gensim.
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
        """The vectors of ``words``, given with their counts, in that order.

        ``text`` is read once an epoch and has about so many ``tokens``. In the folder
        ``checkpoints`` the state after every epoch is kept, and training goes on from there.
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
        with (progress or Progress()).stage("training") as advance:
            watched, done = MonitoredText(text, advance), _restore(model, checkpoint.load())
            advance(done * tokens)
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
