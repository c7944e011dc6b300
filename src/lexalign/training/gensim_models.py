"""Word vectors by gensim on the CPU: skip-gram, CBOW, or skip-gram with subwords (fastText)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lexalign.checkpoint import Checkpoint, State
from lexalign.libraries import load
from lexalign.progress import Advance, Progress
from lexalign.training.corpus import Text
from lexalign.training.settings import LOWEST_RATE, TrainingSettings
from lexalign.vectors import Embeddings


def train_by_gensim(
    settings: TrainingSettings,
    text: Text,
    words: Mapping[str, int],
    tokens: int,
    progress: Progress,
    checkpoint: Checkpoint,
) -> Embeddings:
    """Train by gensim, which reads the text once per epoch."""
    model = _untrained(settings, words)
    total = settings.epochs * tokens
    with progress.stage("training", total=total, unit="tokens") as advance:
        watched, done = MonitoredText(text, advance), _restore(model, checkpoint.load())
        advance.resume(done * tokens)
        for epoch in range(done, settings.epochs):
            start, end = (settings.rate * (1 - (epoch + step) / settings.epochs) for step in (0, 1))
            model.train(
                watched,
                total_words=tokens,
                epochs=1,
                start_alpha=start,
                end_alpha=max(end, LOWEST_RATE * settings.rate),
            )
            if watched.error is not None:
                raise watched.error
            checkpoint.save(_state(model, epoch + 1))
    return Embeddings(tuple(model.wv.index_to_key), model.wv.vectors)


def _untrained(settings: TrainingSettings, words: Mapping[str, int]) -> Any:
    """The gensim model with its initial random vectors."""
    models = require_gensim()
    kind, more = models.Word2Vec, {}
    if settings.model == "fasttext":
        kind, more = models.FastText, {"bucket": settings.buckets}
    model = kind(
        vector_size=settings.dimension,
        sg=int(settings.model != "cbow"),
        window=settings.window,
        negative=settings.negative,
        sample=settings.sample,
        alpha=settings.rate,
        min_count=1,
        workers=settings.workers,
        seed=settings.seed,
        sorted_vocab=0,
        **more,
    )
    model.build_vocab_from_freq(dict(words))
    return model


class MonitoredText:
    """A text that reports its reading.

    gensim reads the text in a separate thread, and would wait forever after an error there. So an
    error ends the pass and is raised later.
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
    """Return gensim's models; raise an error with the installation command if it is missing."""
    return load("gensim.models", feature="Training", extra="train")


def _weights(model: Any) -> dict[str, np.ndarray]:
    """All trained weights by name, without the state of the random numbers."""
    weights = {"contexts": model.syn1neg}
    if hasattr(model.wv, "vectors_ngrams"):
        return {**weights, "words": model.wv.vectors_vocab, "parts": model.wv.vectors_ngrams}
    return {**weights, "words": model.wv.vectors}


def _state(model: Any, epochs: int) -> State:
    _, keys, position, *_ = model.random.get_state()
    return State({**_weights(model), "random": keys}, {"epochs": epochs, "position": position})


def _restore(model: Any, state: State | None) -> int:
    """Restore a model; return the number of finished epochs."""
    if state is None:
        return 0
    for name, weights in _weights(model).items():
        weights[:] = state.arrays[name]
    model.random.set_state(("MT19937", state.arrays["random"], state.facts["position"]))
    if hasattr(model.wv, "vectors_ngrams"):
        model.wv.adjust_vectors()
    return int(state.facts["epochs"])
