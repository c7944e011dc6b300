"""Solve the robust orthogonal Procrustes problem: one function, several solvers."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from lexalign.arrays import Array, namespace, to_numpy
from lexalign.errors import LexalignError
from lexalign.procrustes.flow import PAPER_HORIZON, Flow
from lexalign.procrustes.loop import Outcome, Record, Solution, SolverState, minimise
from lexalign.procrustes.losses import L1, L2, PairLoss, named_loss
from lexalign.procrustes.orthogonal import identity, orthogonality_error, procrustes
from lexalign.procrustes.problem import Problem
from lexalign.procrustes.quasi_newton import QuasiNewton
from lexalign.procrustes.reweighted import ReweightedLeastSquares
from lexalign.procrustes.vode import Vode

SOLVERS = ("flow", "minimum", "vode")


def solve(
    source: Array,
    target: Array,
    *,
    loss: str | L1 | PairLoss = "l1",
    solver: str | None = None,
    horizon: float = PAPER_HORIZON,
    weights: Array | None = None,
    published_stop: bool = False,
    on_step: Callable[[Record], None] | None = None,
    on_state: Callable[[SolverState], None] | None = None,
) -> Solution:
    """Find the orthogonal M that minimises Σᵢ wᵢ loss(aᵢM − bᵢ), starting from the identity.

    Parameters
    ----------
    source, target : array, shape (n, d)
        A and B, row i for word pair i; NumPy arrays or torch tensors.
    loss : str or loss object
        A name of ``LOSSES`` or a loss object; see ``lexalign.procrustes.losses``.
    solver : {"flow", "minimum", "vode"}, optional
        "flow" follows the descent and stops early at ``horizon``, as in the paper. "minimum"
        continues to the minimum. "vode" is the slow integrator of the paper. By default, l2 uses
        its closed form, and every other loss "flow".
    horizon : float
        The stopping time of "flow" and "vode", in the paper's units.
    weights : array, shape (n,), optional
        The weight of each pair, not negative.
    published_stop : bool
        Whether "vode" uses the stopping rule of the published program instead of the paper.
    on_step : callable, optional
        Called with every ``Record`` of the history.
    on_state : callable, optional
        Called with every state from the first to the last. A state has the ``rotation`` and the
        ``loss``; with "flow", it also has the ``time``. An undone step repeats the previous state.
        The closed form has no states.

    Returns
    -------
    Solution
        The rotation, why the solver stopped, and the history.

    Raises
    ------
    LexalignError
        If the solver or loss is unknown, or the matrices or weights are not valid.

    References
    ----------
    Peng, Lin & Stevenson 2021, equations (3) to (9).

    Examples
    --------
    >>> import numpy as np
    >>> a = np.random.default_rng(0).standard_normal((50, 2))
    >>> turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    >>> solution = solve(a, a @ turn, solver="minimum")
    >>> np.allclose(solution.rotation, turn, atol=1e-2)
    True
    >>> solution.message
    'The loss has converged.'
    """
    if solver is not None and solver not in SOLVERS:
        raise LexalignError(f"The `solver` must be one of {SOLVERS}. Got {solver!r} instead.")
    problem = problem_of(source, target, loss, weights)
    chosen = problem.loss
    if isinstance(chosen, L2) and solver in (None, "minimum"):
        return _closed_form(problem, on_step)
    if solver in (None, "flow"):
        return minimise(problem, Flow(horizon), on_step, on_state).polished()
    if solver == "vode":
        return minimise(problem, Vode(horizon, published_stop), on_step, on_state)
    if isinstance(chosen, L1):
        return minimise(problem, QuasiNewton(), on_step, on_state).polished()
    return minimise(problem, ReweightedLeastSquares(), on_step, on_state).polished()


def problem_of(
    source: Array, target: Array, loss: str | L1 | PairLoss, weights: Array | None
) -> Problem:
    """The problem of the weighted pairs; its loss is scaled by distances at the identity."""
    chosen = named_loss(loss) if isinstance(loss, str) else loss
    problem = Problem(source, target, chosen, weights)
    if problem.weights is not None:
        counted = problem.weights > 0
        source, target, weights = source[counted], target[counted], problem.weights[counted]
        problem = Problem(source, target, chosen, weights)
    start = identity(source, problem.dimension)
    return Problem(source, target, chosen.fitted(problem.residual(start)), weights)


def _closed_form(problem: Problem, on_step: Callable[[Record], None] | None) -> Solution:
    """ℓ2 as a solution: before and after."""
    began = time.perf_counter()
    start = identity(problem.source, problem.dimension)
    rotation = procrustes(problem.source, problem.target, problem.weights)
    history = tuple(
        Record(step, problem.evaluate(point)[0], orthogonality_error(point), 1.0, seconds)
        for step, (point, seconds) in enumerate(
            ((start, 0.0), (rotation, time.perf_counter() - began))
        )
    )
    if on_step is not None:
        for record in history:
            on_step(record)
    return Solution(to_numpy(rotation).astype(np.float64), Outcome.CLOSED_FORM, history).polished()


def fitted_rotation(a: Array, b: Array, loss: str, weights: Array | None = None) -> Array:
    """The orthogonal M with aM ≈ b for rows (n, d), of the type and on the device of ``a``.

    Least squares has a closed form. The descent of a robust loss starts from that rotation, so that
    it starts close to its end.
    """
    start = procrustes(a, b, weights)
    if loss == "l2":
        return start
    xp = namespace(a)
    moved, wanted = (xp.astype(rows, xp.float32) for rows in (a @ start, b))
    correction = solve(moved, wanted, loss=loss, solver="minimum", weights=weights).rotation
    return start @ xp.asarray(correction, dtype=a.dtype, device=start.device)
