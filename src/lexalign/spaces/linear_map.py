"""What an aligner learned, as one small file: normalisation and one matrix a side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.atomic import atomic_file
from lexalign.errors import InputError, LexalignError
from lexalign.spaces.normalise import STEPS, Normalisation
from lexalign.vectors import Embeddings

FORMAT = "lexalign-map-1"
SIDES = ("source", "target")
LARGEST_CONDITION = 1e6


@dataclass(frozen=True)
class Side:
    """How a language enters the shared space: x ↦ normalise(x) · matrix (None: the identity)."""

    normalisation: Normalisation = field(default_factory=Normalisation)
    matrix: np.ndarray | None = None

    def apply(self, matrix: np.ndarray) -> np.ndarray:
        """Map rows of this language, shape (n, d), into the shared space."""
        for kept in (*self.normalisation.means, *(() if self.matrix is None else (self.matrix,))):
            if kept.shape[0] != matrix.shape[1]:
                raise InputError(
                    f"The map takes vectors of {kept.shape[0]} numbers. Got {matrix.shape[1]} "
                    "instead",
                    remedy="apply it to the language and the kind of vectors it was learned from",
                )
        rows = self.normalisation.apply(matrix)
        return rows if self.matrix is None else rows @ self.matrix.astype(np.float32)

    def steps_after(self, embeddings: Embeddings) -> tuple[str, ...]:
        """All normalisation that these words have had once they are mapped."""
        return (*embeddings.normalisation, *self.normalisation.steps)


@dataclass(frozen=True)
class LinearMap:
    """The map of a language pair into one space, with its provenance (any JSON object)."""

    source: Side
    target: Side
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def side(self, name: str) -> Side:
        """The side called "source" or "target"."""
        if name not in SIDES:
            raise LexalignError(f"The `side` must be one of {SIDES}. Got {name!r} instead.")
        return self.source if name == "source" else self.target

    def apply(self, matrix: np.ndarray, side: str) -> np.ndarray:
        """Map rows of one language into the shared space."""
        return self.side(side).apply(matrix)

    def then(self, rotation: np.ndarray) -> LinearMap:
        """The same map, followed by a rotation of the source side."""
        before = self.source.matrix
        after = rotation if before is None else before.astype(np.float64) @ rotation
        return replace(self, source=replace(self.source, matrix=after))

    def inverse(self) -> LinearMap:
        """The same alignment the other way round: the target moves into the space of the source.

        Source and target exchange their places. It exists if the matrix of the source has an
        inverse, as every rotation has.
        """
        moved = _chain(self.target.matrix, _inverse(self.source, "source"))
        return LinearMap(
            source=replace(self.target, matrix=moved),
            target=replace(self.source, matrix=None),
            provenance={"inverse": dict(self.provenance)},
        )

    def compose(self, other: LinearMap) -> LinearMap:
        """From this source through this target, which is the source of ``other``, into its space.

        A map from French to English and one from English to German give one from French to
        German. Both must have normalised the language between them alike.
        """
        if not _alike(self.target.normalisation, other.source.normalisation):
            raise LexalignError(
                "These maps do not follow each other: the target of the first and the source of "
                "the second were not normalised alike; learn both with the same language, words "
                "and normalisation between them."
            )
        through = _inverse(self.target, "target")
        return LinearMap(
            source=replace(
                self.source, matrix=_chain(self.source.matrix, through, other.source.matrix)
            ),
            target=other.target,
            provenance={"composed": [dict(self.provenance), dict(other.provenance)]},
        )

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the map as one safetensors file, atomically."""
        from safetensors.numpy import save

        tensors, steps = dict[str, np.ndarray](), dict[str, Any]()
        for name in SIDES:
            side = self.side(name)
            steps[name] = side.normalisation.steps
            if side.matrix is not None:
                tensors[f"{name}.matrix"] = np.ascontiguousarray(side.matrix, dtype=np.float32)
            for number, mean in enumerate(side.normalisation.means):
                tensors[f"{name}.mean.{number}"] = np.ascontiguousarray(mean, dtype=np.float32)
        facts = {"format": FORMAT, "normalisation": steps, "provenance": dict(self.provenance)}
        # One entry only: safetensors writes several in no fixed order.
        metadata = {"lexalign": json.dumps(facts, ensure_ascii=False)}
        with atomic_file(Path(path), overwrite=overwrite) as temporary:
            temporary.write_bytes(save(tensors, metadata))

    @classmethod
    def load(cls, path: str | Path) -> LinearMap:
        """Read a map that ``save`` wrote."""
        from safetensors import SafetensorError, safe_open

        if not Path(path).is_file():
            raise InputError("there is no such file", path=path, remedy="check the name")
        try:
            with safe_open(path, framework="numpy") as file:
                facts = json.loads((file.metadata() or {}).get("lexalign", "{}"))
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if facts.get("format") != FORMAT:
                raise ValueError(f"its format is {facts.get('format')!r}, not {FORMAT!r}")
            steps = facts["normalisation"]
            sides = {name: _side(tensors, name, tuple(steps[name])) for name in SIDES}
            return cls(**sides, provenance=facts["provenance"])
        except (AttributeError, SafetensorError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"this is not a map of Lexalign ({error})",
                path=path,
                remedy="give the map.safetensors of an output folder",
            ) from error


def _chain(*matrices: np.ndarray | None) -> np.ndarray | None:
    """The product of those that are not the identity, float64; None if all are."""
    product: np.ndarray | None = None
    for matrix in matrices:
        if matrix is not None:
            step = matrix.astype(np.float64)
            product = step if product is None else product @ step
    return product


def _inverse(side: Side, name: str) -> np.ndarray | None:
    """The inverse of a side's matrix, None of none."""
    if side.matrix is None:
        return None
    rows, columns = side.matrix.shape
    if rows != columns or np.linalg.cond(side.matrix) > LARGEST_CONDITION:
        raise LexalignError(
            f"The matrix of the {name}, {rows} × {columns}, has no inverse, so the map cannot be "
            "turned round; learn one in the other direction instead."
        )
    return np.asarray(np.linalg.inv(side.matrix.astype(np.float64)))


def _alike(one: Normalisation, other: Normalisation) -> bool:
    return one.steps == other.steps and all(
        mine.shape == theirs.shape and np.allclose(mine, theirs, atol=1e-5)
        for mine, theirs in zip(one.means, other.means, strict=True)
    )


def _side(tensors: Mapping[str, np.ndarray], name: str, steps: tuple[str, ...]) -> Side:
    if not set(steps) <= set(STEPS):
        raise ValueError(f"unknown normalisation {steps}")
    means = tuple(tensors[f"{name}.mean.{number}"] for number in range(steps.count("centre")))
    return Side(Normalisation(steps, means), tensors.get(f"{name}.matrix"))
