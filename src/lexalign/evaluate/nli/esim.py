"""ESIM, the enhanced sequential inference model, on frozen word vectors.

Premise and hypothesis are read by one BiLSTM. Each word attends to the words of the other sentence,

    e_ij = a_i · b_j,   ã_i = Σ_j softmax_j(e_ij) b_j,   b̃_j = Σ_i softmax_i(e_ij) a_i,

is compared with what it found, [a; ã; a − ã; a ⊙ ã], projected, and read by a second BiLSTM. Mean
and maximum over both sentences go through a tanh layer to three classes.

Source: Chen et al. 2017, "Enhanced LSTM for Natural Language Inference".
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

CLASSES = 3


class Esim(nn.Module):  # type: ignore[misc]
    """From two sentences of word vectors to the logits of the classes."""

    def __init__(self, dimension: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.reader = nn.LSTM(dimension, hidden, batch_first=True, bidirectional=True)
        self.projection = nn.Linear(8 * hidden, hidden)
        self.composer = nn.LSTM(hidden, hidden, batch_first=True, bidirectional=True)
        self.inner = nn.Linear(8 * hidden, hidden)
        self.outer = nn.Linear(hidden, CLASSES)
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Logits (n, 3) of the pairs whose premises are the first n sentences.

        ``vectors`` is (2n, l, d), the hypotheses after the premises, and ``lengths`` (2n,) on the
        CPU.
        """
        mask = torch.arange(vectors.shape[1], device=vectors.device) < lengths.to(
            vectors.device
        ).unsqueeze(1)
        read = _run(self.reader, self.dropout(vectors), lengths)
        a, b = read.chunk(2)
        mask_a, mask_b = mask.chunk(2)
        scores = a @ b.transpose(1, 2)
        seen_by_a = _softmax(scores, mask_b[:, None, :]) @ b
        seen_by_b = _softmax(scores.transpose(1, 2), mask_a[:, None, :]) @ a
        seen = torch.cat((seen_by_a, seen_by_b))
        compared = torch.cat((read, seen, read - seen, read * seen), dim=2)
        projected = torch.relu(self.projection(self.dropout(compared)))
        composed = _run(self.composer, self.dropout(projected), lengths)
        inside = mask.unsqueeze(2)
        mean = (composed * inside).sum(1) / inside.sum(1)
        most = composed.masked_fill(~inside, -torch.inf).amax(1)
        pooled = torch.cat((*torch.cat((mean, most), dim=1).chunk(2),), dim=1)
        return self.outer(self.dropout(torch.tanh(self.inner(self.dropout(pooled)))))


def _run(lstm: nn.LSTM, vectors: Tensor, lengths: Tensor) -> Tensor:
    """The states of an LSTM; the backward one begins at the end of every sentence."""
    packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    states, _ = pad_packed_sequence(
        lstm(packed)[0], batch_first=True, total_length=vectors.shape[1]
    )
    return states


def _softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.float().masked_fill(~mask, -torch.inf), dim=2).to(scores.dtype)
