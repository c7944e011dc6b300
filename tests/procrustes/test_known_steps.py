"""Points of paths and steps of solvers, against derivations of their own."""

import itertools

import numpy as np
import pytest

from lexalign.procrustes import geodesic, path_of_descent, path_to_minimum, solve
from lexalign.procrustes.flow import Flow
from lexalign.procrustes.loop import minimise
from lexalign.procrustes.losses import L1
from lexalign.procrustes.orthogonal import polar
from lexalign.procrustes.path import DescentPoints, only_start
from lexalign.procrustes.problem import Problem
from lexalign.procrustes.quasi_newton import SMOOTHING, Preconditioner, QuasiNewton
from tests.conftest import small_rotation
from tests.procrustes.problems import planted


def test_a_path_to_the_minimum_is_the_flow_up_to_one_half_and_then_the_chord():
    a, b, _ = planted(noise=0.1, outliers=0.1, dtype=np.float64)
    lowest = np.abs(a @ solve(a, b, solver="minimum").rotation - b).sum()
    seen = []
    minimise(Problem(a, b, L1()), Flow(horizon=np.inf, max_steps=300), on_state=seen.append)
    covered = [(seen[0].loss - state.loss) / (seen[0].loss - lowest) for state in seen]
    expected = sorted({min(s for s in covered if s >= t) for t in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)})
    path = path_to_minimum(a, b)
    flow = len(expected)
    np.testing.assert_allclose(path.shares[1 : flow + 1], expected, atol=1e-5)
    last, end = path.rotations[flow], path.rotations[-1]
    assert len(path) == flow + 5
    for u, point in zip((0.25, 0.5, 0.75), path.rotations[flow + 1 :], strict=False):
        left, _, right = np.linalg.svd((1 - u) * last + u * end)
        np.testing.assert_allclose(point, left @ right, atol=1e-5)


def test_a_path_says_of_which_kind_it_is():
    a, b, rotation = planted(noise=0.1)
    assert path_to_minimum(a, b).kind == "descent"
    assert path_of_descent(a, b).kind == "descent"
    assert geodesic(rotation).kind == "geodesic"
    start = only_start(3)
    assert (start.kind, start.shares) == ("none", (0.0,))
    np.testing.assert_array_equal(start.rotations, np.eye(3)[None])


def test_a_path_of_a_loss_that_is_not_finite_is_an_error():
    from lexalign.errors import LexalignError

    a, b, _ = planted()
    wide = np.float32(1e38) * a, np.float32(-3e38) * b
    for path in (path_to_minimum, path_of_descent):
        with np.errstate(all="ignore"), pytest.raises(LexalignError, match="no longer finite"):
            path(*wide)


def test_a_long_descent_is_sampled_evenly():
    descent = DescentPoints()
    for step in range(1000):
        descent.add(float(step), np.eye(2) * step)
        descent.add(float(step), -np.eye(2))  # a step that was taken back
    times = [time for time, _ in descent.points]
    assert set(np.diff(times[:-1])) == {16.0}  # after 84, 168, 336 and 672 steps every other stays
    assert times[-1] == 999.0
    for time, rotation in descent.points:
        np.testing.assert_array_equal(rotation, np.eye(2) * time)


def test_the_flow_ends_at_its_horizon_if_its_steps_were_shortened():
    a, b, _ = planted(pairs=200, dimension=2, tilt=4.0, noise=0.1, dtype=np.float64)
    seen = []
    solve(a, b, horizon=0.04, on_state=seen.append)
    turns = [np.linalg.norm(y.rotation - x.rotation) for x, y in itertools.pairwise(seen)]
    assert max(turns) == pytest.approx(0.2, rel=0.05)  # the bound on a turn counts here
    assert seen[-1].time == pytest.approx(0.04, rel=1e-9)


@pytest.mark.parametrize("loss", ["l21", "huber", "welsch"])
def test_the_weights_of_pairs_count_in_reweighted_least_squares(loss):
    a, b, _ = planted(pairs=60, noise=0.2, outliers=0.1, dtype=np.float64)
    weights = 1.0 + np.arange(60) % 4
    rows = np.repeat(np.arange(60), weights.astype(int))
    chosen = unfitted(loss, a, b)
    weighted = solve(a, b, loss=chosen, solver="minimum", weights=weights)
    repeated = solve(a[rows], b[rows], loss=chosen, solver="minimum")
    plain = solve(a, b, loss=chosen, solver="minimum")
    np.testing.assert_allclose(weighted.rotation, repeated.rotation, atol=1e-3)
    assert np.abs(weighted.rotation - plain.rotation).max() > 0.01
    assert weighted.history[0].step_length == 0.0
    assert weighted.history[1].step_length == 1.0


def unfitted(name, a, b):
    """A loss whose scale no longer follows the pairs."""
    from dataclasses import replace

    from lexalign.procrustes.losses import named_loss

    class Fixed(type(named_loss(name))):
        def fitted(self, residual):
            return self

    fitted = named_loss(name).fitted(a - b)
    return replace(Fixed(), **vars(fitted)) if vars(fitted) else Fixed()


def test_the_history_of_the_closed_form_is_before_and_after():
    a, b, _ = planted(noise=0.3, dtype=np.float64)
    told = []
    solution = solve(a, b, loss="l2", on_step=told.append)
    before, after = solution.history
    assert told == [before, after]
    assert (before.step, after.step) == (0, 1)
    assert before.seconds == 0.0
    assert 0.0 < after.seconds < 1.0
    scale = np.sort(np.linalg.norm(a - b, axis=1))[150]  # the median distance at the start
    for record, rotation in ((before, np.eye(12)), (after, solution.rotation)):
        squares = np.square(a @ rotation - b).sum()
        assert record.loss == pytest.approx(np.sqrt(12) * squares / (2 * scale))
    assert after.loss == solution.loss < before.loss
    assert max(before.orthogonality_error, after.orthogonality_error) < 1e-9
    assert solution.rotation.dtype == np.float64


def test_the_minimum_lowers_its_smoothing_in_stages():
    a, b, _ = planted(pairs=400, noise=0.1, outliers=0.2, dtype=np.float64)
    problem, seen = Problem(a, b, L1()), []
    solution = minimise(problem, QuasiNewton(), on_state=seen.append)
    assert solution.history[0].step_length == 0.0
    assert all(0.0 < record.step_length <= 1.0 for record in solution.history[1:])
    firsts = [next(state for state in seen if state.stage == stage) for stage in range(4)]
    for share, state in zip(SMOOTHING, firsts, strict=True):
        residual = a @ state.rotation - b
        epsilon = share * np.abs(residual).mean()
        assert state.smooth.smoothing == pytest.approx(epsilon)
        root = np.sqrt(residual**2 + epsilon**2)
        assert state.smoothed == pytest.approx(L1(smoothing=epsilon).evaluate(residual)[0].sum())
        assert state.curvature == pytest.approx(L1(smoothing=epsilon).curvature(residual))
        gradient = a.T @ (residual / root) @ state.rotation.T
        np.testing.assert_allclose(state.ascent, (gradient - gradient.T) / 2, atol=1e-9)
        assert state.pairs == ()
    for one, other in itertools.pairwise(seen):
        if one.stage == other.stage and not other.converged:
            assert other.smoothed < one.smoothed
            assert len(other.pairs) == min(len(one.pairs) + 1, 10)


def test_the_preconditioner_inverts_the_hessian_of_least_squares():
    generator = np.random.default_rng(0)
    a = generator.standard_normal((50, 6)) * np.linspace(1, 3, 6)
    problem = Problem(a, a, L1())
    w = generator.standard_normal((6, 6))
    w -= w.T
    gram = a.T @ a
    found = Preconditioner.of(problem).solve((gram @ w + w @ gram) / 2)
    np.testing.assert_allclose(found, w, atol=1e-12)


def test_the_preconditioner_bounds_what_hardly_counts():
    a = np.diag([1.0, 1e-1, 1e-4])
    sums = np.sort(np.unique(Preconditioner.of(Problem(a, a, L1())).sums))
    # Half-sums of the eigenvalues 1, 1e-2 and 1e-8, not below a thousandth of the largest.
    np.testing.assert_allclose(sums, [1e-3, 5e-3, 1e-2, 0.5, 0.505, 1.0], rtol=1e-5)


def test_few_gradients_lead_to_the_minimum_of_a_stretched_space():
    a, b, _ = planted(pairs=600, dimension=20, noise=0.05, dtype=np.float64)
    stretch = np.logspace(0, -1.5, 20)
    solution = solve(a * stretch, (a * stretch) @ (polar(a.T @ b)) + (b - a) / 50, solver="minimum")
    assert len(solution.history) < 100


def test_a_geodesic_divides_the_angle():
    rotation = small_rotation(2, 1.0, np.random.default_rng(3))
    angle = np.arctan2(rotation[0, 1], rotation[0, 0])
    for share, point in geodesic(rotation):
        found = np.arctan2(point[0, 1], point[0, 0])
        assert found == pytest.approx(share * angle, abs=1e-12)


def test_a_trimmed_loss_may_keep_all_pairs():
    from lexalign.procrustes.losses import L2, Trimmed

    distance = np.array([0.5, 2.0, 1.0, 3.0])
    everything = Trimmed(scale=2.0, keep=1.0)
    np.testing.assert_array_equal(everything.values(distance), L2(2.0).values(distance))
    np.testing.assert_array_equal(everything.weights(distance), L2(2.0).weights(distance))
    assert Trimmed(keep=0.5).kept(distance).tolist() == [1, 0, 1, 0]
    assert Trimmed(keep=0.51).kept(distance).tolist() == [1, 1, 1, 0]
    assert Trimmed(keep=0.01).kept(distance).tolist() == [1, 0, 0, 0]
    kept = Trimmed().kept(distance.astype(np.float32))
    assert kept.dtype == np.float32


@pytest.mark.parametrize("scale", [1e-3, 1.0])
def test_a_flow_without_a_horizon_steps_by_half_of_its_rate(scale):
    a, b, _ = planted(noise=0.1, dtype=np.float64)
    problem = Problem(scale * a, scale * b, L1())
    size = np.abs(scale * (a - b))
    width = 0.1 * size.mean()
    rate = (size < width).mean() / width * problem.spectral_norm
    assert Flow(horizon=np.inf).start(problem).step_length == pytest.approx(0.5 / rate)
    assert Flow(horizon=np.inf).start(Problem(a, a, L1())).step_length == 1.0
    largest = np.linalg.eigvalsh(a.T @ a).max() * scale**2
    assert largest <= problem.spectral_norm <= 1.09 * largest


@pytest.mark.parametrize("loss", ["l1", "l21", "welsch"])
def test_a_problem_that_is_solved_already_takes_no_step(loss):
    a, _, _ = planted()
    solution = solve(a, a, loss=loss, solver="minimum")
    assert len(solution.history) == 1
    assert solution.loss == 0.0


def test_the_rank_of_a_matrix_is_judged_by_its_largest_value():
    """The third value is 0 but for rounding, so its sign counts for nothing."""
    np.testing.assert_allclose(polar(np.diag([1.0, 1e-10, -1e-17])), np.eye(3), atol=1e-12)


def test_a_path_follows_the_flow_to_its_last_share_and_no_further(monkeypatch):
    """What the flow must reach is told to it as a loss, between start and minimum."""
    from lexalign.procrustes import path

    asked = []
    followed = path.Flow

    def flow(**settings):
        asked.append(settings["enough"])
        return followed(**settings)

    monkeypatch.setattr(path, "Flow", flow)
    a, b = planted(300, 8, noise=0.3)[:2]
    found = path_to_minimum(a, b, loss="l1")
    start, end = (float(np.abs(a @ m - b).sum()) for m in (np.eye(8), found.rotations[-1]))
    assert asked == [pytest.approx(start - path.FLOW_SHARES[-1] * (start - end), rel=1e-3)]
