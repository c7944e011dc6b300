"""The way of a refinement: the rotations between the vectors as they were and as they became.

M(t) goes from the identity at t = 0 to the refinement at t = 1, here measured as a share of the
whole. The vectors on disk are those of one end, so what is kept are the rotations R(t) that lead
from there: a source s on disk lies at s·R(t). An alignment was written before its refinement,
R(t) = M(t); a refinement after it, R(t) = MᵀM(t) with its own M.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lexalign.arrays import to_numpy
from lexalign.atomic import atomic_file
from lexalign.errors import InputError, LexalignError
from lexalign.procrustes import PAPER_HORIZON, Outcome, SolverState, path, solve
from lexalign.procrustes.flow import FlowState
from lexalign.procrustes.orthogonal import polish
from lexalign.refinement import AUTO, Refiner
from lexalign.runs import Run
from lexalign.vectors import Embeddings

STOPS = 21
KINDS = ("none", "ends", "descent", "geodesic")
LARGEST_DETOUR = 0.05
HALF_A_TURN = np.pi - 1e-3


@dataclass(frozen=True)
class RefinementPath:
    """Stops on the way: ``positions`` from 0 on, rising to 1, and the ``rotations`` R there.

    ``rotations`` is (stops, d, d) float32. The ``kind`` says where the stops come from: a
    "descent" was walked by the solver, a "geodesic" is the shortest turn between the two "ends",
    and with "none" there is the start alone.
    """

    kind: str
    positions: tuple[float, ...]
    rotations: np.ndarray

    def __len__(self) -> int:
        return len(self.positions)

    def stop(self, position: float) -> int:
        """The number of the stop that is nearest to a position from 0 to 1."""
        after = bisect_left(self.positions, position)
        near = range(max(0, after - 1), min(after + 1, len(self)))
        return min(near, key=lambda stop: abs(self.positions[stop] - position))

    def save(self, path: Path) -> None:
        """Write the path as one safetensors file."""
        from safetensors.numpy import save

        tensors = {"positions": np.array(self.positions), "rotations": self.rotations}
        with atomic_file(path, overwrite=True) as temporary:
            temporary.write_bytes(save(tensors, {"kind": self.kind}))

    @classmethod
    def load(cls, path: Path) -> RefinementPath:
        """Read what ``save`` wrote."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                kind = (file.metadata() or {})["kind"]
                positions = file.get_tensor("positions").tolist()
                rotations = file.get_tensor("rotations")
            if kind not in KINDS or len(positions) != len(rotations) or not positions:
                raise ValueError("its parts do not fit each other")
        except (SafetensorError, KeyError, OSError, ValueError) as error:
            raise InputError(
                f"this is not the path of a refinement ({error})", path=path, remedy="delete it"
            ) from error
        return cls(kind, tuple(positions), rotations)


def known_path(run: Run, dimension: int) -> RefinementPath:
    """What the files themselves say: both ends of a refinement, the start of an alignment."""
    identity = np.eye(dimension, dtype=np.float32)
    if run.rotation is None:
        return RefinementPath("none", (0.0,), identity[None])
    start = run.rotation.T.astype(np.float32)
    return RefinementPath("ends", (0.0, 1.0), np.stack((start, identity)))


def whole_path(run: Run, source: Embeddings, target: Embeddings) -> RefinementPath:
    """All stops: an alignment is refined as in the paper, a refinement is walked again.

    The latter goes over the pairs in its lexicon. Where that does not lead to its rotation, as
    after several rounds or by other solvers than the descent, the stops lie on the geodesic.
    """
    if run.rotation is None:
        pairs = Refiner(horizon=PAPER_HORIZON).mutual(source.matrix, target.matrix).pairs
        walk, end = _walked(source.matrix[pairs[:, 0]], target.matrix[pairs[:, 1]], Descent())
        return walk.path(end, before=None)
    rotation = run.rotation.astype(np.float64)
    if np.array_equal(rotation, np.eye(len(rotation))):
        return RefinementPath("none", (0.0,), np.eye(len(rotation), dtype=np.float32)[None])
    return (
        _walked_again(run, source, target, rotation)
        or geodesic(rotation)
        or known_path(run, source.dimension)
    )


def _walked_again(
    run: Run, source: Embeddings, target: Embeddings, rotation: np.ndarray
) -> RefinementPath | None:
    """The way to the rotation of this run over its lexicon, if it went one that leads there."""
    descent = _same_descent(run)
    if descent is None:
        return None
    pairs = run.lexicon.indices(source, target).pairs
    if len(pairs) == 0:
        return None
    start = source.matrix[pairs[:, 0]] @ rotation.T.astype(np.float32)
    end = target.matrix[pairs[:, 1]]
    largest = LARGEST_DETOUR * float(np.linalg.norm(rotation - np.eye(len(rotation))))
    if descent.horizon is None:
        stops = path(start, end, loss=descent.loss)
        off = [float(np.linalg.norm(stop.rotation - rotation)) for stop in stops]
        last = int(np.argmin(off))
        if last == 0 or off[last] > largest:
            return None
        rotations = [rotation.T @ stop.rotation for stop in stops[:last]]
        return RefinementPath(
            "descent",
            (*(stop.share / stops[last].share for stop in stops[:last]), 1.0),
            np.stack([*rotations, np.eye(len(rotation))]).astype(np.float32),
        )
    walk, found = _walked(start, end, descent)
    if np.linalg.norm(found - rotation) > largest:
        return None
    return walk.path(rotation, before=rotation)


def geodesic(rotation: np.ndarray) -> RefinementPath | None:
    """The shortest turn to M, seen from its end: Mᵀ exp(t log M); None if there are several.

    M = Z diag(exp(iθ)) Zᴴ, so its powers are Z diag(exp(itθ)) Zᴴ. An angle of half a turn, as in a
    reflection, leaves open which way to go.
    """
    from scipy.linalg import schur

    triangle, basis = schur(rotation.astype(np.float64), output="complex")
    angles = np.angle(np.diag(triangle))
    if np.abs(angles).max() > HALF_A_TURN:
        return None
    positions = np.linspace(0.0, 1.0, STOPS)
    powers = [((basis * np.exp(1j * t * angles)) @ basis.conj().T).real for t in positions]
    powers[-1] = rotation
    rotations = np.stack([rotation.T @ polish(power) for power in powers]).astype(np.float32)
    rotations[-1] = np.eye(len(rotation))
    return RefinementPath("geodesic", tuple(positions.tolist()), rotations)


class Walk:
    """Some points of a descent, however many steps it has; every call is one more state.

    When there are four times as many as stops, every other point is forgotten, and from then on
    only every other state is kept, so that the points stay few and spread over the whole way.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[float, np.ndarray]] = []
        self._last: tuple[float, np.ndarray] | None = None
        self._seen, self._every = 0, 1

    def __call__(self, state: SolverState) -> None:
        """Keep the state if it is its turn; one that was taken back adds nothing."""
        time = state.time if isinstance(state, FlowState) else float(self._seen)
        if self._last is not None and time <= self._last[0]:
            return
        self._last = time, to_numpy(state.rotation).astype(np.float32)
        if self._seen % self._every == 0:
            self._kept.append(self._last)
        self._seen += 1
        if len(self._kept) >= 4 * STOPS:
            self._kept = self._kept[::2]
            self._every *= 2

    @property
    def points(self) -> list[tuple[float, np.ndarray]]:
        """Times and rotations, the first and the last state always among them."""
        missing = self._last is not None and self._last[0] > self._kept[-1][0]
        return [*self._kept, self._last] if missing and self._last else self._kept

    def path(self, end: np.ndarray, before: np.ndarray | None) -> RefinementPath:
        """Stops as evenly spread in time as the points allow, the last one being ``end``.

        ``before`` is the rotation M that the vectors on disk already had, if they had one.
        """
        points = self.points
        whole = points[-1][0]
        if whole == 0.0:
            return RefinementPath("none", (0.0,), np.eye(len(end), dtype=np.float32)[None])
        times = np.array([time for time, _ in points]) / whole
        wanted = np.linspace(0.0, 1.0, STOPS)
        chosen = np.unique(np.abs(times[None, :] - wanted[:, None]).argmin(axis=1))
        rotations = [polish(points[place][1].astype(np.float64)) for place in chosen]
        rotations[-1] = end
        if before is not None:
            rotations = [before.T @ rotation for rotation in rotations]
            rotations[-1] = np.eye(len(end))
        stacked = np.stack(rotations).astype(np.float32)
        return RefinementPath("descent", tuple(times[chosen].tolist()), stacked)


class Descent(NamedTuple):
    """What a way depends on; the paper's, unless told otherwise. Without a horizon, a whole one."""

    loss: str = "l1"
    horizon: float | None = PAPER_HORIZON


def _walked(a: np.ndarray, b: np.ndarray, descent: Descent) -> tuple[Walk, np.ndarray]:
    """The points of the descent from the rows a towards the rows b, and the rotation it finds."""
    walk = Walk()
    assert descent.horizon is not None
    solution = solve(a, b, loss=descent.loss, solver="flow", horizon=descent.horizon, on_state=walk)
    if solution.outcome is Outcome.NOT_FINITE:
        raise LexalignError(solution.message)
    return walk, solution.rotation


def _same_descent(run: Run) -> Descent | None:
    """That of this run, if it went one, with equal weights."""
    given = run.parameters
    if given.get("rounds") != 1 or given.get("weights", "equal") != "equal":
        return None
    try:
        refiner = Refiner(loss=given["loss"], horizon=given["horizon"])
    except (LexalignError, KeyError, TypeError):
        return None
    if given.get("solver") == "path" and refiner.horizon == AUTO:
        return Descent(refiner.loss, None)
    if given.get("solver") not in ("flow", "vode") or isinstance(refiner.horizon, str):
        return None
    return Descent(refiner.loss, refiner.horizon)
