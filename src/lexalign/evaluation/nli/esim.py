"""ESIM, the enhanced sequential inference model, on frozen word vectors.

One BiLSTM reads premise and hypothesis. Each word attends to the words of the other sentence,

    e_ij = a_i · b_j,   ã_i = Σ_j softmax_j(e_ij) b_j,   b̃_j = Σ_i softmax_i(e_ij) a_i,

and is compared with the attended words, [a; ã; a − ã; a ⊙ ã]. A projection and a second BiLSTM
follow. The mean and maximum over both sentences pass through a tanh layer to three classes.

Operations on single words run on packed words, without padding. Matrices of sentences × words are
built only where two sentences meet.

Source: Chen et al. 2017, "Enhanced LSTM for Natural Language Inference".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from lexalign.evaluation.nli import lstm
from lexalign.evaluation.nli.examples import LABELS


class Words(NamedTuple):
    """A batch with the vectors of its words, (m, d), on the model's device; sizes on the CPU."""

    vectors: Tensor
    sizes: Tensor
    places: Tensor
    lengths: Tensor
    width: int


class Esim(nn.Module):  # type: ignore[misc]
    """From pairs of sentences of word vectors to the logits of the classes."""

    def __init__(self, dimension: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.reader = nn.LSTM(dimension, hidden, bidirectional=True)
        self.projection = nn.Linear(8 * hidden, hidden)
        self.composer = nn.LSTM(hidden, hidden, bidirectional=True)
        self.inner = nn.Linear(8 * hidden, hidden)
        self.outer = nn.Linear(hidden, len(LABELS))
        self.dropout = nn.Dropout(dropout)

    def forward(self, words: Words, random: np.random.Generator | None = None) -> Tensor:
        """Compute the logits (n, 3) of the pairs; ``random`` draws the dropout in training.

        Without it, torch draws, which takes fifteen times as long on a CPU.
        """
        inside = torch.arange(words.width, device=words.places.device) < words.lengths[:, None]
        read = _states(self.reader, self._dropped(words.vectors, random), words.sizes)
        a, b = _by_sentence(read, words).chunk(2)
        inside_a, inside_b = inside.chunk(2)
        alike = a @ b.transpose(1, 2)
        seen_by_a = _softmax(alike, inside_b) @ b
        seen_by_b = _softmax(alike.transpose(1, 2), inside_a) @ a
        seen = torch.cat((seen_by_a, seen_by_b)).flatten(0, 1).index_select(0, words.places)
        compared = torch.cat((read, seen, read - seen, read * seen), dim=1)
        projected = torch.relu(self.projection(self._dropped(compared, random)))
        composed = _states(self.composer, self._dropped(projected, random), words.sizes)
        matrix = _by_sentence(composed, words)
        mean = matrix.sum(1) / words.lengths[:, None]
        most = matrix.masked_fill(~inside[:, :, None], -torch.inf).amax(1)
        pooled = torch.cat(torch.cat((mean, most), dim=1).chunk(2), dim=1)
        inner = torch.tanh(self.inner(self._dropped(pooled, random)))
        return self.outer(self._dropped(inner, random))

    def _dropped(self, values: Tensor, random: np.random.Generator | None) -> Tensor:
        """Apply dropout in training: drop a share of the values and scale the others."""
        if random is None or not self.training:
            return self.dropout(values)
        return values * kept(values.shape, self.dropout.p, random)


def kept(shape: Sequence[int], share: float, random: np.random.Generator) -> Tensor:
    """Draw the factors of dropout: 0 for a ``share`` of the values, a constant for the others.

    The share is rounded to a whole number of 65,536ths.
    """
    left_out, count = min(round(share * 2**16), 2**16 - 1), math.prod(shape)
    bits = random.integers(0, 2**64, -(-count // 4), dtype=np.uint64).view(np.uint16)[:count]
    factor = np.float32(2**16 / (2**16 - left_out))
    return torch.from_numpy(np.multiply(bits >= left_out, factor)).view(*shape)


def _states(layer: nn.LSTM, vectors: Tensor, sizes: Tensor) -> Tensor:
    """The states of a BiLSTM at every word, (m, 2h), in single precision, which it needs."""
    if vectors.device.type == "cpu":
        return lstm.states(layer, vectors, sizes.tolist())
    with torch.autocast(vectors.device.type, enabled=False):
        return layer(PackedSequence(vectors.float(), sizes))[0].data


def _by_sentence(states: Tensor, words: Words) -> Tensor:
    """The states as a matrix (2n, width, 2h), zero after the end of a sentence."""
    matrix = states.new_zeros(len(words.lengths) * words.width, states.shape[1])
    return matrix.index_copy(0, words.places, states).unflatten(0, (-1, words.width))


def _softmax(scores: Tensor, inside: Tensor) -> Tensor:
    """The softmax over the words of the other sentence, (n, l, l)."""
    return torch.softmax(scores.float().masked_fill(~inside[:, None, :], -torch.inf), dim=2)
