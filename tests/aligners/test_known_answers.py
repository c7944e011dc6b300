"""What the methods compute, against derivations of their own on small problems.

The data is never a pure rotation, on which many a wrong formula ends at the right place.
"""

from itertools import count

import numpy as np
import pytest
from scipy.linalg import sqrtm

from lexalign.aligners import Dlv, Gwa, VecMap, gwa, rounds
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.rounds import Round, best_round
from lexalign.aligners.self_learning import SelfLearning
from lexalign.aligners.similarity_distribution import _profiles
from lexalign.aligners.symmetric_maps import symmetric_maps
from lexalign.progress import Progress
from tests.conftest import random_rotation

PROGRESS = Progress()


@pytest.fixture
def generator():
    return np.random.default_rng(0)


def skewed(generator, words=60, dimension=5):
    """A space, and a second one that is stretched, turned and noisy."""
    x = generator.standard_normal((words, dimension)) * np.linspace(1, 3, dimension)
    stretch = np.diag(np.linspace(2, 0.5, dimension))
    y = x @ stretch @ random_rotation(dimension, generator)
    return x, y + 0.3 * generator.standard_normal(y.shape)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def identical(words):
    return Pairs(np.column_stack((np.arange(words), np.arange(words))))


@pytest.mark.parametrize("power", [0.0, 0.5, 1.5])
def test_the_maps_of_vecmap_are_whitened_turned_weighted_and_unwhitened(generator, power):
    x, y = skewed(generator)
    roots = [np.real(sqrtm(side.T @ side)) for side in (x, y)]
    whitened = [side @ np.linalg.inv(root) for side, root in zip((x, y), roots, strict=True)]
    left, strength, right = np.linalg.svd(whitened[0].T @ whitened[1])
    weights = np.diag(strength**power)
    expected = [
        np.linalg.inv(root) @ turn @ weights @ turn.T @ root @ turn
        for root, turn in zip(roots, (left, right.T), strict=True)
    ]
    found = symmetric_maps(x, y, identical(len(x)), power)
    for one, other in zip(found, expected, strict=True):
        # The sign of a singular vector is a matter of taste, but the same on both sides.
        np.testing.assert_allclose(abs(one), abs(other), atol=1e-9)
    np.testing.assert_allclose(
        x @ found[0] @ found[1].T @ y.T, x @ expected[0] @ expected[1].T @ y.T
    )


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_vecmap_weighs_by_its_own_power(generator, power):
    x, y = (side.astype(np.float32) for side in skewed(generator))
    fit = VecMap(reweight=power).learn(x, y, identical(len(x)), PROGRESS)
    for found, expected in zip(
        (fit.source, fit.target), symmetric_maps(x, y, identical(len(x)), power), strict=True
    ):
        np.testing.assert_allclose(found, expected)


def test_the_profiles_of_words_are_the_sorted_root_of_their_similarities(generator):
    x, _ = skewed(generator, words=12)
    expected = np.sort(np.real(sqrtm(x @ x.T + 0j)), axis=1)
    np.testing.assert_allclose(_profiles(x), expected, atol=1e-4)


def test_self_learning_starts_with_the_penalties_of_csls(generator):
    x, z = (unit(side).astype(np.float32) for side in skewed(generator))
    rules = {"keep": 0.5, "patience": 3, "later_patience": 3, "settled": 1, "explore_words": 50}
    first = SelfLearning(neighbours=4, loss="l2", device="cpu", **rules)._stage(
        x, z, np.eye(5, dtype="f4"), 0.5, 50
    )
    similarities = x[:50] @ z[:50].T
    nearest = [
        -np.sort(-table, axis=1)[:, :4].mean(axis=1) for table in (similarities, similarities.T)
    ]
    for found, expected in zip(first.penalties, nearest, strict=True):
        np.testing.assert_allclose(found, expected / 2, rtol=1e-5)


def test_gwa_descends_along_the_gradient_of_its_objective(generator, monkeypatch):
    x, z = (unit(side) for side in skewed(generator, words=6, dimension=3))
    seen = []

    class SeenError(Exception):
        """The costs were seen."""

    def transport(p, q, costs, epsilon):
        seen.append(costs)
        raise SeenError

    monkeypatch.setattr(gwa, "_transport", transport)
    aligner = Gwa(words=6, marginals="zipf")
    with pytest.raises(SeenError):
        aligner.couple(x, z, [], lambda step: None)
    p = aligner._weights(6)
    plan, gradient = np.outer(p, p), np.empty((6, 6))
    for i in range(6):
        for j in range(6):
            step = np.zeros((6, 6))
            step[i, j] = 1e-5
            high, low = (gwa.objective(x, z, p, p, plan + sign * step) for sign in (1, -1))
            gradient[i, j] = (high - low) / 2e-5
    # Costs count up to a constant a row and a column.
    np.testing.assert_allclose(centred(seen[0]), centred(gradient), atol=1e-7)


def centred(table):
    table = table - table.mean(axis=0)
    return table - table.mean(axis=1, keepdims=True)


def test_dlv_goes_on_until_its_matching_settles(generator):
    x, y = (unit(side).astype(np.float32) for side in skewed(generator, words=300, dimension=8))
    seeds = Pairs(np.column_stack((np.arange(6), np.arange(6))))
    fit = Dlv().learn(x, y, seeds, PROGRESS)
    similarities = [entry["similarity"] for entry in fit.history[1:]]
    assert len(similarities) > 3
    assert similarities[:-1] == sorted(similarities[:-1])
    once = Dlv(max_iterations=1).learn(x, y, seeds, PROGRESS)
    assert len(once.history) == 2
    right = [(np.diff(one.pairs.rows, axis=1) == 0).mean() for one in (once, fit)]
    assert right[1] > right[0]


@pytest.mark.parametrize(("criteria", "chosen"), [((0.2, 0.9, 0.5), 1), ((0.9, 0.2, 0.95), 2)])
def test_the_best_round_is_the_one_of_the_highest_criterion(monkeypatch, criteria, chosen):
    made = [Round(np.full((2, 2), float(number)), identical(3)) for number in range(3)]
    numbers = count()
    monkeypatch.setattr(rounds, "induced_rounds", lambda *_, **__: iter(made))
    monkeypatch.setattr(rounds, "matching_similarity", lambda *_, **__: criteria[next(numbers)])
    settings = {"loss": "l2", "neighbours": 2, "max_rank": 5, "device": "cpu"}
    rows = np.ones((4, 2), dtype=np.float32)
    best, history = best_round(rows, rows, made[0], rounds=3, progress=PROGRESS, **settings)
    assert best is made[chosen]
    assert [entry["criterion"] for entry in history] == list(criteria)
