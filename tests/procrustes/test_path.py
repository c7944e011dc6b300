"""The whole way to the minimum: what its points are, and that they mean the same everywhere."""

import itertools

import numpy as np
import pytest

from lexalign.procrustes import LOSSES, path, solve
from lexalign.procrustes.losses import named_loss
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.procrustes.problem import Problem
from tests.procrustes.problems import planted


@pytest.mark.parametrize("loss", LOSSES)
def test_it_goes_from_the_identity_to_the_minimum(loss):
    a, b, _ = planted(noise=0.1, outliers=0.1)
    found = path(a, b, loss=loss)
    shares = [stop.share for stop in found]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert all(one < other for one, other in itertools.pairwise(shares))
    np.testing.assert_array_equal(found[0].rotation, np.eye(12))
    minimum = solve(a, b, loss=loss, solver="minimum")
    np.testing.assert_allclose(found[-1].rotation, minimum.rotation, atol=1e-6)
    assert max(orthogonality_error(stop.rotation) for stop in found) < 1e-6


@pytest.mark.parametrize("loss", LOSSES)
def test_shares_are_those_of_the_decrease_that_can_be_reached(loss):
    a, b, _ = planted(noise=0.1)
    problem = Problem(a, b, named_loss(loss).fitted(a - b))
    found = path(a, b, loss=loss)
    losses = [problem.evaluate(stop.rotation.astype(np.float32))[0] for stop in found]
    for stop, value in zip(found, losses, strict=True):
        share = (losses[0] - value) / (losses[0] - losses[-1])
        assert share == pytest.approx(stop.share, abs=1e-3)


@pytest.mark.parametrize("loss", ["l1", "l2", "l21"])
def test_neither_length_nor_number_of_pairs_changes_it(loss):
    a, b, _ = planted(noise=0.1)
    found = path(a, b, loss=loss)
    for other in (path(100 * a, 100 * b, loss=loss), path(*map(thrice, (a, b)), loss=loss)):
        for one, two in zip(found, other, strict=True):
            assert one.share == pytest.approx(two.share, abs=0.02)
            np.testing.assert_allclose(one.rotation, two.rotation, atol=0.01)


def thrice(rows):
    return np.concatenate((rows, rows, rows))


def test_weights_count_as_repetitions():
    a, b, _ = planted(pairs=100, noise=0.1)
    weights = np.arange(100) % 3
    rows = np.repeat(np.arange(100), weights)
    for one, two in zip(
        path(a, b, weights=weights.astype(np.float32)), path(a[rows], b[rows]), strict=True
    ):
        assert one.share == pytest.approx(two.share, abs=0.02)
        np.testing.assert_allclose(one.rotation, two.rotation, atol=0.02)


def test_pairs_that_coincide_need_no_way():
    a, _, _ = planted()
    (only,) = path(a, a)
    assert only.share == 0.0


def test_torch_goes_the_same_way():
    import torch

    a, b, _ = planted(noise=0.1)
    ours, theirs = path(a, b), path(torch.tensor(a), torch.tensor(b))
    for one, two in zip(ours, theirs, strict=True):
        assert one.share == pytest.approx(two.share, abs=0.02)
        np.testing.assert_allclose(one.rotation, two.rotation, atol=0.01)
