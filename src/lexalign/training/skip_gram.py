"""Skip-gram with negative sampling in torch, with or without subwords.

Many word pairs are trained at once. For a tile of text (``lexalign.training.context_tiles``), V, U
and N are the vectors of its words, of the words around them, and of random words. The loss is

    −Σ near·log σ(VUᵀ) − Σ weight·log σ(−VNᵀ),

with weight = contexts of the word · negative / rows of N. So the random words count as if every
pair drew its own. The gradients are written out: with G = near·(σ(VUᵀ) − 1) and H = weight·σ(VNᵀ),
they are GU + HN for V, GᵀV for U and HᵀV for N.

Gradients of the same word are summed first. A row m of a matrix then takes the step

    s ← s + mean(g²),   m ← m − stride·rate·g/√s,

which is Adagrad with one number per row [1]_. Frequent words take short steps, rare words long
steps. The sum s begins at ``FIRST_SCALE``, so that the tiny first gradients do not make the longest
steps. The rate falls linearly to almost 0, as in word2vec. The stride is 2 without subwords and 4
with them; it makes the default rate of word2vec suitable here.

References
----------
.. [1] Duchi, Hazan and Singer 2011, "Adaptive Subgradient Methods for Online Learning and
   Stochastic Optimization".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.arrays import Array
from lexalign.training.context_tiles import Tiles
from lexalign.training.subwords import Subwords

FLATTENING = 0.75
"""Exponent of the counts in the distribution of random words."""

RANDOM_WORDS = 64
"""Number of random words per tile."""

FIRST_SCALE = 1e-3
STRIDE, STRIDE_OF_PARTS = 2.0, 4.0


@dataclass(frozen=True)
class SkipGram:
    """The weights of a model and the state of its training.

    ``inputs``, (n + buckets, d), has the n words and then the parts; ``contexts``, (n, d), the
    words as contexts. The vector of a word is the mean of its parts, itself among them.
    ``input_scale`` and ``context_scale`` are the sums s of the steps. ``cumulative`` is the
    cumulative distribution of random words.
    """

    inputs: Array
    contexts: Array
    input_scale: Array
    context_scale: Array
    cumulative: Array
    parts: Array | None
    starts: Array
    counts: Array
    stride: float
    random: Any

    @classmethod
    def of(
        cls, words: Mapping[str, int], dimension: int, buckets: int, seed: int, device: str
    ) -> SkipGram:
        """The initial model of some words with their counts; no subwords without ``buckets``."""
        import torch

        random = torch.Generator(device).manual_seed(seed)
        inputs = torch.empty(len(words) + buckets, dimension, device=device)
        inputs.uniform_(-1 / dimension, 1 / dimension, generator=random)
        frequency = np.array(list(words.values()), np.float64) ** FLATTENING
        cumulative = np.cumsum(frequency / frequency.sum())
        subwords = Subwords.of(list(words), buckets)
        parts, starts, counts = (
            torch.as_tensor(each, device=device)
            for each in (subwords.parts, subwords.starts, subwords.counts)
        )
        return cls(
            inputs,
            torch.zeros(len(words), dimension, device=device),
            torch.full((len(inputs),), FIRST_SCALE, device=device),
            torch.full((len(words),), FIRST_SCALE, device=device),
            torch.as_tensor(cumulative, device=device),
            parts if buckets else None,
            starts,
            counts,
            STRIDE_OF_PARTS if buckets else STRIDE,
            random,
        )

    @property
    def weights(self) -> dict[str, Array]:
        """All trained weights by name, without the state of the random numbers."""
        names = ("inputs", "contexts", "input_scale", "context_scale")
        return {name: getattr(self, name) for name in names}

    def step(self, tiles: Tiles, negative: int, rate: float) -> None:
        """Take one step of gradient descent on some tiles."""
        import torch

        length = self.stride * rate
        strangers = self._strangers(len(tiles.words))
        words, place = torch.unique(tiles.words, return_inverse=True)
        middle = self.vectors(words)[place]
        around, others = self.contexts[tiles.around], self.contexts[strangers]
        near = tiles.near.to(middle.dtype)
        weight = near.sum(-1, keepdim=True) * (negative / RANDOM_WORDS)
        pull = near * (torch.sigmoid(middle @ around.mT) - 1)
        push = weight * torch.sigmoid(middle @ others.mT)
        for_middle = pull @ around + push @ others
        dimension = middle.shape[-1]
        rows = torch.cat([tiles.around.flatten(), strangers.flatten()])
        gradients = torch.cat(
            [
                (pull.mT @ middle).reshape(-1, dimension),
                (push.mT @ middle).reshape(-1, dimension),
            ]
        )
        contexts, belongs = torch.unique(rows, return_inverse=True)
        total = _added(gradients, belongs, len(contexts))
        _descend(self.contexts, self.context_scale, contexts, total, length)
        total = _added(for_middle.reshape(-1, dimension), place.flatten(), len(words))
        self._descend_inputs(words, total, length)

    def vectors(self, words: Array) -> Array:
        """The vectors of some words, (n, d)."""
        import torch

        if self.parts is None:
            return self.inputs[words]
        parts, _, counts = self._parts_of(words)
        starts = torch.cumsum(counts, 0) - counts
        return torch.nn.functional.embedding_bag(parts, self.inputs, starts, mode="mean")

    def _strangers(self, tiles: int) -> Array:
        """Random words for each tile, (tiles, RANDOM_WORDS)."""
        import torch

        drawn = torch.rand(
            tiles, RANDOM_WORDS, generator=self.random, device=self.inputs.device,
            dtype=self.cumulative.dtype,
        )  # fmt: skip
        return torch.searchsorted(self.cumulative, drawn).clamp(max=len(self.contexts) - 1)

    def _descend_inputs(self, words: Array, gradients: Array, length: float) -> None:
        import torch

        if self.parts is None:
            _descend(self.inputs, self.input_scale, words, gradients, length)
            return
        parts, belongs, _ = self._parts_of(words)
        rows, place = torch.unique(parts, return_inverse=True)
        total = _added(gradients[belongs], place, len(rows))
        _descend(self.inputs, self.input_scale, rows, total, length)

    def _parts_of(self, words: Array) -> tuple[Array, Array, Array]:
        """The parts of some words, the word of each part (a place in ``words``), and counts."""
        import torch

        assert self.parts is not None
        counts = self.counts[words]
        belongs = torch.repeat_interleave(torch.arange(len(words), device=words.device), counts)
        first = self.starts[words] - (torch.cumsum(counts, 0) - counts)
        places = torch.arange(len(belongs), device=words.device) + first[belongs]
        return self.parts[places], belongs, counts


def _added(gradients: Array, places: Array, count: int) -> Array:
    """Sum the gradients of each place, (count, d), in a fixed order."""
    total = gradients.new_zeros(count, gradients.shape[1])
    if gradients.device.type == "cpu":
        return total.index_add_(0, places, gradients)
    return total.index_put_((places,), gradients, accumulate=True)


def _descend(matrix: Array, scale: Array, rows: Array, gradients: Array, length: float) -> None:
    """Take the step for some distinct rows."""
    summed = scale[rows] + gradients.square().mean(1)
    scale[rows] = summed
    matrix[rows] -= (length * summed.rsqrt())[:, None] * gradients
