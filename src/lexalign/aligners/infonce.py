"""InfoNCE for two linear maps: the loss with hard negatives, its gradient, and the descent.

A training pair (x, y) should be more similar than x to other targets y⁻, and than y to other
sources x⁻. With s the cosine in the shared space and τ the temperature, its loss is

    −log( e^{s(x, y)/τ} / (e^{s(x, y)/τ} + Σ e^{s(x, y⁻)/τ} + Σ e^{s(x⁻, y)/τ}) ).

The lengths of mapped vectors are constant within a batch. For vectors divided by these lengths,
s(x, y) = x F yᵀ with F = A Bᵀ for the matrices A and B of the two sides. The gradient with respect
to F is a weighted sum of outer products xᵀy. The gradients of A and B are (∂F)B and (∂F)ᵀA. This
takes a few lines of NumPy, without automatic differentiation.

Source: Li, Liu, Collier, Korhonen & Vulić 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexalign.aligners.pairs import Pairs
from lexalign.arrays import Array, blocks, like, namespace, to_numpy
from lexalign.progress import Advance
from lexalign.retrieval.search import candidates

PAIRS_AT_ONCE = 256
"""The vectors of negatives are in memory for this number of pairs at a time."""


class Maps(NamedTuple):
    """The matrices of source and target, float64, (d, d)."""

    source: Array
    target: Array


class PairBatch(NamedTuple):
    """Pairs with their hard negatives.

    ``x`` and ``y`` (b, d) are the vectors of the pairs, and ``sources`` (n, d) and ``targets`` (m,
    d) those of the frequent words, all divided by their lengths in the shared space.
    ``far_targets`` and ``far_sources`` (b, k) are the rows of the negatives. ``known`` (b, 2k) is
    −∞ where a negative is a translation, and 0 elsewhere. ``shares`` (b,) are the weights of the
    pairs; their sum is 1.
    """

    x: Array
    y: Array
    sources: Array
    targets: Array
    far_targets: Array
    far_sources: Array
    known: Array
    shares: Array


def info_nce(form: Array, batch: PairBatch, temperature: float) -> tuple[float, Array]:
    """The mean loss of a batch at the bilinear form F, and its gradient, (d, d)."""
    xp, negatives = namespace(form), batch.far_targets.shape[1]
    loss, gradient = 0.0, xp.zeros_like(form)
    for rows in blocks(len(batch.x), PAIRS_AT_ONCE):
        x, y, share = batch.x[rows], batch.y[rows], batch.shares[rows]
        far_y, far_x = (
            batch.targets[batch.far_targets[rows]],
            batch.sources[batch.far_sources[rows]],
        )
        forward, backward = x @ form, y @ form.T
        wrong = xp.concat((_products(far_y, forward), _products(far_x, backward)), axis=1)
        right = xp.sum(forward * y, axis=1)[:, None]
        scores = xp.concat((right, wrong + batch.known[rows]), axis=1) / temperature
        peak = xp.max(scores, axis=1)[:, None]
        weights = xp.exp(scores - peak)
        total = xp.sum(weights, axis=1)[:, None]
        loss += float(xp.sum(share * (xp.log(total) + peak - scores[:, :1])[:, 0]))
        weights = weights * share[:, None] / (temperature * total)
        attraction = (weights[:, :1] - share[:, None] / temperature) * y
        of_targets, of_sources = weights[:, 1 : 1 + negatives], weights[:, 1 + negatives :]
        gradient = gradient + x.T @ (attraction + _weighted(of_targets, far_y))
        gradient = gradient + _weighted(of_sources, far_x).T @ y
    return loss, gradient


def _products(vectors: Array, with_these: Array) -> Array:
    """The inner products of (b, k, d) with (b, d), (b, k)."""
    return (vectors @ with_these[:, :, None])[:, :, 0]


def _weighted(weights: Array, vectors: Array) -> Array:
    """The sums of (b, k, d) by weights (b, k), (b, d)."""
    return (weights[:, None, :] @ vectors)[:, 0, :]


@dataclass(frozen=True, kw_only=True)
class Descent:
    """Gradient descent on InfoNCE.

    Every ``refresh`` of the ``steps``, up to ``batch`` pairs are drawn. Their ``negatives`` nearest
    words of the other language are found among the frequent words. The joint gradient of both maps
    is clipped to the norm ``clip``. ``Contrastive`` declares and validates these parameters.
    """

    steps: int
    learning_rate: float
    temperature: float
    negatives: int
    batch: int
    refresh: int
    clip: float

    def tune(
        self,
        sides: tuple[Array, Array],
        frequent: int,
        maps: Maps,
        pairs: Pairs,
        random: np.random.Generator,
        advance: Advance,
    ) -> tuple[Maps, float]:
        """Return the maps after all steps, and the mean loss over the steps of the last batch.

        ``sides`` are vectors (n, d) and (m, d). Negatives are words before row ``frequent``.
        """
        losses = list[float]()
        for step in range(self.steps):
            if step % self.refresh == 0:
                count = min(self.batch, len(pairs))
                drawn = np.sort(random.choice(len(pairs), count, replace=False))
                batch, losses = self.drawn_batch(sides, frequent, maps, pairs, drawn), []
            loss, maps = self._step(maps, batch)
            losses.append(loss)
            advance(1)
        return maps, float(np.mean(losses))

    def drawn_batch(
        self,
        sides: tuple[Array, Array],
        frequent: int,
        maps: Maps,
        pairs: Pairs,
        drawn: np.ndarray,
    ) -> PairBatch:
        """The pairs of these rows with their hard negatives under the maps."""
        rows, (source, target) = pairs.rows[drawn], sides
        x, unit_x = _scaled(source[like(rows[:, 0], source)], maps.source)
        y, unit_y = _scaled(target[like(rows[:, 1], target)], maps.target)
        sources, unit_sources = _scaled(source[:frequent], maps.source)
        targets, unit_targets = _scaled(target[:frequent], maps.target)
        far_targets = candidates(unit_x, unit_targets, min(self.negatives, len(targets)))[1]
        far_sources = candidates(unit_y, unit_sources, min(self.negatives, len(sources)))[1]
        known = np.concatenate(
            (
                _is_among(pairs, rows[:, :1], to_numpy(far_targets)),
                _is_among(pairs, to_numpy(far_sources), rows[:, 1:]),
            ),
            axis=1,
        )
        weights = np.ones(len(rows)) if pairs.weights is None else pairs.weights[drawn]
        return PairBatch(
            x=x,
            y=y,
            sources=sources,
            targets=targets,
            far_targets=far_targets,
            far_sources=far_sources,
            known=like(np.where(known, -np.inf, 0.0).astype(np.float32), source),
            shares=like((weights / weights.sum()).astype(np.float32), source),
        )

    def _step(self, maps: Maps, batch: PairBatch) -> tuple[float, Maps]:
        """The loss before a step, and the maps after it."""
        xp = namespace(maps.source)
        form = xp.astype(maps.source @ maps.target.T, xp.float32)
        loss, of_form = info_nce(form, batch, self.temperature)
        of_form = xp.astype(of_form, xp.float64)
        gradients = of_form @ maps.target, of_form.T @ maps.source
        length = float(sum(xp.sum(gradient**2) for gradient in gradients)) ** 0.5
        rate = self.learning_rate * min(1.0, self.clip / max(length, 1e-12))
        moved = (matrix - rate * one for matrix, one in zip(maps, gradients, strict=True))
        return loss, Maps(*moved)


def unit_mapped(words: Array, matrix: Array) -> Array:
    """The words under a map, of unit length."""
    return _scaled(words, matrix)[1]


def _scaled(words: Array, matrix: Array) -> tuple[Array, Array]:
    """The words before and after a map, both divided by their lengths after it."""
    xp = namespace(words)
    mapped = words @ xp.astype(matrix, words.dtype)
    lengths = xp.sqrt(xp.sum(mapped**2, axis=1))[:, None]
    lengths = xp.where(lengths > 0, lengths, xp.ones_like(lengths))
    return words / lengths, mapped / lengths


def _is_among(pairs: Pairs, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Which of these pairs of rows are in the list of pairs."""
    width = 1 + max(int(targets.max()), int(pairs.rows[:, 1].max()))
    known = pairs.rows[:, 0] * width + pairs.rows[:, 1]
    return np.asarray(np.isin(sources * width + targets, known))
