"""A round of self-learning against the same round computed with dense matrices.

The dense round is the plain way: all similarities, the mean of the ten nearest of both sides, a
random mask as large as the similarities for each direction, and the best of what is left. Wants a
folder with ``vectors/NAME.npy`` and ``NAME.words``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.aligners import load
from benchmarks.measure import Timing, heading, row, table, timed
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.rotation import fitted_rotation, rotation
from lexalign.aligners.self_learning import SelfLearning
from lexalign.aligners.similarity_distribution import match_by_similarity_distribution
from lexalign.progress import Advance, Progress
from lexalign.spaces.normalise import normalise_rows

STEPS = "unit,centre,unit"
ROWS_AT_ONCE = 1000


class EnoughError(Exception):
    """Ends self-learning after as many rounds as shall be timed."""


class Clock(Progress):
    """Notes when every round ended, and stops after the last one wanted."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds, self.times = rounds, list[float]()

    @contextmanager
    def shown(self, name: str) -> Iterator[Advance]:
        """Note."""

        def note(units: int) -> None:
            self.times.append(time.perf_counter())
            if len(self.times) > self.rounds:
                raise EnoughError

        yield note


def dense_round(
    x: np.ndarray, z: np.ndarray, matrix: np.ndarray, keep: float, random: np.random.Generator
) -> np.ndarray:
    """One round with tiles of all similarities; the next rotation."""
    mapped = x @ matrix
    of_target = dense_neighbourhood(z, mapped)
    of_source = dense_neighbourhood(mapped, z)
    forward = dense_choice(mapped, z, of_target, keep, random)
    backward = dense_choice(z, mapped, of_source, keep, random)
    a, b = np.concatenate((x, x[backward])), np.concatenate((z[forward], z))
    return np.asarray(fitted_rotation(a, b, "l2"))


def dense_neighbourhood(words: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The mean similarity to the ten nearest."""
    means = []
    for start in range(0, len(words), ROWS_AT_ONCE):
        tile = words[start : start + ROWS_AT_ONCE] @ others.T
        means.append(np.partition(tile, -10, axis=1)[:, -10:].mean(axis=1))
    return np.concatenate(means)


def dense_choice(
    words: np.ndarray,
    others: np.ndarray,
    neighbourhood: np.ndarray,
    keep: float,
    random: np.random.Generator,
) -> np.ndarray:
    """The best by CSLS that a random mask leaves."""
    chosen = []
    for start in range(0, len(words), ROWS_AT_ONCE):
        tile = words[start : start + ROWS_AT_ONCE] @ others.T
        tile -= neighbourhood / 2
        if keep < 1:
            tile[random.random(tile.shape, dtype=np.float32) >= keep] = -np.inf
        chosen.append(tile.argmax(axis=1))
    return np.concatenate(chosen)


def main() -> None:
    """Time both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    x, z = (
        normalise_rows(load(arguments.data, name).matrix, STEPS)
        for name in ("europarl.en", "europarl.de")
    )
    pairs: Pairs = match_by_similarity_distribution(x, z, words=4000, neighbours=10, steps=STEPS)
    start = rotation(x, z, pairs).astype(np.float32)
    x, z = x[: arguments.words], z[: arguments.words]
    heading(f"A round of self-learning, {arguments.words:,} words a side")
    table("share kept", "dense", "ours", "ratio")
    for keep in (0.1, 1.0):
        random = np.random.default_rng(0)
        dense = timed(lambda: dense_round(x, z, start, keep, random), arguments.rounds)  # noqa: B023
        clock = Clock(arguments.rounds)
        try:
            SelfLearning(keep=keep).learn(x, z, start, random, clock)
        except EnoughError:
            ours = Timing(tuple(np.diff(clock.times).tolist()))
        row(keep, dense, ours, f"{dense.median / ours.median:.1f}")


if __name__ == "__main__":
    main()
