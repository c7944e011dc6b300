import numpy as np
import pytest
import torch

from lexalign.errors import LexalignError
from lexalign.procrustes import Outcome, solve
from tests.procrustes.problems import planted


@pytest.fixture(scope="module")
def pairs():
    a, b, _ = planted(pairs=200, dimension=10, noise=0.1, tilt=0.5)
    return a, b


def test_vode_and_flow_walk_the_same_path(pairs):
    a, b = pairs
    horizon = 4e-4
    slow, fast = (solve(a, b, solver=solver, horizon=horizon) for solver in ("vode", "flow"))
    assert slow.outcome is Outcome.HORIZON
    assert len(slow.history) == 401
    way = np.linalg.norm(slow.rotation - np.eye(10))
    assert np.linalg.norm(fast.rotation - slow.rotation) <= 0.02 * way
    assert fast.loss == pytest.approx(slow.loss, rel=1e-3)


def test_the_published_rule_stops_when_the_loss_falls_too_little(pairs):
    """On 200 short vectors the loss falls by less than 5e-3 an output almost at once."""
    a, b = pairs
    solution = solve(0.05 * a, 0.05 * b, solver="vode", published_stop=True, horizon=1e-4)
    assert solution.outcome is Outcome.LOSS_ROSE
    assert len(solution.history) < 100
    patient = solve(0.05 * a, 0.05 * b, solver="vode", horizon=1e-4)
    assert patient.outcome is Outcome.HORIZON


def test_drift_off_the_group_stops_the_walk(pairs, monkeypatch):
    monkeypatch.setattr("lexalign.procrustes.vode.DRIFT_THRESHOLD", 1e-12)
    a, b = pairs
    solution = solve(a, b, solver="vode", horizon=1e-4)
    assert solution.outcome is Outcome.LEFT_GROUP


def test_vode_takes_only_what_the_paper_took(pairs):
    a, b = pairs
    for change in ({"loss": "l21"}, {"weights": np.ones(len(a))}):
        with pytest.raises(LexalignError, match="use the solver 'flow'"):
            solve(a, b, solver="vode", **change)
    with pytest.raises(LexalignError, match="on the CPU"):
        solve(torch.tensor(a), torch.tensor(b), solver="vode")


@pytest.mark.parametrize("horizon", [-1.0, float("inf"), float("nan")])
def test_a_horizon_that_is_none_is_refused(pairs, horizon):
    with pytest.raises(LexalignError, match="`horizon` must be a positive number"):
        solve(*pairs, solver="vode", horizon=horizon)
