"""The path of a refinement: rotations M(t) from the input, M(0) = I, to the refinement, M(1).

Three functions compute a path:

    path_to_minimum    the descent to the minimum M* of the loss
    path_of_descent    the descent up to a horizon, as in the paper
    geodesic           the shortest path to a given rotation, M(t) = exp(t log M)

Each point has a share t of the path. On the path to the minimum, it is the share of the possible
decrease,

    s(M) = (L(I) − L(M)) / (L(I) − L(M*)).

This share has the same meaning for any length of vectors, number of pairs and loss. The time of the
flow does not: at the published horizon, the flow covers 25 % of the decrease for one language pair
and 60 % for another. On a descent up to a horizon, t is the share of the time. On a geodesic, it is
the share of the angle.

The flow slows down near the minimum. ``path_to_minimum`` follows it for the first half of the
decrease. The later points are the rotations nearest to the chord from there to the minimum, (1 −
u)M + uM*.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from lexalign.arrays import Array, like, to_numpy
from lexalign.errors import LexalignError
from lexalign.procrustes.flow import PAPER_HORIZON, Flow, FlowState
from lexalign.procrustes.loop import Outcome, Record, SolverState, minimise
from lexalign.procrustes.losses import L1, PairLoss
from lexalign.procrustes.orthogonal import identity, polar, polish
from lexalign.procrustes.solvers import problem_of, solve

KINDS = ("none", "ends", "descent", "geodesic")
POINTS = 21
"""Maximum number of points of a geodesic and of a descent up to a horizon."""

FLOW_SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Shares at which ``path_to_minimum`` records the flow."""

CHORD = (0.25, 0.5, 0.75, 1.0)
"""Positions u on the chord from the last of these points to the minimum."""

MAX_FLOW_STEPS = 2_000
HALF_A_TURN = np.pi - 1e-3


@dataclass(frozen=True, eq=False)
class RefinementPath:
    """Points of a path, each a share of the path and a rotation.

    Parameters
    ----------
    kind : {"none", "ends", "descent", "geodesic"}
        "none" has only the start, and "ends" only both ends. The points of a "descent" are states
        of a solver. The points of a "geodesic" lie on the shortest path between the ends.
    shares : tuple of float, length n
        Rising from 0 at the start to 1 at the end.
    rotations : ndarray, shape (n, d, d)
        The rotation M at each share.

    Examples
    --------
    >>> import numpy as np
    >>> path = RefinementPath("ends", (0.0, 1.0), np.stack((np.eye(2), -np.eye(2))))
    >>> len(path), path.nearest(0.7)
    (2, 1)
    """

    kind: str
    shares: tuple[float, ...]
    rotations: np.ndarray

    def __len__(self) -> int:
        return len(self.shares)

    def __iter__(self) -> Iterator[tuple[float, np.ndarray]]:
        """Iterate over the points: share and rotation, shape (d, d)."""
        return zip(self.shares, self.rotations, strict=True)

    def nearest(self, share: float) -> int:
        """Return the number of the point nearest to a share."""
        after = bisect_left(self.shares, share)
        near = range(max(0, after - 1), min(after + 1, len(self)))
        return min(near, key=lambda point: abs(self.shares[point] - share))

    def until(self, point: int) -> RefinementPath:
        """Return the path up to a point, which gets the share 1."""
        shares = tuple(share / self.shares[point] for share in self.shares[:point])
        return replace(self, shares=(*shares, 1.0), rotations=self.rotations[: point + 1])

    def ending_at(self, rotation: np.ndarray) -> RefinementPath:
        """Return the path with its last point replaced by ``rotation``, shape (d, d)."""
        return replace(self, rotations=np.concatenate((self.rotations[:-1], rotation[None])))


def only_start(dimension: int) -> RefinementPath:
    """Return the path with only its first point, the identity."""
    return RefinementPath("none", (0.0,), np.eye(dimension)[None])


def path_to_minimum(
    source: Array,
    target: Array,
    *,
    loss: str | L1 | PairLoss = "l1",
    weights: Array | None = None,
    on_step: Callable[[Record], None] | None = None,
) -> RefinementPath:
    """Compute points of the path from the identity to the minimum of a loss.

    Parameters
    ----------
    source, target : array, shape (n, d)
        A and B, row i for word pair i.
    loss : str or loss object
        A name of ``LOSSES`` or a loss object.
    weights : array, shape (n,), optional
        The weight of each pair, not negative.
    on_step : callable, optional
        Receives the record of every step of the solvers.

    Returns
    -------
    RefinementPath
        At most 11 points; one if the loss is already minimal.

    Raises
    ------
    LexalignError
        If the loss stops being finite.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.random.default_rng(0).standard_normal((50, 2))
    >>> turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    >>> path = path_to_minimum(a, a @ turn, loss="l2")
    >>> path.kind, path.shares[0], path.shares[-1]
    ('descent', 0.0, 1.0)
    >>> np.allclose(path.rotations[-1], turn)
    True
    """
    solution = solve(source, target, loss=loss, solver="minimum", weights=weights, on_step=on_step)
    if solution.outcome is Outcome.NOT_FINITE:
        raise LexalignError(solution.message)
    problem, minimum = problem_of(source, target, loss, weights), solution.rotation
    start = identity(problem.source, problem.dimension)
    end = like(minimum.astype(np.float32), problem.source)
    highest, lowest = (problem.evaluate(point)[0] for point in (start, end))
    if not lowest < highest:
        return only_start(problem.dimension)
    shares, rotations = [0.0], [np.eye(problem.dimension)]
    wanted = list(FLOW_SHARES)

    def add(loss: float, rotation: Array) -> None:
        shares.append((highest - loss) / (highest - lowest))
        rotations.append(polish(to_numpy(rotation).astype(np.float64)))

    def visit(state: SolverState) -> None:
        if wanted and (highest - state.loss) / (highest - lowest) >= wanted[0]:
            add(state.loss, state.rotation)
            wanted[:] = [later for later in wanted if later > shares[-1]]

    enough = highest - FLOW_SHARES[-1] * (highest - lowest)
    flow = Flow(horizon=np.inf, max_steps=MAX_FLOW_STEPS, enough=enough)
    minimise(problem, flow, on_step, on_state=visit)
    last = like(rotations[-1].astype(np.float32), problem.source)
    for u in CHORD[:-1]:
        point = polar((1 - u) * last + u * end)
        add(problem.evaluate(point)[0], point)
    return RefinementPath("descent", (*shares, 1.0), np.stack((*rotations, minimum)))


def path_of_descent(
    source: Array,
    target: Array,
    *,
    loss: str | L1 | PairLoss = "l1",
    horizon: float = PAPER_HORIZON,
) -> RefinementPath:
    """Compute points of the descent from the identity to a horizon, evenly spaced in time.

    Parameters
    ----------
    source, target : array, shape (n, d)
        A and B, row i for word pair i.
    loss : str or loss object
        A name of ``LOSSES`` or a loss object.
    horizon : float
        The stopping time, in the paper's units.

    Returns
    -------
    RefinementPath
        At most 21 points. The last is the rotation that ``solve`` returns for the solver "flow".

    Raises
    ------
    LexalignError
        If the loss stops being finite.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.random.default_rng(0).standard_normal((50, 2))
    >>> turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    >>> path = path_of_descent(a, a @ turn, horizon=1e-3)
    >>> len(path), path.shares[0], path.shares[-1]
    (21, 0.0, 1.0)
    """
    descent = DescentPoints()

    def visit(state: SolverState) -> None:
        assert isinstance(state, FlowState)
        descent.add(state.time, to_numpy(state.rotation))

    solution = solve(source, target, loss=loss, solver="flow", horizon=horizon, on_state=visit)
    if solution.outcome is Outcome.NOT_FINITE:
        raise LexalignError(solution.message)
    return descent.path(solution.rotation)


def geodesic(rotation: np.ndarray) -> RefinementPath | None:
    """Compute points of the shortest path to a rotation, M(t) = exp(t log M).

    With M = Z diag(exp(iθ)) Zᴴ these are Z diag(exp(itθ)) Zᴴ.

    Parameters
    ----------
    rotation : ndarray, shape (d, d)
        The orthogonal matrix M.

    Returns
    -------
    RefinementPath or None
        21 points. None if M has an angle of half a turn, as a reflection has, because the shortest
        path is then not unique.

    Examples
    --------
    >>> import numpy as np
    >>> turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    >>> half = geodesic(turn).rotations[10]
    >>> np.allclose(half @ half, turn)
    True
    >>> geodesic(np.diag([1.0, -1.0])) is None
    True
    """
    from scipy.linalg import schur

    triangle, basis = schur(rotation.astype(np.float64), output="complex")
    angles = np.angle(np.diag(triangle))
    if np.abs(angles).max() > HALF_A_TURN:
        return None
    shares = np.linspace(0.0, 1.0, POINTS)
    powers = [((basis * np.exp(1j * t * angles)) @ basis.conj().T).real for t in shares]
    rotations = np.stack([polish(power) for power in powers])
    return RefinementPath("geodesic", tuple(shares.tolist()), rotations).ending_at(rotation)


class DescentPoints:
    """A sample of the points of a descent, which may have any number of steps.

    When the sample has 4 × ``POINTS`` points, every other point is dropped. From then on only
    every other step is recorded. The sample stays small and spread over the whole descent.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[float, np.ndarray]] = []
        self._last: tuple[float, np.ndarray] | None = None
        self._seen, self._every = 0, 1

    def add(self, time: float, rotation: np.ndarray) -> None:
        """Add a point; ignore an undone step, which repeats the last time."""
        if self._last is not None and time <= self._last[0]:
            return
        self._last = time, rotation.astype(np.float32)
        if self._seen % self._every == 0:
            self._kept.append(self._last)
        self._seen += 1
        if len(self._kept) >= 4 * POINTS:
            self._kept = self._kept[::2]
            self._every *= 2

    @property
    def points(self) -> list[tuple[float, np.ndarray]]:
        """Times and rotations, always including the first and the last point."""
        missing = self._last is not None and self._last[0] > self._kept[-1][0]
        return [*self._kept, self._last] if missing and self._last else self._kept

    def path(self, end: np.ndarray) -> RefinementPath:
        """Return at most ``POINTS`` points, evenly spaced in time; ``end`` is the last one."""
        points = self.points
        whole = points[-1][0]
        if whole == 0.0:
            return only_start(len(end))
        times = np.array([time for time, _ in points]) / whole
        wanted = np.linspace(0.0, 1.0, POINTS)
        chosen = np.unique(np.abs(times[None, :] - wanted[:, None]).argmin(axis=1))
        rotations = np.stack([polish(points[place][1].astype(np.float64)) for place in chosen])
        return RefinementPath("descent", tuple(times[chosen].tolist()), rotations).ending_at(end)
