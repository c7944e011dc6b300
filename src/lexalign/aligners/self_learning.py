"""Self-learning: a map finds a dictionary, the dictionary a better map, until neither improves.

The dictionary of a round has, for every word of either side, the best partner by CSLS that survives
a random dropout: each similarity is kept with a probability that grows from round to round, so that
the early rounds explore and the last ones settle.

Published programs compute two dense n × m matrices a round and mask them with n·m random numbers.
Here the rank of the first partner that is kept is drawn directly: it has a geometric distribution,
so one number a word does. An exact search finds who that is (see ``retrieval.both_ways``). It needs
the CSLS neighbourhoods before it starts; it takes those of the round before, and updates them from
what it finds. They agree once the map has settled.

Source: Artetxe, Labaka & Agirre 2018b, "A robust self-learning method for fully unsupervised
cross-lingual mappings of word embeddings".
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from lexalign.aligners.checkpoint import NO_CHECKPOINT, Checkpoint, State
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.rotation import fitted_rotation
from lexalign.errors import LexalignError
from lexalign.progress import Progress
from lexalign.retrieval.both_ways import BothWays, Ranked
from lexalign.retrieval.search import candidates
from lexalign.spaces.arrays import Array, namespace, to_device, to_numpy

CANDIDATES = 32
IMPROVEMENT = 1e-6
SECONDS_BETWEEN_CHECKPOINTS = 30


class Partners(NamedTuple):
    """The partner of every word, its best similarity, and half its mean one to the nearest."""

    indices: Array
    best: float
    penalty: Array


@dataclass
class Rounds:
    """Where self-learning stands between two rounds.

    ``matrix`` rotates the source; ``penalties`` are those of CSLS, of source and target; ``best``
    is the highest objective so far, and ``last_rise`` the number of rounds until then, or until
    the last change of ``keep``.
    """

    matrix: Array
    penalties: tuple[Array, Array]
    search: BothWays
    keep: float
    best: float = -np.inf
    last_rise: int = 0
    history: list[Mapping[str, Any]] = field(default_factory=list)

    def note(self, objective: float, patience: int) -> bool:
        """Enter a round; whether another one is due."""
        self.history.append({"round": len(self.history), "objective": objective, "keep": self.keep})
        if objective >= self.best + IMPROVEMENT:
            self.best, self.last_rise = objective, len(self.history)
        elif len(self.history) - self.last_rise >= patience:
            if self.keep == 1:
                return False
            self.keep, self.last_rise = min(1.0, 2 * self.keep), len(self.history)
        return True

    def state(self, random: np.random.Generator) -> State:
        """All of it, for a checkpoint."""
        arrays = {
            "matrix": to_numpy(self.matrix),
            "penalty of source": to_numpy(self.penalties[0]),
            "penalty of target": to_numpy(self.penalties[1]),
            **{f"tail {number}": tail for number, tail in enumerate(self.search.tails)},
        }
        facts = {
            "random": random.bit_generator.state,
            "count": self.search.count,
            "keep": self.keep,
            "best": self.best,
            "last rise": self.last_rise,
            "history": self.history,
        }
        return State(arrays, facts)


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
        checkpoint: Checkpoint = NO_CHECKPOINT,
    ) -> tuple[Pairs, tuple[Mapping[str, Any], ...]]:
        """The last dictionary, from the rotation ``start`` on, and one entry a round.

        ``source`` (n, d) and ``target`` (m, d) have rows of unit length. With a ``checkpoint``
        that holds the state of a round, this goes on from there.
        """
        if min(len(source), len(target)) < self.neighbours:
            raise LexalignError(
                f"Self-learning by CSLS needs at least {self.neighbours} words a side. Got "
                f"{len(source)} and {len(target)}; use fewer neighbours or larger vocabularies."
            )
        x, z = (to_device(np.ascontiguousarray(rows), self.device) for rows in (source, target))
        xp = namespace(x)
        with progress.stage("self-learning") as advance:
            rounds = self._resumed(checkpoint, random) or self._begun(x, z, start)
            advance(len(rounds.history))
            saved = time.monotonic()
            while True:
                mapped = x @ rounds.matrix
                ranks = (
                    drawn_ranks(random, rounds.keep, len(x), len(z)),
                    drawn_ranks(random, rounds.keep, len(z), len(x)),
                )
                found = rounds.search.search((mapped, z), rounds.penalties, ranks)
                forward, backward = (
                    self._partners(side, penalty)
                    for side, penalty in zip(found, rounds.penalties[::-1], strict=True)
                )
                advance(1)
                if not rounds.note((forward.best + backward.best) / 2, self.patience):
                    break
                rounds.penalties = forward.penalty, backward.penalty
                a = xp.concat((x, x[backward.indices]))
                b = xp.concat((z[forward.indices], z))
                rounds.matrix = fitted_rotation(a, b, self.loss)
                if time.monotonic() - saved >= SECONDS_BETWEEN_CHECKPOINTS:
                    checkpoint.save(rounds.state(random))
                    saved = time.monotonic()
        rows = [np.column_stack((np.arange(len(source)), to_numpy(forward.indices)))]
        rows.append(np.column_stack((to_numpy(backward.indices), np.arange(len(target)))))
        return Pairs(np.concatenate(rows)), tuple(rounds.history)

    def _begun(self, x: Array, z: Array, start: np.ndarray) -> Rounds:
        """Before the first round."""
        matrix = to_device(start.astype(np.float32), self.device)
        mapped, count = x @ matrix, min(max(CANDIDATES, self.neighbours), len(x), len(z))
        penalties = self._penalty(mapped, z), self._penalty(z, mapped)
        return Rounds(matrix, penalties, BothWays(count), self.keep)

    def _resumed(self, checkpoint: Checkpoint, random: np.random.Generator) -> Rounds | None:
        """Where a checkpoint says that the rounds stood, if it does."""
        state = checkpoint.load()
        if state is None:
            return None
        arrays, facts = state
        random.bit_generator.state = facts["random"]
        search = BothWays(facts["count"])
        search.tails = tuple(arrays[name] for name in sorted(arrays) if name.startswith("tail"))
        matrix, of_source, of_target = (
            to_device(arrays[name], self.device)
            for name in ("matrix", "penalty of source", "penalty of target")
        )
        return Rounds(
            matrix,
            (of_source, of_target),
            search,
            facts["keep"],
            facts["best"],
            facts["last rise"],
            facts["history"],
        )

    def _penalty(self, words: Array, others: Array) -> Array:
        """Half the mean similarity of every word to its nearest others."""
        return 0.5 * candidates(words, others, self.neighbours)[0].mean(1)

    def _partners(self, found: Ranked, penalty: Array) -> Partners:
        """What a search by CSLS, with this ``penalty`` of the others, tells of the words."""
        xp = namespace(found.scores)
        similarities = xp.sort(found.scores + penalty[found.indices], axis=1, descending=True)
        return Partners(
            indices=found.asked,
            best=float(similarities[:, 0].mean()),
            penalty=0.5 * similarities[:, : self.neighbours].mean(1),
        )


def drawn_ranks(random: np.random.Generator, keep: float, words: int, others: int) -> np.ndarray:
    """For every word the rank, from 0 on, of the first of the others that dropout leaves to it.

    If it leaves none, it is the last.
    """
    return np.asarray(np.minimum(random.geometric(keep, words), others) - 1)
