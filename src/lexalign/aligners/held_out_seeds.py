"""Held-out seeds: seeds that score a map which was fitted to the other seeds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexalign.aligners.pairs import Pairs
from lexalign.arrays import Array, like, to_numpy
from lexalign.retrieval import ranks
from lexalign.retrieval.search import candidates


class HeldOutScore(NamedTuple):
    """Scores on held-out seeds by CSLS: mean reciprocal rank and P@1."""

    mrr: float
    precision: float


def split(seeds: Pairs, share: float, random: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Split seeds by source word; a ``share`` of the source words is held out with all pairs."""
    words = np.unique(seeds.rows[:, 0])
    drawn = random.choice(words, round(share * len(words)), replace=False)
    held_out = np.isin(seeds.rows[:, 0], drawn)
    return _chosen(seeds, ~held_out), _chosen(seeds, held_out)


def frequent_pairs(pairs: Pairs, words: int) -> Pairs:
    """The pairs whose words are among the first ``words`` of their side."""
    return _chosen(pairs, pairs.rows.max(axis=1, initial=-1) < words)


def held_out_score(source: Array, target: Array, held_out: Pairs, neighbours: int) -> HeldOutScore:
    """Score how well the source words of the pairs find their targets among all target words.

    ``source`` (n, d) and ``target`` (m, d) are unit vectors in the shared space and hold all words
    of the pairs. If a word has several translations, the best one counts.
    """
    rows = held_out.rows
    costs = 0.5 * to_numpy(candidates(target, source, neighbours)[0].mean(1))
    found = ranks(source[like(rows[:, 0], source)], target, rows[:, 1], costs)
    words, asked = np.unique(rows[:, 0], return_inverse=True)
    best = np.full(len(words), np.iinfo(np.int64).max)
    np.minimum.at(best, asked, found)
    return HeldOutScore(float((1 / best).mean()), float((best == 1).mean()))


def _chosen(pairs: Pairs, mask: np.ndarray) -> Pairs:
    weights = None if pairs.weights is None else pairs.weights[mask]
    return Pairs(pairs.rows[mask], weights)
