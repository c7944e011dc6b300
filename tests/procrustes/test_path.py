"""The path of a refinement: its points, and that its shares mean the same everywhere."""

import itertools

import numpy as np
import pytest

from lexalign.procrustes import (
    LOSSES,
    RefinementPath,
    geodesic,
    path_of_descent,
    path_to_minimum,
    solve,
)
from lexalign.procrustes.losses import named_loss
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.procrustes.path import POINTS, DescentPoints
from lexalign.procrustes.problem import Problem
from tests.conftest import random_rotation, small_rotation
from tests.procrustes.problems import planted


@pytest.mark.parametrize("loss", LOSSES)
def test_it_goes_from_the_identity_to_the_minimum(loss):
    a, b, _ = planted(noise=0.1, outliers=0.1)
    found = path_to_minimum(a, b, loss=loss)
    shares = found.shares
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert all(one < other for one, other in itertools.pairwise(shares))
    np.testing.assert_array_equal(found.rotations[0], np.eye(12))
    minimum = solve(a, b, loss=loss, solver="minimum")
    np.testing.assert_allclose(found.rotations[-1], minimum.rotation, atol=1e-6)
    assert max(orthogonality_error(rotation) for rotation in found.rotations) < 1e-6


@pytest.mark.parametrize("loss", LOSSES)
def test_shares_are_those_of_the_decrease_that_can_be_reached(loss):
    a, b, _ = planted(noise=0.1)
    problem = Problem(a, b, named_loss(loss).fitted(a - b))
    found = path_to_minimum(a, b, loss=loss)
    losses = [problem.evaluate(rotation.astype(np.float32))[0] for rotation in found.rotations]
    for share, value in zip(found.shares, losses, strict=True):
        assert (losses[0] - value) / (losses[0] - losses[-1]) == pytest.approx(share, abs=1e-3)


@pytest.mark.parametrize("loss", ["l1", "l2", "l21"])
def test_neither_length_nor_number_of_pairs_changes_it(loss):
    a, b, _ = planted(noise=0.1)
    found = path_to_minimum(a, b, loss=loss)
    for other in (
        path_to_minimum(100 * a, 100 * b, loss=loss),
        path_to_minimum(*map(thrice, (a, b)), loss=loss),
    ):
        assert_alike(found, other, atol=0.01)


def assert_alike(one, two, atol):
    np.testing.assert_allclose(one.shares, two.shares, atol=0.02)
    np.testing.assert_allclose(one.rotations, two.rotations, atol=atol)


def thrice(rows):
    return np.concatenate((rows, rows, rows))


def test_weights_count_as_repetitions():
    a, b, _ = planted(pairs=100, noise=0.1)
    weights = np.arange(100) % 3
    rows = np.repeat(np.arange(100), weights)
    assert_alike(
        path_to_minimum(a, b, weights=weights.astype(np.float32)),
        path_to_minimum(a[rows], b[rows]),
        atol=0.02,
    )


def test_pairs_that_coincide_need_no_path():
    a, _, _ = planted()
    path = path_to_minimum(a, a)
    assert (path.kind, path.shares) == ("none", (0.0,))


def test_torch_has_the_same_path():
    import torch

    a, b, _ = planted(noise=0.1)
    ours, theirs = path_to_minimum(a, b), path_to_minimum(torch.tensor(a), torch.tensor(b))
    assert_alike(ours, theirs, atol=0.01)


def test_a_reflection_has_no_shortest_path():
    generator = np.random.default_rng(0)
    reflection = random_rotation(6, generator)
    if np.linalg.det(reflection) > 0:
        reflection[:, 0] *= -1
    assert geodesic(reflection) is None


def test_the_geodesic_is_straight():
    rotation = small_rotation(9, 1.3, np.random.default_rng(1))
    path = geodesic(rotation)
    assert len(path) == POINTS
    steps = [one.T @ other for one, other in itertools.pairwise(path.rotations)]
    assert np.allclose(steps, steps[0], atol=1e-5)
    assert np.allclose(path.rotations[0], np.eye(9), atol=1e-12)
    assert np.array_equal(path.rotations[-1], rotation)


@pytest.mark.parametrize("steps", [2, 33, 84, 1000])
def test_a_descent_of_any_length_keeps_few_points(steps):
    descent = DescentPoints()
    for step in range(steps):
        descent.add(float(step), np.eye(2) * step)
        descent.add(float(step), np.eye(2))  # a step that was taken back
    points = descent.points
    assert len(points) <= 4 * POINTS
    assert points[0][0] == 0.0
    assert points[-1][0] == steps - 1
    path = descent.path(np.eye(2))
    assert len(path) == min(steps, POINTS)
    assert path.shares[-1] == 1.0
    assert np.diff(path.shares).max() < 0.1 or steps == 2


def test_the_nearest_point_is_found():
    path = RefinementPath("descent", (0.0, 0.3, 1.0), np.stack([np.eye(2)] * 3))
    assert [path.nearest(t) for t in (0.0, 0.1, 0.2, 0.3, 0.64, 0.66, 1.0)] == [0, 0, 1, 1, 1, 2, 2]


def test_a_path_can_end_earlier_and_elsewhere():
    path = RefinementPath("descent", (0.0, 0.2, 0.8, 1.0), np.stack([np.eye(2)] * 4))
    part = path.until(2).ending_at(-np.eye(2))
    assert part.shares == (0.0, 0.25, 1.0)
    assert part.rotations.shape == (3, 2, 2)
    assert [share for share, _ in part] == list(part.shares)
    np.testing.assert_array_equal(part.rotations[-1], -np.eye(2))
    np.testing.assert_array_equal(path.rotations[-1], np.eye(2))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_descent_ends_where_the_flow_ends(loss):
    a, b, _ = planted(noise=0.1)
    path = path_of_descent(a, b, loss=loss, horizon=2e-3)
    end = solve(a, b, loss=loss, solver="flow", horizon=2e-3).rotation
    np.testing.assert_array_equal(path.rotations[0], np.eye(12))
    np.testing.assert_array_equal(path.rotations[-1], end)
    assert len(path) <= POINTS
    assert path.shares[-1] == 1.0


def test_pairs_that_coincide_need_no_descent():
    a, _, _ = planted()
    assert path_of_descent(a, a).kind == "none"
