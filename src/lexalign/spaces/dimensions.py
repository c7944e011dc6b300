"""The dimensions of two spaces: equal, or made equal by an explicit choice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lexalign.errors import InputError
from lexalign.vectors import Embeddings, require_embeddings

UNEQUAL = ("refuse", "rectangular", "pca")


@dataclass(frozen=True)
class CommonDimension:
    """Two spaces of equal dimension.

    The maps into it are x ↦ x · entry (None: the identity). ``kept`` is the number of coordinates
    of a mapped source that are kept (None: all).
    """

    source: np.ndarray
    target: np.ndarray
    source_entry: np.ndarray | None = None
    target_entry: np.ndarray | None = None
    kept: int | None = None

    def source_matrix(self, learned: np.ndarray | None) -> np.ndarray | None:
        """The matrix of the raw source, if ``learned`` is the matrix for the common dimension."""
        matrix = _then(self.source_entry, learned)
        return matrix if self.kept is None or matrix is None else matrix[:, : self.kept]

    def target_matrix(self, learned: np.ndarray | None) -> np.ndarray | None:
        """The matrix of the raw target, if ``learned`` is the matrix for the common dimension."""
        return _then(self.target_entry, learned)


def level(source: np.ndarray, target: np.ndarray, unequal: str) -> CommonDimension:
    """Bring (n, p) and (m, q) to one dimension.

    "pca" projects the larger space onto its first principal axes, to the dimension of the smaller.
    "rectangular" embeds the smaller space into the larger as its first coordinates. Of the map
    learned there, only the part (p, q) between the original coordinates is kept. If the map was a
    rotation, this part has orthonormal rows or columns. Equal dimensions do not change.
    """
    p, q = source.shape[1], target.shape[1]
    if p == q:
        return CommonDimension(source, target)
    if unequal == "pca":
        if p > q:
            axes = _principal_axes(source, q)
            return CommonDimension(source @ axes, target, source_entry=axes)
        axes = _principal_axes(target, p)
        return CommonDimension(source, target @ axes, target_entry=axes)
    if p > q:
        return CommonDimension(source, _padded(target, p), kept=q)
    return CommonDimension(_padded(source, q), target, source_entry=np.eye(p, q), kept=q)


def _principal_axes(matrix: np.ndarray, count: int) -> np.ndarray:
    """The ``count`` directions of largest second moment, float32 columns."""
    _, axes = np.linalg.eigh((matrix.T @ matrix).astype(np.float64))
    return np.ascontiguousarray(axes[:, ::-1][:, :count].astype(np.float32))


def _padded(matrix: np.ndarray, width: int) -> np.ndarray:
    return np.pad(matrix, ((0, 0), (0, width - matrix.shape[1])))


def _then(entry: np.ndarray | None, learned: np.ndarray | None) -> np.ndarray | None:
    if entry is None or learned is None:
        return entry if learned is None else learned
    return np.asarray(entry.astype(np.float64) @ learned)


def require_one_space(
    source: Embeddings,
    target: Embeddings,
    files: tuple[Path, Path] | None = None,
    remedy: str = "use two embeddings of equal dimension",
) -> None:
    """Raise unless both are Embeddings of one dimension; ``files`` are named in the error."""
    require_embeddings(source, target)
    if source.dimension != target.dimension:
        one, other = ("The source", "the target vectors")
        if files is not None:
            one, other = ("its", f"those of {files[1]}")
        raise InputError(
            f"{one} vectors have {source.dimension} dimensions and {other} {target.dimension}",
            path=files[0] if files else None,
            remedy=remedy,
        )
