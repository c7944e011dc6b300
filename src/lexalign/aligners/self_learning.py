"""Self-learning: a map gives a dictionary, and the dictionary a better map, until neither improves.

In each round, the dictionary has the best CSLS partner of each word after a random dropout. Each
similarity is kept with a probability that grows from round to round, so that early rounds explore
and the last rounds converge.

Published programs compute two dense n × m matrices a round and mask them with n·m random numbers.
Here the rank of the first partner that is kept is drawn directly: it has a geometric distribution,
so one number per word is enough. An exact search finds who that is (see ``retrieval.both_ways``).
It needs the CSLS neighbourhoods before it starts; it takes those of the round before, and updates
them from what it finds. They agree once the map has settled.

The published rounds see all words from the first one on, and may settle on a map that is right for
half of the space only. Here the first rounds see the most frequent words alone. That has not led
there yet, and a round among a quarter of the words takes about a tenth of the time. At the end of a
stage, the health check tells whether the spaces match. If they do, the next stage starts near its
goal: it has twice as many words, and needs few rounds. If they do not, the first stage starts over
with twice as many words, among which chance plays a smaller part. The page
docs/results/without-a-lexicon.md has the measurements.

Without dropout, the dictionary of a round determines the next one. So these rounds end when hardly
any word changes its partner. They need not wait for the objective.

Source: Artetxe, Labaka & Agirre 2018b, "A robust self-learning method for fully unsupervised
cross-lingual mappings of word embeddings".
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from lexalign.aligners.health import WORDS as EXAMINED_WORDS
from lexalign.aligners.health import examine
from lexalign.aligners.pairs import Pairs
from lexalign.arrays import Array, namespace, to_device, to_numpy
from lexalign.checkpoint import NO_CHECKPOINT, Checkpoint, State
from lexalign.errors import LexalignError
from lexalign.procrustes import fitted_rotation
from lexalign.progress import Progress
from lexalign.retrieval.both_ways import BothWays, Ranking
from lexalign.retrieval.search import candidates

CANDIDATES = 32
IMPROVEMENT = 1e-6
SECONDS_BETWEEN_CHECKPOINTS = 30


class Partners(NamedTuple):
    """The partner of each word, its similarity, and half the mean similarity of the nearest."""

    indices: Array
    best: float
    penalty: Array


@dataclass
class Rounds:
    """The state of self-learning between two rounds.

    ``matrix`` rotates the source. ``penalties`` are the CSLS penalties of source and target among
    the first ``words`` of each. ``chosen`` are the partners in the last round, −1 before the first.
    ``best`` is the highest objective so far, and ``last_rise`` the round of its last rise, or of
    the last change of ``keep``. ``matched`` tells whether the spaces matched at the end of a stage.
    """

    matrix: Array
    penalties: tuple[Array, Array]
    chosen: tuple[Array, Array]
    search: BothWays
    keep: float
    words: int
    best: float = -np.inf
    last_rise: int = 0
    matched: bool | None = False
    history: list[Mapping[str, Any]] = field(default_factory=list)

    def note(self, objective: float, chosen: tuple[Array, Array]) -> int:
        """Record a round; return the number of rounds since the objective rose."""
        kept = sum(
            int((now == before).sum()) for now, before in zip(chosen, self.chosen, strict=True)
        )
        self.chosen = chosen
        self.history.append(
            {
                "round": len(self.history),
                "objective": objective,
                "keep": self.keep,
                "words": self.words,
                "same partner": kept / sum(len(side) for side in chosen),
            }
        )
        if objective >= self.best + IMPROVEMENT:
            self.best, self.last_rise = objective, len(self.history)
        return len(self.history) - self.last_rise

    def state(self, random: np.random.Generator) -> State:
        """The state for a checkpoint."""
        arrays = {
            "matrix": to_numpy(self.matrix),
            "penalty of source": to_numpy(self.penalties[0]),
            "penalty of target": to_numpy(self.penalties[1]),
            "chosen by source": to_numpy(self.chosen[0]),
            "chosen by target": to_numpy(self.chosen[1]),
            **{f"tail {side}": to_numpy(tail) for side, tail in enumerate(self.search.tails)},
        }
        facts = {
            "random": random.bit_generator.state,
            "count": self.search.count,
            "keep": self.keep,
            "words": self.words,
            "best": self.best,
            "last rise": self.last_rise,
            "matched": self.matched,
            "history": self.history,
        }
        return State(arrays, facts)


@dataclass(frozen=True, kw_only=True)
class SelfLearning:
    """Rounds of self-learning, starting from an initial rotation.

    The first stage uses the ``explore_words`` most frequent words and keeps similarities with
    probability ``keep``. The objective is the mean best similarity of both directions. If it does
    not rise for ``patience`` rounds, the next stage begins, with twice the probability. If the
    spaces match by then, this stage has twice as many words, and ends after ``later_patience``
    rounds without a rise. If they do not, the first stage starts over with twice as many words. A
    later stage, or one with all words, is followed by a stage of all words and the same patience.
    So is a first stage if the health check cannot tell whether the spaces match.

    At probability 1, a stage also ends when the share ``settled`` of the words keep their partner.
    Learning ends with a stage of all words at probability 1. ``neighbours`` is the k of CSLS,
    ``loss`` what the Procrustes problem of each round minimises. ``VecMap`` declares and validates
    these parameters.
    """

    loss: str
    neighbours: int
    keep: float
    patience: int
    later_patience: int
    settled: float
    explore_words: int
    device: str

    def learn(
        self,
        source: np.ndarray,
        target: np.ndarray,
        start: np.ndarray,
        random: np.random.Generator,
        progress: Progress,
        checkpoint: Checkpoint = NO_CHECKPOINT,
    ) -> tuple[Pairs, tuple[Mapping[str, Any], ...]]:
        """Return the last dictionary, starting from the rotation ``start``, and one entry per
        round.

        ``source`` (n, d) and ``target`` (m, d) have rows of unit length, most frequent words first.
        With a ``checkpoint`` that holds the state of a round, learning resumes from it.
        """
        if min(len(source), len(target)) < self.neighbours:
            raise LexalignError(
                f"Self-learning by CSLS needs at least {self.neighbours} words per side. Got "
                f"{len(source)} and {len(target)}; use fewer neighbours or larger vocabularies."
            )
        x, z = (to_device(np.ascontiguousarray(rows), self.device) for rows in (source, target))
        xp, all_words = namespace(x), max(len(x), len(z))
        with progress.stage("self-learning", unit="rounds") as advance:
            rounds = self._resumed(checkpoint, random)
            first = to_device(start.astype(np.float32), self.device)
            if rounds is None:
                rounds = self._stage(x, z, first, self.keep, min(self.explore_words, all_words))
            advance.resume(len(rounds.history))
            saved = time.monotonic()
            while True:
                some, others = x[: rounds.words], z[: rounds.words]
                ranks = (
                    drawn_ranks(random, rounds.keep, len(some), len(others)),
                    drawn_ranks(random, rounds.keep, len(others), len(some)),
                )
                sides = some @ rounds.matrix, others
                found = rounds.search.search(sides, rounds.penalties, ranks)
                forward, backward = (
                    self._partners(side, penalty)
                    for side, penalty in zip(found, rounds.penalties[::-1], strict=True)
                )
                advance(1)
                without_gain = rounds.note(
                    (forward.best + backward.best) / 2, (forward.indices, backward.indices)
                )
                advance.remark = self._remark(rounds, without_gain)
                over = without_gain >= self._patience(rounds) or self._is_settled(rounds)
                if over and rounds.keep == 1 and rounds.words == all_words:
                    break
                rounds.penalties = forward.penalty, backward.penalty
                a = xp.concat((some, some[backward.indices]))
                b = xp.concat((others[forward.indices], others))
                rounds.matrix = fitted_rotation(a, b, self.loss)
                if over:
                    rounds.matched = rounds.matched or self._match(rounds, x, z)
                    rounds = self._next_stage(rounds, x, z, first)
                if time.monotonic() - saved >= SECONDS_BETWEEN_CHECKPOINTS:
                    checkpoint.save(rounds.state(random))
                    saved = time.monotonic()
        rows = [np.column_stack((np.arange(len(source)), to_numpy(forward.indices)))]
        rows.append(np.column_stack((to_numpy(backward.indices), np.arange(len(target)))))
        return Pairs(np.concatenate(rows)), tuple(rounds.history)

    def _patience(self, rounds: Rounds) -> int:
        """The rounds that may pass without a gain."""
        near = rounds.matched and rounds.keep != self.keep
        return self.later_patience if near else self.patience

    def _match(self, rounds: Rounds, x: Array, z: Array) -> bool | None:
        """Whether the frequent words of both sides match, by the health check; None if unknown."""
        source, target = (to_numpy(side[:EXAMINED_WORDS]) for side in (x, z))
        mapped = source @ to_numpy(rounds.matrix)
        health = examine((source, target), (mapped, target), ({}, {}))
        return None if health is None else health.matched

    def _is_settled(self, rounds: Rounds) -> bool:
        """Whether the rounds without dropout have arrived."""
        return rounds.keep == 1 and rounds.history[-1]["same partner"] >= self.settled

    def _remark(self, rounds: Rounds, without_gain: int) -> str:
        """The progress until the end, whose round is unknown."""
        remark = (
            f"among {rounds.words:,} words, {100 * rounds.keep:.3g} % of the similarities kept, "
            f"{without_gain} of {self._patience(rounds)} rounds without a gain"
        )
        if rounds.keep == 1:
            same = 100 * rounds.history[-1]["same partner"]
            remark += f", {same:.1f} of {100 * self.settled:g} % of the words settled"
        return remark

    def _next_stage(self, rounds: Rounds, x: Array, z: Array, first: Array) -> Rounds:
        """The next stage, or the first one among more words if it did not find a match."""
        keep, matrix, all_words = min(1.0, 2 * rounds.keep), rounds.matrix, max(len(x), len(z))
        words = all_words if rounds.matched is None else min(2 * rounds.words, all_words)
        if rounds.matched is False and rounds.keep == self.keep and rounds.words < all_words:
            keep, matrix = self.keep, first
        so_far, matched = rounds.history, rounds.matched
        if words > rounds.words:
            rounds = self._stage(x, z, matrix, keep, words)
        return replace(rounds, keep=keep, history=so_far, last_rise=len(so_far), matched=matched)

    def _stage(self, x: Array, z: Array, matrix: Array, keep: float, words: int) -> Rounds:
        """The initial state for this number of words."""
        mapped, others = x[:words] @ matrix, z[:words]
        count = min(max(CANDIDATES, self.neighbours), len(mapped), len(others))
        penalties = self._penalty(mapped, others), self._penalty(others, mapped)
        of_source, of_target = (np.full(len(side), -1) for side in (mapped, others))
        nobody = to_device(of_source, self.device), to_device(of_target, self.device)
        return Rounds(matrix, penalties, nobody, BothWays(count), keep, words)

    def _resumed(self, checkpoint: Checkpoint, random: np.random.Generator) -> Rounds | None:
        """The state in a checkpoint, if there is one."""
        state = checkpoint.load()
        if state is None:
            return None
        arrays, facts = state
        random.bit_generator.state = facts["random"]
        search = BothWays(facts["count"])
        search.tails = tuple(
            to_device(arrays[name], self.device)
            for name in sorted(arrays)
            if name.startswith("tail")
        )
        matrix, *others = (
            to_device(arrays[name], self.device)
            for name in (
                "matrix",
                "penalty of source",
                "penalty of target",
                "chosen by source",
                "chosen by target",
            )
        )
        return Rounds(
            matrix,
            (others[0], others[1]),
            (others[2], others[3]),
            search,
            facts["keep"],
            facts["words"],
            facts["best"],
            facts["last rise"],
            facts["matched"],
            facts["history"],
        )

    def _penalty(self, words: Array, others: Array) -> Array:
        """Half the mean similarity of each word to its nearest others."""
        return 0.5 * candidates(words, others, self.neighbours)[0].mean(1)

    def _partners(self, found: Ranking, penalty: Array) -> Partners:
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
