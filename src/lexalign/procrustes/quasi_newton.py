"""ℓ1 orthogonal Procrustes to convergence: smoothing, continuation, preconditioned L-BFGS.

√(r² + ε²) replaces |r|, and ε falls in stages from a quarter of the mean residual to a
two-hundredth. Each stage takes the residual at its beginning, so that a far start does not leave a
large ε. Within a stage, L-BFGS works in the Lie algebra so(d) of the group. Around every M, the
points are exp(−W)M with W skew-symmetric. So gradients Γ = ½(∇Mᵀ − M∇ᵀ) and steps are plain
matrices, and the quasi-Newton pairs need no transport.

The initial Hessian makes it fast. To second order, the smoothed loss is κ/2·‖A(I − W)M − B‖² with κ
the mean curvature of |r|. For every M, its Hessian maps W to κ/2·(SW + WS) with S = AᵀA. In the
eigenbasis of S, its inverse is a division by κ/2·(sᵢ + sⱼ). A multiple of the identity as initial
Hessian needs several times as many gradients.

Sources: Nocedal & Wright 2006, algorithm 7.4, for the two-loop recursion; Absil, Mahony &
Sepulchre 2008 for the setting. The preconditioner is ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from lexalign.arrays import Array, namespace
from lexalign.procrustes.loop import Outcome
from lexalign.procrustes.losses import L1
from lexalign.procrustes.orthogonal import identity, onto_group, skew
from lexalign.procrustes.problem import Problem
from lexalign.threads import product

SMOOTHING = (0.25, 0.05, 0.015, 0.005)
STAGE_TOLERANCE = (1e-4, 1e-5, 1e-5, 1e-6)
MEMORY = 10
SUFFICIENT_DECREASE = 1e-4
LONGEST_STEP = 1.0


@dataclass(frozen=True)
class Preconditioner:
    """The inverse of W ↦ ½(SW + WS), from the eigenvectors of S and sums of its eigenvalues."""

    axes: Array
    sums: Array

    @classmethod
    def of(cls, problem: Problem) -> Preconditioner:
        """Factorise S = AᵀWA, which must be finite."""
        values, axes = namespace(problem.source).linalg.eigh(problem.gram)
        sums = 0.5 * (values[:, None] + values[None, :])
        floor = 1e-3 * float(namespace(sums).max(sums))
        return cls(axes, namespace(sums).clip(sums, min=floor))

    def solve(self, ascent: Array) -> Array:
        """The W with ½(SW + WS) = ascent."""
        inner = product(product(self.axes.T, ascent), self.axes) / self.sums
        return product(product(self.axes, inner), self.axes.T)


@dataclass(frozen=True)
class QuasiNewtonState:
    """A point, its smoothed loss and ascent direction, and the recent curvature pairs."""

    rotation: Array
    loss: float
    step_length: float
    smoothed: float
    ascent: Array
    preconditioner: Preconditioner
    curvature: float
    smooth: L1
    stage: int = 0
    pairs: tuple[tuple[Array, Array], ...] = ()
    converged: bool = False


@dataclass(frozen=True)
class QuasiNewton:
    """Minimise the ℓ1 loss; each stage ends when a step no longer lowers its smoothed loss."""

    max_steps: int = 2_000

    def start(self, problem: Problem) -> QuasiNewtonState:
        """The identity, in the stage with the largest smoothing."""
        rotation = identity(problem.source, problem.dimension)
        residual = problem.residual(rotation)
        loss = problem.total(residual)[0]
        smooth = _smooth(residual, 0)
        smoothed, influence = problem.total(residual, smooth)
        xp, precondition = namespace(rotation), Preconditioner(rotation, abs(rotation) + 1.0)
        if bool(xp.all(xp.isfinite(problem.gram))):
            precondition = Preconditioner.of(problem)
        else:
            loss = math.inf  # squares overflow before the loss does; the loop reports it
        return QuasiNewtonState(
            rotation=rotation,
            loss=loss,
            step_length=0.0,
            smoothed=smoothed,
            ascent=_ascent(problem, rotation, influence),
            preconditioner=precondition,
            curvature=smooth.curvature(residual),
            smooth=smooth,
            converged=loss == 0.0,
        )

    def step(self, problem: Problem, state: QuasiNewtonState) -> QuasiNewtonState:
        """One quasi-Newton step with backtracking, or the move to the next stage."""
        direction = _quasi_newton(state)
        slope = _inner(state.ascent, direction)
        length = min(1.0, LONGEST_STEP / max(_inner(direction, direction) ** 0.5, 1e-30))
        for _ in range(20):
            rotation = _rotate_left(state.rotation, length * direction)
            residual = problem.residual(rotation)
            smoothed, influence = problem.total(residual, state.smooth)
            if smoothed < state.smoothed - SUFFICIENT_DECREASE * length * slope:
                break
            length /= 2
        else:
            return _next_stage(problem, state)
        ascent = _ascent(problem, rotation, influence)
        move, change = -length * direction, ascent - state.ascent
        pairs = state.pairs
        if _inner(move, change) > 1e-10 * _inner(change, change):
            pairs = (*pairs, (move, change))[-MEMORY:]
        moved = replace(
            state,
            rotation=rotation,
            loss=problem.total(residual)[0],
            step_length=length,
            smoothed=smoothed,
            ascent=ascent,
            pairs=pairs,
        )
        if state.smoothed - smoothed <= STAGE_TOLERANCE[state.stage] * smoothed:
            return _next_stage(problem, moved)
        return moved

    def stop(self, problem: Problem, state: QuasiNewtonState) -> Outcome | None:
        """Stop when the last stage has converged."""
        return Outcome.CONVERGED if state.converged else None


def _smooth(residual: Array, stage: int) -> L1:
    return L1(smoothing=SMOOTHING[stage] * float(namespace(residual).mean(abs(residual))))


def _next_stage(problem: Problem, state: QuasiNewtonState) -> QuasiNewtonState:
    if state.stage + 1 == len(SMOOTHING) or state.loss == 0.0:
        return replace(state, converged=True)
    residual = problem.residual(state.rotation)
    smooth = _smooth(residual, state.stage + 1)
    smoothed, influence = problem.total(residual, smooth)
    return replace(
        state,
        smoothed=smoothed,
        ascent=_ascent(problem, state.rotation, influence),
        curvature=smooth.curvature(residual),
        smooth=smooth,
        stage=state.stage + 1,
        pairs=(),
    )


def _ascent(problem: Problem, rotation: Array, influence: Array) -> Array:
    """Γ = ½(∇Mᵀ − M∇ᵀ) with ∇ = Aᵀ·influence."""
    return skew(product(problem.gradient(influence), rotation.T))


def _rotate_left(rotation: Array, direction: Array) -> Array:
    """exp(−W)M to second order; ‖W‖ ≤ 1 keeps the Newton–Schulz step convergent."""
    return onto_group(rotation - product(direction, rotation))


def _inner(left: Array, right: Array) -> float:
    return float(namespace(left).sum(left * right))


def _quasi_newton(state: QuasiNewtonState) -> Array:
    """The L-BFGS product H·ascent by the two-loop recursion with the preconditioner."""
    direction, factors = state.ascent, list[float]()
    for move, change in reversed(state.pairs):
        factor = _inner(move, direction) / _inner(move, change)
        direction = direction - factor * change
        factors.append(factor)
    scale = 1.0 / state.curvature
    if state.pairs:
        move, change = state.pairs[-1]
        scale = _inner(move, change) / _inner(change, state.preconditioner.solve(change))
    direction = scale * state.preconditioner.solve(direction)
    for (move, change), factor in zip(state.pairs, reversed(factors), strict=True):
        correction = factor - _inner(change, direction) / _inner(move, change)
        direction = direction + correction * move
    return direction
