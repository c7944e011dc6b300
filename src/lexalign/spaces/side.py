"""A side of a map: the stages from the original vectors of a language into the shared space."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lexalign.errors import InputError, LexalignError
from lexalign.spaces.normalise import Normalisation, NormalisedSpace
from lexalign.spaces.probes import Probe
from lexalign.vectors.block import first_non_finite_row

UNIT_TO_ROUNDING = 1e-5
"""Maximum distance of a matrix from orthogonal to keep lengths."""


@dataclass(frozen=True)
class Stage:
    """One step into the shared space: x ↦ normalise(x) · matrix (None: the identity)."""

    normalisation: Normalisation = field(default_factory=Normalisation)
    matrix: np.ndarray | None = None

    @property
    def dimensions(self) -> tuple[int | None, int | None]:
        """The dimensions of input and output; None for any."""
        means = [len(mean) for mean in self.normalisation.means]
        if self.matrix is None:
            return (means[0], means[0]) if means else (None, None)
        return self.matrix.shape[0], self.matrix.shape[1]

    def apply(self, matrix: np.ndarray) -> np.ndarray:
        """Map rows (n, d)."""
        rows = self.normalisation.apply(matrix)
        return rows if self.matrix is None else rows @ self.matrix.astype(np.float32)

    @property
    def keeps_unit_length(self) -> bool:
        """Whether the output has unit length, up to rounding."""
        if self.normalisation.steps[-1:] != ("unit",):
            return False
        if self.matrix is None:
            return True
        rows, columns = self.matrix.shape
        gram = self.matrix.astype(np.float64) @ self.matrix.T.astype(np.float64)
        return rows <= columns and bool(np.abs(gram - np.eye(rows)).max() < UNIT_TO_ROUNDING)


@dataclass(frozen=True)
class Side:
    """The stages of a language, from its original vectors into the shared space.

    ``probes`` are words that identify the original vectors (see ``lexalign.spaces.probes``).
    """

    stages: tuple[Stage, ...] = ()
    probes: tuple[Probe, ...] = ()

    @classmethod
    def of(cls, space: NormalisedSpace, matrix: np.ndarray | None = None) -> Side:
        """The normalisation of a space, and then a matrix (None: the identity)."""
        return cls((Stage(space.normalisation, matrix),), space.probes)

    def apply(self, matrix: np.ndarray) -> np.ndarray:
        """Map rows of this language, shape (n, d), into the shared space."""
        wanted = next((stage.dimensions[0] for stage in self.stages if stage.dimensions[0]), None)
        if wanted is not None and wanted != matrix.shape[1]:
            raise InputError(
                f"The map needs vectors of dimension {wanted}. Got {matrix.shape[1]} instead",
                remedy="apply it to the language and the kind of vectors for which it was learned",
            )
        rows = np.asarray(matrix)
        with np.errstate(over="ignore", invalid="ignore"):
            for stage in self.stages:
                rows = stage.apply(rows)
        if first_non_finite_row(rows) is not None:
            raise InputError(
                "The mapped vectors are not finite",
                remedy="check the size of the numbers in the vectors and in the map",
            )
        return rows

    @property
    def steps(self) -> tuple[str, ...]:
        """All normalisation steps, in order."""
        return tuple(step for stage in self.stages for step in stage.normalisation.steps)

    @property
    def matrix(self) -> np.ndarray | None:
        """The only matrix of this side, None for the identity."""
        return self._only("'s matrix").matrix

    @property
    def normalisation(self) -> Normalisation:
        """The normalisation before the only matrix of this side."""
        return self._only("'s normalisation").normalisation

    def followed_by(self, later: Side) -> Side:
        """Append the stages of another side.

        Two stages merge if there is no normalisation between their matrices, or only scaling of
        vectors that already have unit length.
        """
        stages = list(self.stages)
        for stage in later.stages:
            steps = set(stage.normalisation.steps)
            if stages and (not steps or (steps == {"unit"} and stages[-1].keeps_unit_length)):
                merged = matrix_product(stages[-1].matrix, stage.matrix)
                stages[-1] = replace(stages[-1], matrix=merged)
            else:
                stages.append(stage)
        return replace(self, stages=tuple(stages))

    def _only(self, what: str) -> Stage:
        if len(self.stages) > 1:
            raise LexalignError(
                f"A side of {len(self.stages)} stages has no single matrix, so this{what} is not "
                "defined; use its `stages`."
            )
        return self.stages[0] if self.stages else Stage()


def matrix_product(*matrices: np.ndarray | None) -> np.ndarray | None:
    """The product of the matrices that are not the identity, float64; None if all are."""
    product: np.ndarray | None = None
    for matrix in matrices:
        if matrix is not None:
            step = matrix.astype(np.float64)
            product = step if product is None else product @ step
    return product
