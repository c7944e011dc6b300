"""Inference: classes of pairs of sentences, given the vectors of their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexalign.evaluation.nli.encoding import EncodedPairs
from lexalign.evaluation.nli.shards import SHARD, in_shards
from lexalign.libraries import load
from lexalign.progress import Advance, unseen
from lexalign.threads import MOST_BLOCKS
from lexalign.vectors import Embeddings

if TYPE_CHECKING:
    import torch

    from lexalign.evaluation.nli.esim import Esim

ASKED_AT_ONCE = 256


def require_torch() -> Any:
    """Raise an error with the installation command if torch is missing."""
    return load("torch", feature="Natural language inference", extra="torch")


def word_table(vectors: Embeddings, device: str) -> torch.Tensor:
    """The table of word vectors for the model, (words + 1, d): rows of length √d, and a row of
    zeros.

    Entries of size 1 suit the gates of an LSTM. The length of a word vector carries little
    information.
    """
    torch, matrix = require_torch(), vectors.matrix
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled = np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)
    nothing = np.zeros((1, vectors.dimension), dtype=np.float32)
    rows = np.concatenate((np.float32(np.sqrt(vectors.dimension)) * scaled, nothing))
    return torch.as_tensor(rows, device=device)


def logits(
    model: Esim,
    table: torch.Tensor,
    examples: EncodedPairs,
    chosen: np.ndarray,
    random: np.random.Generator | None = None,
) -> torch.Tensor:
    """The logits of the chosen pairs, (n, 3); ``random`` draws dropout, otherwise torch does."""
    from lexalign.evaluation.nli.esim import Words

    torch, batch = require_torch(), examples.batch(chosen)
    rows, places, lengths = (
        torch.as_tensor(array, device=table.device)
        for array in (batch.rows, batch.places, batch.lengths)
    )
    sizes = torch.as_tensor(batch.sizes)
    return model(Words(table[rows], sizes, places, lengths, batch.width), random)


def predict(
    model: Esim, table: torch.Tensor, examples: EncodedPairs, advance: Advance = unseen
) -> np.ndarray:
    """The most probable class of each pair, (n,) int64; ``advance`` receives numbers of pairs."""
    torch = require_torch()
    model.eval()
    answers = np.empty(len(examples), dtype=np.int64)

    def ask(pairs: np.ndarray) -> None:
        with torch.inference_mode():
            answers[pairs] = logits(model, table, examples, pairs).argmax(1).cpu().numpy()

    for chosen in examples.order(ASKED_AT_ONCE if table.is_cuda else SHARD * MOST_BLOCKS):
        if table.is_cuda:
            ask(chosen)
        else:
            in_shards(lambda _, part, chosen=chosen: ask(chosen[part]), len(chosen))  # type: ignore[misc]
        advance(len(chosen))
    return answers
