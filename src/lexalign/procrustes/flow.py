"""The paper's early-stopped descent, in few large, safe steps.

The estimator of Peng, Lin & Stevenson (2021) is not the ℓ1 minimum. It is the point M(t) of the
projected-gradient flow of their equation (7),

    dM/dt = −MΩ(M),   Ω = ½(Mᵀ∇ − ∇ᵀM),   M(0) = I,

at the horizon t = 5e-3. Their program takes 5,000 steps of 1e-6. Larger steps are enough: the flow
turns only as fast as the influence changes, at the rate

    λ = curvature · σ²max(A)

For ℓ1, this is twice the density of the residuals at zero, times the largest eigenvalue of AᵀA. At
least 32 explicit steps of at most dt = 0.5/λ follow the flow within 1.5 % of its length. λ carries
the units of t, so one rule serves unit vectors and raw vectors, and any number of pairs. In few
dimensions, a second bound applies: no step turns by more than 0.2 (Frobenius norm).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from lexalign.arrays import Array, is_numpy, namespace
from lexalign.errors import LexalignError
from lexalign.procrustes.loop import Outcome
from lexalign.procrustes.losses import L1
from lexalign.procrustes.orthogonal import identity, rotate
from lexalign.procrustes.problem import Problem
from lexalign.procrustes.sign_field import SignField

PAPER_HORIZON = 5e-3
STEP_TIMES_RATE = 0.5
FEWEST_STEPS = 32
LARGEST_TURN = 0.2
SMALLEST_STEP = 1e-3
SETTLED = 1e-7


def require_horizon(horizon: float) -> None:
    """Raise if the horizon is not a positive, finite number."""
    if not (horizon > 0 and math.isfinite(horizon)):
        raise LexalignError(f"The `horizon` must be a positive number. Got {horizon} instead.")


@dataclass(frozen=True)
class FlowState:
    """A point of the path with the direction of steepest ascent."""

    rotation: Array
    loss: float
    ascent: Array
    time: float
    step_length: float
    longest_step: float
    settled: bool
    evaluate: Callable[[Array], tuple[float, Array]]


@dataclass(frozen=True)
class Flow:
    """Follow the projected-gradient flow from the identity until t = ``horizon``.

    A step that raises the loss is undone and halved, so the loss never rises. If the horizon lies
    beyond the minimum, the descent ends when the loss has converged. It also ends when the loss is
    at most ``enough``.
    """

    horizon: float = PAPER_HORIZON
    max_steps: int = 20_000
    enough: float = -math.inf

    def __post_init__(self) -> None:
        """Validate the horizon; an infinite horizon means the minimum."""
        if self.horizon != math.inf:
            require_horizon(self.horizon)

    def start(self, problem: Problem) -> FlowState:
        """The identity, and a step length from the turning rate of the flow."""
        rotation = identity(problem.source, problem.dimension)
        evaluate = _evaluator(problem)
        loss, ascent = evaluate(rotation)
        rate = problem.loss.curvature(problem.residual(rotation)) * problem.spectral_norm
        wanted = self.horizon * rate / STEP_TIMES_RATE
        steps = max(FEWEST_STEPS, math.ceil(wanted)) if math.isfinite(wanted) else FEWEST_STEPS
        length = self.horizon / steps
        if math.isinf(self.horizon):
            length = STEP_TIMES_RATE / rate if rate > 0 else 1.0
        return FlowState(
            rotation=rotation,
            loss=loss,
            ascent=ascent,
            time=0.0,
            step_length=length,
            longest_step=length,
            settled=loss == 0.0,
            evaluate=evaluate,
        )

    def step(self, problem: Problem, state: FlowState) -> FlowState:
        """M ← M exp(−dt Ω); halve dt if that would raise the loss."""
        turn = float(namespace(state.ascent).linalg.matrix_norm(state.ascent))
        length = min(state.step_length, self.horizon - state.time, LARGEST_TURN / max(turn, 1e-30))
        rotation = rotate(state.rotation, length * state.ascent)
        loss, ascent = state.evaluate(rotation)
        if loss > state.loss:
            return replace(state, step_length=length / 2)
        return replace(
            state,
            rotation=rotation,
            loss=loss,
            ascent=ascent,
            time=state.time + length,
            settled=state.loss - loss <= SETTLED * loss,
        )

    def stop(self, problem: Problem, state: FlowState) -> Outcome | None:
        """Stop at the horizon, or earlier if the loss has converged."""
        if state.time >= self.horizon * (1 - 1e-9) or state.loss <= self.enough:
            return Outcome.HORIZON
        if state.settled or state.step_length < SMALLEST_STEP * state.longest_step:
            return Outcome.CONVERGED
        return None


def _evaluator(problem: Problem) -> Callable[[Array], tuple[float, Array]]:
    """A faster evaluation along a path for plain ℓ1 on the CPU; dense products otherwise."""
    if is_numpy(problem.source) and problem.loss == L1() and problem.weights is None:
        return SignField(problem).evaluate
    return problem.evaluate
