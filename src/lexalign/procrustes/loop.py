"""The loop that drives every solver, and its result.

A solver contains only its mathematics (``start``, ``step``, ``stop``). The loop keeps the history,
limits the number of steps, and checks that all numbers are finite.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol, TypeVar

import numpy as np

from lexalign.arrays import Array, to_numpy
from lexalign.procrustes.orthogonal import orthogonality_error, polish
from lexalign.procrustes.problem import Problem
from lexalign.threads import single_threaded_products


class Outcome(Enum):
    """Why a solver stopped, as a sentence with advice."""

    CLOSED_FORM = "The closed form was evaluated."
    CONVERGED = "The loss has converged."
    HORIZON = "The descent stopped at the horizon, before the minimum."
    LOSS_ROSE = "The loss stopped falling: the last rotation before it rose is returned."
    LEFT_GROUP = "The rotation is no longer orthogonal within the tolerance."
    INTEGRATOR_FAILED = "The integrator failed; try the solver 'flow', which takes safe steps."
    STEP_LIMIT = "The loss did not converge within the step limit; it may be above the minimum."
    NOT_FINITE = "The loss is no longer finite; normalise the vectors to unit length."


@dataclass(frozen=True)
class Record:
    """One entry of a solver's history."""

    step: int
    loss: float
    orthogonality_error: float
    step_length: float
    seconds: float


@dataclass(frozen=True)
class Solution:
    """The rotation of a solver, with its history.

    ``rotation`` M is a float64 NumPy matrix.
    """

    rotation: np.ndarray
    outcome: Outcome
    history: tuple[Record, ...]

    @property
    def loss(self) -> float:
        """The loss at the returned rotation, in the arithmetic of the solver."""
        return self.history[-1].loss

    @property
    def message(self) -> str:
        """A sentence saying why the solver stopped."""
        return self.outcome.value

    def polished(self) -> Solution:
        """The solution with its rotation orthogonal to double precision."""
        return replace(self, rotation=polish(self.rotation))


class SolverState(Protocol):
    """The state of a solver."""

    @property
    def rotation(self) -> Array:
        """M, shape (d, d)."""
        ...

    @property
    def loss(self) -> float:
        """The loss at M."""
        ...

    @property
    def step_length(self) -> float:
        """The length of the last step, in the solver's own units."""
        ...


SomeState = TypeVar("SomeState", bound=SolverState)


class Solver(Protocol[SomeState]):
    """The mathematics of one method."""

    @property
    def max_steps(self) -> int:
        """The maximum number of steps."""
        ...

    def start(self, problem: Problem) -> SomeState:
        """The state before the first step."""
        ...

    def step(self, problem: Problem, state: SomeState) -> SomeState:
        """One step, accepted or not."""
        ...

    def stop(self, problem: Problem, state: SomeState) -> Outcome | None:
        """The reason to stop here, or None."""
        ...


@single_threaded_products()
def minimise(
    problem: Problem,
    solver: Solver[SomeState],
    on_step: Callable[[Record], None] | None = None,
    on_state: Callable[[SolverState], None] | None = None,
) -> Solution:
    """Drive ``solver`` on ``problem`` until it stops.

    ``on_step`` receives the record of every step, and ``on_state`` the state after it.
    """
    began = time.perf_counter()
    state, history, outcome = solver.start(problem), list[Record](), None
    while outcome is None:
        record = Record(
            step=len(history),
            loss=state.loss,
            orthogonality_error=orthogonality_error(state.rotation),
            step_length=state.step_length,
            seconds=time.perf_counter() - began,
        )
        history.append(record)
        if on_step is not None:
            on_step(record)
        if on_state is not None:
            on_state(state)
        outcome = solver.stop(problem, state) if math.isfinite(state.loss) else Outcome.NOT_FINITE
        if outcome is None and len(history) > solver.max_steps:
            outcome = Outcome.STEP_LIMIT
        if outcome is None:
            moved = solver.step(problem, state)
            state, outcome = (
                (moved, None) if math.isfinite(moved.loss) else (state, Outcome.NOT_FINITE)
            )
    return Solution(to_numpy(state.rotation).astype(np.float64), outcome, tuple(history))
