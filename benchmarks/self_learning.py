"""A whole run of self-learning against the same rounds computed with dense matrices.

The dense round is the plain way: all similarities, the mean of the ten nearest of both sides, a
random mask as large as the similarities for each direction, and the best of what is left. A few of
each kind are timed, and their median counts for every round of the run. Wants a folder with
``vectors/NAME.npy`` and ``NAME.words``.
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
from lexalign.aligners.similarity_distribution import match_by_similarity_distribution
from lexalign.aligners.vecmap import VecMap
from lexalign.procrustes import fitted_rotation
from lexalign.progress import Progress, Stage
from lexalign.spaces.normalise import normalise_rows

STEPS = "unit,centre,unit"
ROWS_AT_ONCE = 1000


class Clock(Progress):
    """Notes when the rounds began, and when every one ended."""

    def __init__(self) -> None:
        super().__init__()
        self.times = list[float]()

    @contextmanager
    def shown(self, stage: Stage) -> Iterator[None]:
        """Note."""
        stage.listener = lambda units: self.times.append(time.perf_counter())
        yield


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
    start = pairs.rotation(x, z).astype(np.float32)
    x, z = x[: arguments.words], z[: arguments.words]
    heading(f"A whole run of self-learning, {arguments.words:,} words a side")
    random, clock = np.random.default_rng(0), Clock()
    _, history = VecMap().self_learning.learn(x, z, start, random, clock)
    seconds = np.diff(clock.times)
    totals = np.zeros(2)
    table("words", "share kept", "rounds", "a dense round", "a round of ours", "ratio")
    stages = [(entry["words"], entry["keep"]) for entry in history]
    for words, keep in dict.fromkeys(stages):
        dense = timed(
            lambda: dense_round(x[:words], z[:words], start, keep, random),  # noqa: B023
            arguments.rounds,
        )
        taken = seconds[[stage == (words, keep) for stage in stages]]
        ours = Timing(tuple(taken.tolist()))
        totals += len(taken) * dense.median, taken.sum()
        row(f"{words:,}", keep, len(taken), dense, ours, f"{dense.median / ours.median:.1f}")
    row(
        "",
        "all",
        len(history),
        f"{totals[0]:.0f} s",
        f"{totals[1]:.0f} s",
        f"{totals[0] / totals[1]:.1f}",
    )


if __name__ == "__main__":
    main()
