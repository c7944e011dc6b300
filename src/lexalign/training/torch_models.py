"""Word vectors by torch: skip-gram with or without subwords (fastText), on a GPU or CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lexalign.arrays import Array, blocks, to_numpy
from lexalign.checkpoint import Checkpoint, State
from lexalign.errors import LexalignError
from lexalign.progress import Progress
from lexalign.threads import one_thread_in_torch
from lexalign.training.context_tiles import WIDTH, tiles
from lexalign.training.corpus import Text
from lexalign.training.encoded_text import EncodedText, encoded
from lexalign.training.settings import LOWEST_RATE, TrainingSettings
from lexalign.training.skip_gram import SkipGram
from lexalign.vectors import Embeddings

BLOCK = 2**20
"""Number of words that are on the GPU at once."""

MOST_WORDS = 8192
LEAST_WORDS = 128
LEAST_STEPS = 512
"""A step takes ``MOST_WORDS`` words, or fewer if an epoch would have fewer steps than this."""

ROWS_AT_ONCE = 2**14


def train_by_torch(
    settings: TrainingSettings,
    text: Text,
    words: Mapping[str, int],
    tokens: int,
    progress: Progress,
    checkpoint: Checkpoint,
) -> Embeddings:
    """Train by torch; the text is read once, then kept as numbers in a temporary file."""
    import torch

    buckets = settings.buckets if settings.model == "fasttext" else 0
    model = SkipGram.of(words, settings.dimension, buckets, settings.seed, settings.device)
    done = _restore(model, checkpoint.load())
    kept = kept_shares(words, settings.sample)
    counts = np.array(list(words.values()))
    at_once = tiles_at_once(float(kept @ counts))
    kept_on_device = torch.as_tensor(kept, dtype=torch.float32, device=settings.device)
    with (
        one_thread_in_torch(settings.device),  # its operations are too small for several
        encoded(text, words, tokens, progress) as numbers,
        progress.stage(
            "training", total=settings.epochs * numbers.tokens, unit="tokens"
        ) as advance,
    ):
        advance.resume(done * numbers.tokens)
        for epoch in range(done, settings.epochs):
            _train_epoch(model, settings, numbers, epoch, kept_on_device, at_once, advance)
            if not torch.isfinite(model.inputs).all():
                raise LexalignError(
                    f"The vectors are no longer finite after epoch {epoch + 1}; lower the `rate`."
                )
            checkpoint.save(_state(model, epoch + 1))
    rows = torch.arange(len(words), device=settings.device)
    vectors = [to_numpy(model.vectors(rows[part])) for part in blocks(len(words), ROWS_AT_ONCE)]
    return Embeddings(tuple(words), np.concatenate(vectors))


def kept_shares(words: Mapping[str, int], sample: float) -> np.ndarray:
    """The probability that an occurrence of each word stays in the text.

    With f the frequency of a word, min(1, (√(f/sample) + 1)·sample/f), as in word2vec's program; 1
    for a ``sample`` of 0.
    """
    if not sample:
        return np.ones(len(words))
    counts = np.array(list(words.values()), dtype=np.float64)
    relative = counts / counts.sum() / sample
    return np.asarray(np.minimum(1, (np.sqrt(relative) + 1) / relative))


def tiles_at_once(words: float) -> int:
    """The number of tiles per step, for a number of words per epoch."""
    return int(np.clip(words / LEAST_STEPS, LEAST_WORDS, MOST_WORDS)) // WIDTH


def _train_epoch(
    model: SkipGram,
    settings: TrainingSettings,
    numbers: EncodedText,
    epoch: int,
    kept: Array,
    at_once: int,
    advance: Any,
) -> None:
    """One pass over the text; the rate falls linearly from block to block."""
    import torch

    everything = settings.epochs * len(numbers.numbers)
    seen = epoch * len(numbers.numbers)
    for block in numbers.blocks(BLOCK):
        rate = settings.rate * max(1 - seen / everything, LOWEST_RATE)
        on_device = torch.as_tensor(block, device=settings.device).long()
        for part in tiles(on_device, kept, settings.window, at_once, model.random):
            model.step(part, settings.negative, rate)
        seen += len(block)
        advance(int((block >= 0).sum()))


def _state(model: SkipGram, epochs: int) -> State:
    weights = {name: to_numpy(array) for name, array in model.weights.items()}
    return State({**weights, "random": to_numpy(model.random.get_state())}, {"epochs": epochs})


def _restore(model: SkipGram, state: State | None) -> int:
    """Restore a model; return the number of finished epochs."""
    import torch

    if state is None:
        return 0
    for name, array in model.weights.items():
        array.copy_(torch.as_tensor(state.arrays[name]))
    model.random.set_state(torch.as_tensor(state.arrays["random"]))
    return int(state.facts["epochs"])
