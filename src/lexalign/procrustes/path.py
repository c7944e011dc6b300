"""The whole way from the identity to the minimum of a loss, at a few points.

How far the flow has come at a time t depends on the length of the vectors and on the number of
pairs: at the published horizon it has gone a quarter of the way for one pair of languages and six
tenths for another. So a point M is told by its share of the decrease that can be reached,

    s(M) = (L(I) − L(M)) / (L(I) − L(M*)),

0 at the identity and 1 at the minimum M*, which means the same for unit vectors and raw ones, a
thousand pairs and ten thousand, and for every loss.

The flow becomes ever slower. It is followed for the first half; from there on the points are the
rotations nearest to the chord (1 − u)M + uM*.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexalign.arrays import Array, like, to_numpy
from lexalign.errors import LexalignError
from lexalign.procrustes.flow import Flow
from lexalign.procrustes.loop import Outcome, SolverState, minimise
from lexalign.procrustes.losses import L1, PairLoss
from lexalign.procrustes.orthogonal import identity, polar, polish
from lexalign.procrustes.problem import Problem
from lexalign.procrustes.solvers import problem_of, solve

FLOWN = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Shares at which the flow is looked at."""

CHORD = (0.25, 0.5, 0.75, 1.0)
"""Places u on the chord from the last of these to the minimum."""

MOST_STEPS = 2_000


class PathPoint(NamedTuple):
    """A point of the way: its share, and the rotation M, float64."""

    share: float
    rotation: np.ndarray


def path(
    source: Array,
    target: Array,
    *,
    loss: str | L1 | PairLoss = "l1",
    weights: Array | None = None,
) -> tuple[PathPoint, ...]:
    """Some points of the whole way from the identity to the minimum, each with its share of it.

    The parameters are those of ``solve``; see ``lexalign.procrustes.path`` for the shares.
    """
    minimum = solve(source, target, loss=loss, solver="minimum", weights=weights)
    if minimum.outcome is Outcome.NOT_FINITE:
        raise LexalignError(minimum.message)
    return stops_on_the_way(problem_of(source, target, loss, weights), minimum.rotation)


def stops_on_the_way(problem: Problem, minimum: np.ndarray) -> tuple[PathPoint, ...]:
    """Points of the way to the ``minimum``, rising from the identity, which is the first.

    There is no other if the loss is as low at the identity.
    """
    start = identity(problem.source, problem.dimension)
    end = like(minimum.astype(np.float32), problem.source)
    highest, lowest = (problem.evaluate(point)[0] for point in (start, end))
    found = [PathPoint(0.0, np.eye(problem.dimension))]
    if not lowest < highest:
        return tuple(found)

    def share(loss: float) -> float:
        return (highest - loss) / (highest - lowest)

    wanted = list(FLOWN)

    def visit(state: SolverState) -> None:
        if wanted and share(state.loss) >= wanted[0]:
            found.append(PathPoint(share(state.loss), _rotation(state.rotation)))
            wanted[:] = [later for later in wanted if later > found[-1].share]

    enough = highest - FLOWN[-1] * (highest - lowest)
    flow = Flow(horizon=np.inf, max_steps=MOST_STEPS, enough=enough)
    minimise(problem, flow, on_state=visit)
    last = like(found[-1].rotation.astype(np.float32), problem.source)
    for u in CHORD:
        point = end if u == 1.0 else polar((1 - u) * last + u * end)
        found.append(PathPoint(share(problem.evaluate(point)[0]), _rotation(point)))
    found[-1] = PathPoint(1.0, minimum)
    return tuple(found)


def _rotation(point: Array) -> np.ndarray:
    return polish(to_numpy(point).astype(np.float64))
