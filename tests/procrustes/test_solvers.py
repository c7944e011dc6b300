"""Problems with known minima × all solvers."""

import itertools

import numpy as np
import pytest
import torch

from lexalign.errors import LexalignError
from lexalign.procrustes import LOSSES, Outcome, procrustes, solve
from lexalign.procrustes.flow import Flow
from lexalign.procrustes.loop import minimise
from lexalign.procrustes.losses import L1
from lexalign.procrustes.orthogonal import identity, orthogonality_error, rotate, skew
from lexalign.procrustes.problem import Problem
from tests.procrustes.problems import planted

EVERY = [(loss, solver) for loss in LOSSES for solver in ("flow", "minimum")]
FAR = 100.0


def l1(a, b, rotation):
    return float(np.abs(a @ rotation - b).sum())


@pytest.mark.parametrize(("loss", "solver"), EVERY)
def test_a_planted_rotation_is_recovered(loss, solver):
    a, b, rotation = planted(noise=1e-3)
    solution = solve(a, b, loss=loss, solver=solver, horizon=FAR)
    assert solution.outcome in (Outcome.CLOSED_FORM, Outcome.CONVERGED, Outcome.HORIZON)
    np.testing.assert_allclose(solution.rotation, rotation, atol=5e-3)


@pytest.mark.parametrize("solver", ["flow", "minimum"])
@pytest.mark.parametrize("loss", ["l1", "l21", "welsch"])
def test_robust_losses_withstand_outliers_that_mislead_l2(loss, solver):
    a, b, rotation = planted(pairs=200, outliers=0.3, noise=1e-3)
    robust = solve(a, b, loss=loss, solver=solver, horizon=FAR).rotation
    squares = solve(a, b, loss="l2").rotation
    assert np.linalg.norm(robust - rotation) < 0.2 * np.linalg.norm(squares - rotation)


@pytest.mark.parametrize(("loss", "solver"), EVERY)
def test_the_result_is_orthogonal_and_the_loss_never_rises(loss, solver):
    a, b, _ = planted(noise=0.1, outliers=0.1)
    solution = solve(a, b, loss=loss, solver=solver, horizon=0.05)
    assert orthogonality_error(solution.rotation.astype(np.float32)) <= 1e-6
    assert max(record.orthogonality_error for record in solution.history) < 1e-4
    if (loss, solver) != ("l1", "minimum"):
        losses = [record.loss for record in solution.history]
        assert all(after <= before * (1 + 1e-6) for before, after in itertools.pairwise(losses))


@pytest.mark.parametrize(("loss", "solver"), EVERY)
def test_equal_matrices_need_no_rotation(loss, solver):
    a, _, _ = planted()
    solution = solve(a, a.copy(), loss=loss, solver=solver)
    np.testing.assert_allclose(solution.rotation, np.eye(a.shape[1]), atol=1e-6)


@pytest.mark.parametrize(("loss", "solver"), EVERY)
def test_the_same_input_gives_the_same_bytes(loss, solver):
    a, b, _ = planted(noise=0.1)
    first, second = (solve(a, b, loss=loss, solver=solver).rotation for _ in range(2))
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize(("loss", "solver"), EVERY)
def test_torch_tensors_give_what_numpy_gives(loss, solver):
    a, b, _ = planted(noise=0.05, dtype=np.float64)
    ours = solve(a, b, loss=loss, solver=solver, horizon=0.02)
    theirs = solve(torch.tensor(a), torch.tensor(b), loss=loss, solver=solver, horizon=0.02)
    np.testing.assert_allclose(theirs.rotation, ours.rotation, atol=1e-6)
    assert isinstance(theirs.rotation, np.ndarray)


@pytest.mark.parametrize("solver", ["flow", "minimum"])
@pytest.mark.parametrize("loss", ["l1", "l2"])
def test_a_weight_of_two_is_a_pair_given_twice(loss, solver):
    a, b, _ = planted(pairs=60, noise=0.2, dtype=np.float64)
    weights = np.ones(60)
    weights[:20] = 2.0
    rows = np.r_[np.arange(60), np.arange(20)]
    weighted = solve(a, b, loss=loss, solver=solver, weights=weights, horizon=0.05)
    repeated = solve(a[rows], b[rows], loss=loss, solver=solver, horizon=0.05)
    gap = np.linalg.norm(weighted.rotation - repeated.rotation)
    assert gap < 0.02 * np.linalg.norm(repeated.rotation - np.eye(a.shape[1]))


@pytest.mark.parametrize(("loss", "solver"), EVERY)
def test_pairs_of_weight_zero_do_not_count(loss, solver):
    a, b, rotation = planted(pairs=200, outliers=0.3, noise=1e-4)
    right = np.linalg.norm(a @ rotation - b, axis=1) < 0.01
    solution = solve(a, b, loss=loss, solver=solver, weights=right.astype(np.float32), horizon=FAR)
    np.testing.assert_allclose(solution.rotation, rotation, atol=5e-3)


def test_flow_follows_the_path_of_tiny_steps():
    a, b, _ = planted(pairs=1500, dimension=30, noise=0.1, tilt=1.0)
    problem, reference = Problem(a, b, L1()), identity(a, 30)
    horizon, steps = 0.01, 4000
    for _ in range(steps):
        reference = rotate(reference, np.float32(horizon / steps) * problem.evaluate(reference)[1])
    solution = solve(a, b, solver="flow", horizon=horizon)
    way = np.linalg.norm(reference - np.eye(30))
    assert solution.outcome is Outcome.HORIZON
    assert len(solution.history) < 200
    assert np.linalg.norm(solution.rotation - reference) <= 0.02 * way


@pytest.mark.parametrize("scale", [0.1, 7.0])
def test_the_path_has_the_same_shape_in_any_units(scale):
    """Vectors c times as long travel the same way in 1/c of the time, in as many steps."""
    a, b, _ = planted(noise=0.1)
    plain = solve(a, b, solver="flow", horizon=0.02)
    scaled = solve(
        (scale * a).astype(np.float32), (scale * b).astype(np.float32), horizon=0.02 / scale
    )
    assert len(plain.history) == len(scaled.history)
    np.testing.assert_allclose(scaled.rotation, plain.rotation, atol=2e-3)


def test_exact_goes_below_flow_and_flow_below_the_start():
    a, b, _ = planted(noise=0.1, outliers=0.2)
    start = l1(a, b, np.eye(a.shape[1]))
    early = l1(a, b, solve(a, b, solver="flow", horizon=1e-2).rotation)
    minimum = l1(a, b, solve(a, b, solver="minimum").rotation)
    assert minimum < early < start


def test_exact_reaches_what_an_independent_solver_reaches():
    """Oracle: conjugate gradients of pymanopt on the smoothed loss, started at the ℓ2 optimum."""
    import pymanopt
    from pymanopt.manifolds import SpecialOrthogonalGroup
    from pymanopt.optimizers import ConjugateGradient

    a, b, _ = planted(pairs=200, dimension=8, noise=0.1, outliers=0.2, dtype=np.float64)
    manifold, smoothing = SpecialOrthogonalGroup(8), 1e-3

    @pymanopt.function.numpy(manifold)
    def cost(point):
        return np.sqrt((a @ point - b) ** 2 + smoothing**2).sum()

    @pymanopt.function.numpy(manifold)
    def gradient(point):
        residual = a @ point - b
        return a.T @ (residual / np.sqrt(residual**2 + smoothing**2))

    oracle = ConjugateGradient(verbosity=0, max_iterations=2000, min_gradient_norm=1e-4).run(
        pymanopt.Problem(manifold, cost, euclidean_gradient=gradient),
        initial_point=procrustes(a, b),
    )
    ours = l1(a, b, solve(a, b, solver="minimum").rotation)
    assert ours <= l1(a, b, oracle.point) * 1.002


def test_l2_is_the_closed_form():
    a, b, _ = planted(noise=0.3)
    solution = solve(a, b, loss="l2")
    left, _, right = np.linalg.svd(a.T.astype(float) @ b)
    np.testing.assert_allclose(solution.rotation, left @ right, atol=1e-5)
    assert solution.outcome is Outcome.CLOSED_FORM
    assert len(solution.history) == 2


def test_the_walk_ends_where_the_loss_settles():
    a, b, _ = planted(noise=0.1)
    solution = solve(a, b, horizon=1e3)
    assert solution.outcome is Outcome.CONVERGED
    assert solution.loss <= 1.02 * solve(a, b, solver="minimum").loss


def test_the_step_limit_is_reported():
    a, b, _ = planted(noise=0.1)
    solution = minimise(Problem(a, b, L1()), Flow(horizon=1.0, max_steps=3))
    assert solution.outcome is Outcome.STEP_LIMIT
    assert "may be above the minimum" in solution.message
    assert len(solution.history) == 4


def test_every_step_is_told():
    a, b, _ = planted(noise=0.1)
    told = []
    solution = solve(a, b, on_step=told.append)
    assert tuple(told) == solution.history
    assert [record.step for record in told] == list(range(len(told)))
    assert all(x.seconds <= y.seconds for x, y in itertools.pairwise(told))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"loss": "l3"}, "The .loss. must be one of"),
        ({"solver": "magic"}, "The .solver. must be one of .*Got 'magic' instead"),
        ({"horizon": -1.0}, "must be a positive number. Got -1.0"),
        ({"horizon": float("nan")}, "must be a positive number"),
        ({"weights": np.ones(3)}, "needs 300 weights"),
        ({"weights": -np.ones(300)}, "none negative"),
        ({"weights": np.zeros(300)}, "not all zero"),
    ],
)
def test_bad_parameters_get_one_sentence(change, sentence):
    a, b, _ = planted()
    with pytest.raises(LexalignError, match=sentence):
        solve(a, b, **change)


def test_bad_matrices_get_one_sentence():
    a, b, _ = planted()
    with pytest.raises(LexalignError, match=r"equal shape .*\(300, 12\) and \(299, 12\)"):
        solve(a, b[1:])
    with pytest.raises(LexalignError, match="equal shape"):
        solve(a[:0], b[:0])
    broken = b.copy()
    broken[3, 4] = np.nan
    with pytest.raises(LexalignError, match="target matrix of a Procrustes problem must be finite"):
        solve(a, broken)


@pytest.mark.parametrize("dimension", [2, 3, 5])
@pytest.mark.parametrize("tilt", [1.0, 2.5, 3.5])
@pytest.mark.parametrize("solver", ["flow", "minimum"])
def test_large_turns_in_few_dimensions_stay_on_the_group(dimension, tilt, solver):
    a, b, rotation = planted(pairs=80, dimension=dimension, tilt=tilt, noise=1e-3)
    solution = solve(a, b, solver=solver, horizon=FAR)
    assert max(record.orthogonality_error for record in solution.history) < 1e-3
    assert solution.loss <= 1.05 * l1(a, b, rotation)


@pytest.mark.parametrize("loss", list(LOSSES))
def test_pairs_that_coincide_do_not_stall_the_flow(loss):
    a, b, _ = planted(pairs=400, noise=0.1)
    b[:20] = a[:20]
    solution = solve(a, b, loss=loss, solver="flow")
    assert solution.outcome is Outcome.HORIZON
    assert len(solution.history) < 200


def test_residuals_that_are_never_small_can_be_solved():
    swapped = np.eye(2)[::-1].copy()
    assert solve(np.eye(2), swapped, solver="minimum").outcome is Outcome.CONVERGED


def test_numbers_beyond_float32_are_reported():
    a, b, _ = planted()
    with np.errstate(all="ignore"):
        solution = solve(np.float32(1e38) * a, np.float32(-3e38) * b)
    assert solution.outcome is Outcome.NOT_FINITE


def test_float64_weights_serve_float32_tensors():
    a, b, _ = planted(noise=0.1)
    solution = solve(torch.tensor(a), torch.tensor(b), weights=torch.ones(300, dtype=torch.float64))
    assert solution.outcome is Outcome.HORIZON


def test_the_closed_form_is_told_too():
    a, b, _ = planted()
    told = []
    solve(a, b, loss="l2", on_step=told.append)
    assert len(told) == 2


@pytest.mark.parametrize("noise", [0.001, 0.01])
def test_the_minimum_does_not_depend_on_how_far_away_the_start_is(noise):
    from scipy.linalg import expm

    generator = np.random.default_rng(0)
    a = generator.standard_normal((400, 40)) / np.sqrt(40)
    turn = expm(0.1 * skew(generator.standard_normal((40, 40))))
    b = a @ turn + noise * generator.laplace(size=a.shape)
    losses = [solve(start, b, solver="minimum").loss for start in (a, a @ turn)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
