import numpy as np
import pytest
import torch

from lexalign.errors import LexalignError
from lexalign.procrustes.losses import L1, LOSSES, PairLoss, Trimmed, distances, named_loss

RESIDUAL = np.array([[3.0, -4.0], [0.3, 0.4], [0.0, 1.0], [-0.6, 0.8], [6.0, 8.0]])


def test_l1_is_the_sum_of_absolute_values():
    per_pair, influence = L1().evaluate(RESIDUAL)
    np.testing.assert_allclose(per_pair, [7.0, 0.7, 1.0, 1.4, 14.0])
    np.testing.assert_array_equal(influence, np.sign(RESIDUAL))


def test_pair_losses_match_their_formulas_by_hand():
    """Distances are 5, 0.5, 1, 1, 10; the median scale is 1; the common factor is √2."""
    expected = {
        "l2": [12.5, 0.125, 0.5, 0.5, 50.0],
        "l21": [5.0, 0.5, 1.0, 1.0, 10.0],
        "huber": [4.5, 0.125, 0.5, 0.5, 9.5],
        "welsch": [0.5 * (1 - np.exp(-d * d)) for d in (5, 0.5, 1, 1, 10)],
        "trimmed": [12.5, 0.125, 0.5, 0.5, 0.0],
    }
    for name, values in expected.items():
        loss = named_loss(name).fitted(RESIDUAL)
        assert isinstance(loss, PairLoss)
        assert loss.scale == 1.0
        np.testing.assert_allclose(loss.evaluate(RESIDUAL)[0], np.sqrt(2) * np.array(values))


@pytest.mark.parametrize("name", [*LOSSES, "smoothed"])
def test_influence_is_the_derivative(name):
    generator = np.random.default_rng(1)
    residual = generator.standard_normal((7, 3))
    loss = L1(smoothing=0.3) if name == "smoothed" else named_loss(name).fitted(residual)
    influence = loss.evaluate(residual)[1]
    step = 1e-6
    for index in np.ndindex(residual.shape):
        up, down = residual.copy(), residual.copy()
        up[index] += step
        down[index] -= step
        slope = (loss.evaluate(up)[0].sum() - loss.evaluate(down)[0].sum()) / (2 * step)
        assert slope == pytest.approx(influence[index], abs=1e-5)


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"l1"}))
def test_pair_losses_do_not_depend_on_the_basis(name):
    generator = np.random.default_rng(2)
    residual = generator.standard_normal((9, 4))
    rotation = np.linalg.qr(generator.standard_normal((4, 4)))[0]
    loss = named_loss(name).fitted(residual)
    np.testing.assert_allclose(
        loss.evaluate(residual @ rotation)[0], loss.evaluate(residual)[0], atol=1e-12
    )


def test_smoothed_l1_approaches_l1_from_below():
    exact = L1().evaluate(RESIDUAL)[0]
    gaps = [exact - L1(smoothing=s).evaluate(RESIDUAL)[0] for s in (1.0, 0.1, 0.001)]
    assert all((gap >= 0).all() for gap in gaps)
    assert gaps[0].max() > gaps[1].max() > gaps[2].max()
    np.testing.assert_allclose(gaps[2], 0, atol=2.1e-3)


def test_curvature_of_l1_is_twice_the_density_at_zero():
    residual = np.random.default_rng(3).standard_normal((20_000, 10))
    assert L1().curvature(residual) == pytest.approx(2 / np.sqrt(2 * np.pi), rel=0.02)


def test_trimmed_keeps_the_share_it_says():
    distance = np.arange(1.0, 11.0)
    assert Trimmed(keep=0.8).kept(distance).sum() == 8
    assert Trimmed(keep=0.01).kept(distance).tolist() == [1.0] + [0.0] * 9


@pytest.mark.parametrize("name", list(LOSSES))
def test_torch_and_numpy_agree(name):
    residual = np.random.default_rng(4).standard_normal((11, 5)).astype(np.float32)
    loss = named_loss(name)
    ours = loss.fitted(residual).evaluate(residual)
    theirs = loss.fitted(torch.tensor(residual)).evaluate(torch.tensor(residual))
    for left, right in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(left, right.numpy(), rtol=1e-5, atol=1e-6)


def test_distances_are_row_lengths():
    np.testing.assert_allclose(distances(RESIDUAL), [5.0, 0.5, 1.0, 1.0, 10.0])


def test_an_unknown_loss_is_named():
    with pytest.raises(LexalignError, match=r"must be one of .*'l1'.*Got 'l3' instead"):
        named_loss("l3")


@pytest.mark.parametrize("keep", [0.0, -1.0, 1.5])
def test_a_share_that_is_none_is_refused(keep):
    with pytest.raises(LexalignError, match="`keep` of the trimmed loss"):
        Trimmed(keep=keep)


def test_curvature_of_smoothed_l1_is_its_mean_second_derivative():
    residual, step = np.random.default_rng(5).standard_normal((50, 4)), 1e-4
    loss = L1(smoothing=0.5)
    slopes = [loss.evaluate(residual + sign * step)[1] for sign in (1, -1)]
    expected = np.mean((slopes[0] - slopes[1]) / (2 * step))
    assert loss.curvature(residual) == pytest.approx(expected, rel=1e-5)
