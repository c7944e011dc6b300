"""Iteratively reweighted least squares: losses of the pair distance, to convergence.

A weighted square with weights w = ρ'(δ)/δ majorises each loss ρ(δ). Weighted orthogonal Procrustes
has a closed form, so each step is one SVD and never raises the loss.

Source: Verboon & Heiser 1992 for Procrustes; Lange, Hunter & Yang 2000 for the principle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lexalign.arrays import Array
from lexalign.procrustes.loop import Outcome
from lexalign.procrustes.losses import PairLoss, distances
from lexalign.procrustes.orthogonal import identity, procrustes
from lexalign.procrustes.problem import Problem


@dataclass(frozen=True)
class ReweightedState:
    """A rotation, its loss, and whether the last step lowered it."""

    rotation: Array
    loss: float
    step_length: float
    settled: bool


@dataclass(frozen=True)
class ReweightedLeastSquares:
    """Repeat weighted Procrustes until the loss changes by less than ``tolerance`` (relative)."""

    tolerance: float = 1e-7
    max_steps: int = 500

    def start(self, problem: Problem) -> ReweightedState:
        """The identity."""
        rotation = identity(problem.source, problem.dimension)
        loss = problem.evaluate(rotation)[0]
        return ReweightedState(rotation, loss, 0.0, settled=loss == 0.0)

    def step(self, problem: Problem, state: ReweightedState) -> ReweightedState:
        """Weight the pairs by their distances and solve the weighted problem."""
        assert isinstance(problem.loss, PairLoss)
        weights = problem.loss.weights(distances(problem.residual(state.rotation)))
        if problem.weights is not None:
            weights = weights * problem.weights
        rotation = procrustes(problem.source, problem.target, weights)
        loss = problem.evaluate(rotation)[0]
        settled = state.loss - loss <= self.tolerance * abs(loss)
        if loss > state.loss:
            return replace(state, settled=True)
        return ReweightedState(rotation, loss, 1.0, settled)

    def stop(self, problem: Problem, state: ReweightedState) -> Outcome | None:
        """Stop when the loss has converged."""
        return Outcome.CONVERGED if state.settled else None
