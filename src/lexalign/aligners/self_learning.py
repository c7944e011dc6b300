"""Self-learning: a map finds a dictionary, the dictionary a better map, until neither improves.

The dictionary of a round has, for every word of either side, the best partner by CSLS that survives
a random dropout: each similarity is kept with a probability that grows from round to round, so that
the early rounds explore and the last ones settle.

Published programs compute two dense n × m matrices a round and mask them with n·m random numbers.
Here every word's best partners are found in order, by an exact search, and the rank of the first
one that is kept is drawn directly: it has a geometric distribution, so one number a word does. The
search needs the CSLS neighbourhoods before it starts; it takes those of the round before, and
updates them from what it finds. They agree once the map has settled.

Source: Artetxe, Labaka & Agirre 2018b, "A robust self-learning method for fully unsupervised
cross-lingual mappings of word embeddings".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lexalign.aligners.pairs import Pairs
from lexalign.aligners.rotation import fitted_rotation
from lexalign.errors import LexalignError
from lexalign.progress import Progress
from lexalign.retrieval.search import candidates
from lexalign.spaces.arrays import Array, namespace, to_device, to_numpy

CANDIDATES = 32
IMPROVEMENT = 1e-6


class Partners(NamedTuple):
    """The partner of every word, its best similarity, and half its mean one to the nearest."""

    indices: Array
    best: float
    penalty: Array


@dataclass(frozen=True)
class SelfLearning:
    """The rounds from a first rotation on.

    Among all words given: similarities are kept with probability ``keep`` at first; whenever the
    objective, the mean best similarity of both directions, has not risen for ``patience`` rounds,
    the probability doubles, and when it has reached 1 that is the end. ``neighbours`` is the k of
    CSLS, ``loss`` what the Procrustes problem of each round minimises.
    """

    loss: str = "l2"
    neighbours: int = 10
    keep: float = 0.1
    patience: int = 50
    device: str = "cpu"

    def __post_init__(self) -> None:
        """Refuse parameters that lead nowhere."""
        if not 0 < self.keep <= 1:
            raise LexalignError(
                f"The 'keep' probability must be above 0 and at most 1. Got {self.keep} instead."
            )
        for name in ("neighbours", "patience"):
            if getattr(self, name) < 1:
                raise LexalignError(
                    f"The '{name}' of self-learning must be at least 1. "
                    f"Got {getattr(self, name)} instead."
                )

    def learn(
        self,
        source: np.ndarray,
        target: np.ndarray,
        start: np.ndarray,
        random: np.random.Generator,
        progress: Progress,
    ) -> tuple[Pairs, tuple[Mapping[str, Any], ...]]:
        """The last dictionary, from the rotation ``start`` on, and one entry a round.

        ``source`` (n, d) and ``target`` (m, d) have rows of unit length.
        """
        if min(len(source), len(target)) < self.neighbours:
            raise LexalignError(
                f"Self-learning by CSLS needs at least {self.neighbours} words a side. Got "
                f"{len(source)} and {len(target)}; use fewer neighbours or larger vocabularies."
            )
        x, z = (to_device(np.ascontiguousarray(rows), self.device) for rows in (source, target))
        matrix = to_device(start.astype(np.float32), self.device)
        xp, history = namespace(x), list[Mapping[str, Any]]()
        keep, best, last_rise = self.keep, -np.inf, 0
        with progress.stage("self-learning") as advance:
            mapped = x @ matrix
            of_source, of_target = self._penalty(mapped, z), self._penalty(z, mapped)
            while True:
                forward = self._partners(mapped, z, of_target, keep, random)
                backward = self._partners(z, mapped, of_source, keep, random)
                of_source, of_target = forward.penalty, backward.penalty
                objective = (forward.best + backward.best) / 2
                history.append({"round": len(history), "objective": objective, "keep": keep})
                advance(1)
                if objective >= best + IMPROVEMENT:
                    best, last_rise = objective, len(history)
                elif len(history) - last_rise >= self.patience:
                    if keep == 1:
                        break
                    keep, last_rise = min(1.0, 2 * keep), len(history)
                a = xp.concat((x, x[backward.indices]))
                b = xp.concat((z[forward.indices], z))
                mapped = x @ fitted_rotation(a, b, self.loss)
        rows = [np.column_stack((np.arange(len(source)), to_numpy(forward.indices)))]
        rows.append(np.column_stack((to_numpy(backward.indices), np.arange(len(target)))))
        return Pairs(np.concatenate(rows)), tuple(history)

    def _penalty(self, words: Array, others: Array) -> Array:
        """Half the mean similarity of every word to its nearest others."""
        return 0.5 * candidates(words, others, self.neighbours)[0].mean(1)

    def _partners(
        self, words: Array, others: Array, penalty: Array, keep: float, random: np.random.Generator
    ) -> Partners:
        """For every word the first of the others, by CSLS, that the dropout leaves to it."""
        xp, count = namespace(words), min(max(CANDIDATES, self.neighbours), len(others))
        scores, indices = candidates(words, others, count, penalty)
        similarities = xp.sort(scores + penalty[indices], axis=1, descending=True)
        ranks = np.minimum(random.geometric(keep, len(words)), len(others)) - 1
        chosen = indices[np.arange(len(words)), np.minimum(ranks, count - 1)]
        deep = np.flatnonzero(ranks >= count)
        if len(deep):
            further = candidates(words[deep], others, int(ranks[deep].max()) + 1, penalty)[1]
            chosen[deep] = further[np.arange(len(deep)), ranks[deep]]
        return Partners(
            indices=chosen,
            best=float(similarities[:, 0].mean()),
            penalty=0.5 * similarities[:, : self.neighbours].mean(1),
        )
