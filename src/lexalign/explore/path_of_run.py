"""The path of a run, seen from its vectors on disk, and its file in the cache.

The vectors on disk are those of one end of the path M(t). The explorer keeps the rotations R(t)
that start there: a source vector s on disk is at sR(t). An alignment is written before its
refinement, so R(t) = M(t). A refinement is written after it, so R(t) = MᵀM(t) with its rotation M.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from lexalign.atomic import atomic_file
from lexalign.errors import InputError, LexalignError
from lexalign.procrustes.flow import PAPER_HORIZON
from lexalign.procrustes.path import (
    KINDS,
    RefinementPath,
    geodesic,
    only_start,
    path_of_descent,
    path_to_minimum,
)
from lexalign.refinement import AUTO, Refiner
from lexalign.runs import Run
from lexalign.vectors import Embeddings

LARGEST_DEVIATION = 0.05
"""Maximum distance of a recomputed path from the rotation of the run, relative to ‖M − I‖."""


def known_path(run: Run, dimension: int) -> RefinementPath:
    """Return what the files hold: both ends of a refinement, or the start of an alignment."""
    if run.rotation is None:
        return _from_start(only_start(dimension))
    ends = np.stack((np.eye(dimension), run.rotation))
    return _from_end(RefinementPath("ends", (0.0, 1.0), ends))


def whole_path(run: Run, source: Embeddings, target: Embeddings) -> RefinementPath:
    """Compute all points of the path of a run.

    An alignment gets the path of the paper's refinement. The path of a refinement is computed
    again from the pairs of its lexicon. If that does not lead to its rotation, as after several
    rounds or with other solvers, the points are those of the geodesic.
    """
    if run.rotation is None:
        pairs = Refiner(horizon=PAPER_HORIZON).mutual(source.matrix, target.matrix).pairs
        a, b = source.matrix[pairs[:, 0]], target.matrix[pairs[:, 1]]
        return _from_start(path_of_descent(a, b))
    rotation = run.rotation.astype(np.float64)
    if run.changed_nothing:
        return _from_start(only_start(len(rotation)))
    path = _descent_of(run, source, target, rotation) or geodesic(rotation)
    return known_path(run, source.dimension) if path is None else _from_end(path)


def save_path(path: RefinementPath, file: Path) -> None:
    """Write a path as one safetensors file."""
    from safetensors.numpy import save

    tensors = {"shares": np.array(path.shares), "rotations": path.rotations}
    with atomic_file(file, overwrite=True) as temporary:
        temporary.write_bytes(save(tensors, {"kind": path.kind}))


def load_path(file: Path) -> RefinementPath:
    """Read a file of ``save_path``."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="numpy") as content:
            kind = (content.metadata() or {})["kind"]
            shares = content.get_tensor("shares").tolist()
            rotations = content.get_tensor("rotations")
        fits = rotations.ndim == 3 and rotations.shape[1] == rotations.shape[2] > 0
        if kind not in KINDS or not fits or np.shape(shares) != (len(rotations),) or not shares:
            raise ValueError("its parts do not fit together")
        if rotations.dtype.kind != "f" or not np.isfinite(rotations).all():
            raise ValueError("its rotations are not finite")
        if not all(0 <= share <= 1 for share in shares) or shares != sorted(shares):
            raise ValueError("its shares do not increase from 0 to 1")
    except (SafetensorError, KeyError, OSError, TypeError, ValueError) as error:
        raise InputError(
            f"this is not the path of a refinement ({error})", path=file, remedy="delete it"
        ) from error
    return RefinementPath(kind, tuple(shares), rotations)


def _from_start(path: RefinementPath) -> RefinementPath:
    return replace(path, rotations=path.rotations.astype(np.float32))


def _from_end(path: RefinementPath) -> RefinementPath:
    end = path.rotations[-1]
    rotations = np.stack([end.T @ rotation for rotation in path.rotations]).astype(np.float32)
    rotations[-1] = np.eye(len(end))
    return replace(path, rotations=rotations)


def _descent_of(
    run: Run, source: Embeddings, target: Embeddings, rotation: np.ndarray
) -> RefinementPath | None:
    """Compute the descent to the rotation of a run again; None if it does not lead there."""
    refiner = _refiner_of(run)
    if refiner is None:
        return None
    pairs = run.lexicon.indices(source, target).pairs
    if len(pairs) == 0:
        return None
    a = source.matrix[pairs[:, 0]] @ rotation.T.astype(np.float32)
    b = target.matrix[pairs[:, 1]]
    if isinstance(refiner.horizon, str | None):
        path = path_to_minimum(a, b, loss=refiner.loss)
        last = int(np.linalg.norm(path.rotations - rotation, axis=(1, 2)).argmin())
    else:
        path = path_of_descent(a, b, loss=refiner.loss, horizon=float(refiner.horizon))
        last = len(path) - 1
    deviation = np.linalg.norm(path.rotations[last] - rotation)
    largest = LARGEST_DEVIATION * np.linalg.norm(rotation - np.eye(len(rotation)))
    if last == 0 or deviation > largest:
        return None
    return path.until(last).ending_at(rotation)


def _refiner_of(run: Run) -> Refiner | None:
    """Return the refiner of a run with one descent and equal weights, None for any other run."""
    given = run.parameters
    if given.get("rounds") != 1 or given.get("weights", "equal") != "equal":
        return None
    try:
        refiner = Refiner(loss=given["loss"], horizon=given["horizon"])
    except (LexalignError, KeyError, TypeError):
        return None
    solvers = ("path",) if refiner.horizon == AUTO else ("flow", "vode")
    return refiner if given.get("solver") in solvers else None
