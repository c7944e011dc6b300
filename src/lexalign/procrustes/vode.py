"""The paper's solver, kept as a slow reference: the flow integrated by VODE.

It follows equations (5) to (9) of Peng, Lin & Stevenson (2021) with their parameters: α = 1e8,
tolerances 1e-5 and 1e-7, one output every 1e-6, ε = 1e-5, ∫dt ≤ 5e-3. It passes on "maximum order
15" like the paper, although VODE limits its BDF formulas to order 5.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.arrays import is_numpy
from lexalign.errors import LexalignError
from lexalign.procrustes.flow import PAPER_HORIZON, require_horizon
from lexalign.procrustes.loop import Outcome
from lexalign.procrustes.losses import L1
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.procrustes.problem import Problem

SMOOTHNESS = 1e8
INTERVAL = 1e-6
DRIFT_THRESHOLD = 1e-5
PUBLISHED_SMALLEST_DROP = 5e-3
SATURATED = 25.0


@dataclass(frozen=True)
class VodeState:
    """An output of the integrator; ``verdict`` tells whether the next one was not acceptable."""

    rotation: np.ndarray
    loss: float
    step_length: float
    outputs: int
    integrator: Any
    verdict: Outcome | None = None


@dataclass(frozen=True)
class Vode:
    """Integrate the flow until the loss rises, the rotation drifts off the group, or t =
    ``horizon``.

    ``published_stop`` uses the rule of the published program, which differs from the paper. It
    stops when the loss falls by less than 5e-3 (absolute) between two outputs, and it tests max |I
    − MMᵀ| on the output before the newest one.
    """

    horizon: float = PAPER_HORIZON
    published_stop: bool = False

    def __post_init__(self) -> None:
        """Validate the horizon."""
        require_horizon(self.horizon)

    @property
    def max_steps(self) -> int:
        """One step per output."""
        return math.ceil(self.horizon / INTERVAL - 1e-6)

    def start(self, problem: Problem) -> VodeState:
        """M₀ = I and a fresh integrator."""
        from scipy.integrate import ode

        if not (is_numpy(problem.source) and problem.loss == L1() and problem.weights is None):
            raise LexalignError(
                "The solver 'vode' supports only the loss l1 without weights on the CPU; "
                "otherwise use the solver 'flow'."
            )
        source, target = problem.source.astype(np.float64), problem.target.astype(np.float64)
        eye = np.eye(problem.dimension)

        def descent(_: float, flat: np.ndarray) -> np.ndarray:
            rotation = flat.reshape(eye.shape)
            gradient = source.T @ _smoothed_sign(SMOOTHNESS * (source @ rotation - target))
            turn = rotation.T @ gradient
            projected = 0.5 * rotation @ (turn - turn.T)
            projected += (eye - rotation @ rotation.T) @ gradient
            return np.asarray(-projected.ravel())

        integrator = ode(descent).set_integrator(
            "vode", method="bdf", order=15, rtol=1e-5, atol=1e-7, with_jacobian=False, nsteps=500
        )
        integrator.set_initial_value(eye.ravel(), 0.0)
        loss = float(np.abs(source - target).sum())
        return VodeState(eye, loss, INTERVAL, outputs=0, integrator=integrator)

    def step(self, problem: Problem, state: VodeState) -> VodeState:
        """Integrate to the next output and check it."""
        outputs = state.outputs + 1
        with warnings.catch_warnings():  # the outcome tells a failure
            warnings.filterwarnings("ignore", "vode", UserWarning)
            flat = state.integrator.integrate(outputs * INTERVAL)
        rotation = flat.reshape(state.rotation.shape).copy()
        loss = float(np.abs(problem.source @ rotation - problem.target).sum())
        verdict = self._judge(state, rotation, loss)
        if verdict is not None:
            return VodeState(
                state.rotation, state.loss, INTERVAL, state.outputs, state.integrator, verdict
            )
        return VodeState(rotation, loss, INTERVAL, outputs, state.integrator)

    def stop(self, problem: Problem, state: VodeState) -> Outcome | None:
        """Stop on a bad output, or at the horizon."""
        if state.verdict is not None:
            return state.verdict
        return Outcome.HORIZON if state.outputs >= self.max_steps else None

    def _judge(self, state: VodeState, rotation: np.ndarray, loss: float) -> Outcome | None:
        if not state.integrator.successful():
            return Outcome.INTEGRATOR_FAILED
        if self.published_stop:
            if orthogonality_error(state.rotation.T) > DRIFT_THRESHOLD:
                return Outcome.LEFT_GROUP
            return Outcome.LOSS_ROSE if state.loss - loss < PUBLISHED_SMALLEST_DROP else None
        if orthogonality_error(rotation) > DRIFT_THRESHOLD:
            return Outcome.LEFT_GROUP
        return Outcome.LOSS_ROSE if loss > state.loss else None


def _smoothed_sign(z: np.ndarray) -> np.ndarray:
    """The field tanh(z) + z/cosh²(z) of equation (5), computed only where it differs from the sign
    of z.

    Beyond |z| = 25, the difference is below double precision. With α = 1e8, this holds nearly
    everywhere, so skipping these entries makes the reference several times as fast.
    """
    result = np.asarray(np.sign(z))
    inner = np.flatnonzero(np.abs(z) < SATURATED)
    near = z.ravel()[inner]
    result.ravel()[inner] = np.tanh(near) + near / np.cosh(near) ** 2
    return result
