"""The map of a language pair into the shared space, as one small file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, overload

import numpy as np

from lexalign.atomic import atomic_file
from lexalign.errors import InputError, LexalignError
from lexalign.json_text import json_text
from lexalign.spaces.normalise import STEPS, Normalisation
from lexalign.spaces.probes import Probe, ProbeCheck
from lexalign.spaces.side import Side, Stage, matrix_product
from lexalign.vectors import Embeddings

FORMAT = "lexalign-map-2"
SIDES = ("source", "target")
LARGEST_CONDITION = 1e6


@dataclass(frozen=True)
class LinearMap:
    """The map of a language pair into one space.

    Parameters
    ----------
    source, target : Side
        The mapping of each language, from its original vectors into the space.
    provenance : mapping
        The origin of the map, any JSON object.

    Examples
    --------
    >>> import numpy as np, lexalign
    >>> words = ["one", "two", "three"]
    >>> source = lexalign.Embeddings(words, [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> target = lexalign.Embeddings(words, [[0.0, 1.0], [-1.0, 0.0], [-0.8, 0.6]])
    >>> lexicon = lexalign.Lexicon([(word, word) for word in words])
    >>> aligned = lexalign.align("procrustes", source, target, lexicon, normalise="unit")
    >>> aligned.map.apply(source, "source").matrix.round(1)[0].tolist()
    [0.0, 1.0]
    """

    source: Side
    target: Side
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def side(self, name: str) -> Side:
        """The side called "source" or "target"."""
        if name not in SIDES:
            raise LexalignError(f"The `side` must be one of {SIDES}. Got {name!r} instead.")
        return self.source if name == "source" else self.target

    @overload
    def apply(self, vectors: Embeddings, side: str, *, force: bool = False) -> Embeddings: ...

    @overload
    def apply(self, vectors: np.ndarray, side: str, *, force: bool = False) -> np.ndarray: ...

    def apply(
        self, vectors: Embeddings | np.ndarray, side: str, *, force: bool = False
    ) -> Embeddings | np.ndarray:
        """Map vectors of one language into the shared space.

        Parameters
        ----------
        vectors : Embeddings or array of shape (n, d)
            The vectors for which the map was learned, or more vectors of the same model. Embeddings
            are checked by the probe words of the map; arrays cannot be checked.
        side : {"source", "target"}
            The language of the vectors.
        force : bool
            Whether to map them even if the probe words have other vectors.

        Raises
        ------
        InputError
            If the map was learned for other vectors.
        """
        chosen = self.side(side)
        if not isinstance(vectors, Embeddings):
            return chosen.apply(vectors)
        mapped = chosen.apply(vectors.matrix)
        if not force:
            check = ProbeCheck(chosen.probes)
            check.look(vectors.words, vectors.matrix)
            check.require_fit()
            check.warn_if_blind("the vectors have")
        return vectors.with_matrix(mapped, normalisation=(*vectors.normalisation, *chosen.steps))

    def followed_by(self, later: LinearMap) -> LinearMap:
        """Follow this map by another one, which was learned in its shared space."""
        return LinearMap(
            self.source.followed_by(later.source),
            self.target.followed_by(later.target),
            provenance={**later.provenance, "base": dict(self.provenance)},
        )

    @property
    def words(self) -> str | None:
        """The words of a joint run that the map is for: "own" or "shared"; None for all words."""
        facts: Any = self.provenance
        while isinstance(facts, Mapping):
            if "words" in facts:
                return str(facts["words"])
            facts = facts.get("base")
        return None

    def inverse(self) -> LinearMap:
        """Return the inverse alignment: the target is mapped into the space of the source.

        Source and target are exchanged. It exists if the matrix of the source has an inverse, as
        every rotation has.
        """
        moved = matrix_product(self.target.matrix, _inverse(self.source, "source"))
        return LinearMap(
            source=Side((Stage(self.target.normalisation, moved),), self.target.probes),
            target=Side((Stage(self.source.normalisation),), self.source.probes),
            provenance={"inverse": dict(self.provenance)},
        )

    def compose(self, other: LinearMap) -> LinearMap:
        """Compose two maps through a common language, the target of this and the source of
        ``other``.

        A map from French to English and one from English to German give one from French to German.
        Both must use the same normalisation of the common language.
        """
        if not _alike(self.target.normalisation, other.source.normalisation):
            raise LexalignError(
                "These maps cannot be composed: the target of the first and the source of the "
                "second have different normalisations; learn both maps with the same "
                "normalisation."
            )
        through = matrix_product(_inverse(self.target, "target"), other.source.matrix)
        return LinearMap(
            source=self.source.followed_by(Side((Stage(matrix=through),))),
            target=other.target,
            provenance={"composed": [dict(self.provenance), dict(other.provenance)]},
        )

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the map as one safetensors file, atomically."""
        from safetensors.numpy import save

        tensors, sides = dict[str, np.ndarray](), dict[str, Any]()
        for name in SIDES:
            side = self.side(name)
            sides[name] = {
                "stages": [stage.normalisation.steps for stage in side.stages],
                "probes": [vars(probe) for probe in side.probes],
            }
            for place, stage in enumerate(side.stages):
                if stage.matrix is not None:
                    tensors[f"{name}.{place}.matrix"] = _float32(stage.matrix)
                for number, mean in enumerate(stage.normalisation.means):
                    tensors[f"{name}.{place}.mean.{number}"] = _float32(mean)
        facts = {"format": FORMAT, "sides": sides, "provenance": dict(self.provenance)}
        # One entry only: safetensors writes several in no fixed order.
        metadata = {"lexalign": json_text(facts)}
        with atomic_file(Path(path), overwrite=overwrite) as temporary:
            temporary.write_bytes(save(tensors, metadata))

    @classmethod
    def load(cls, path: str | Path) -> LinearMap:
        """Read a map that ``save`` wrote."""
        from safetensors import SafetensorError, safe_open

        if not Path(path).is_file():
            problem, remedy = "there is no such file", "check the name"
            if Path(path).is_dir():
                problem, remedy = "this is a folder", "name the map.safetensors inside it"
            raise InputError(problem, path=path, remedy=remedy)
        try:
            with safe_open(path, framework="numpy") as file:
                facts = json.loads((file.metadata() or {}).get("lexalign", "{}"))
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if facts.get("format") != FORMAT:
                raise ValueError(f"its format is {facts.get('format')!r}, not {FORMAT!r}")
            sides = {name: _side(tensors, name, facts["sides"][name]) for name in SIDES}
            return cls(**sides, provenance=dict(facts["provenance"]))
        except (
            AttributeError, SafetensorError, KeyError, TypeError, ValueError, RecursionError,
        ) as error:  # fmt: skip
            raise InputError(
                f"this is not a map of Lexalign ({error})",
                path=path,
                remedy="name the map.safetensors of an output folder",
            ) from error


def _float32(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=np.float32)


def _inverse(side: Side, name: str) -> np.ndarray | None:
    """The inverse of a side's matrix; None for none."""
    if side.matrix is None:
        return None
    rows, columns = side.matrix.shape
    if rows != columns or np.linalg.cond(side.matrix) > LARGEST_CONDITION:
        raise LexalignError(
            f"The matrix of the {name}, {rows} × {columns}, has no inverse; learn a map in the "
            "other direction instead."
        )
    return np.asarray(np.linalg.inv(side.matrix.astype(np.float64)))


def _alike(one: Normalisation, other: Normalisation) -> bool:
    return one.steps == other.steps and all(
        mine.shape == theirs.shape and np.allclose(mine, theirs, atol=1e-5)
        for mine, theirs in zip(one.means, other.means, strict=True)
    )


def _side(tensors: Mapping[str, np.ndarray], name: str, content: Mapping[str, Any]) -> Side:
    stages = tuple(
        _stage(tensors, f"{name}.{place}", tuple(steps))
        for place, steps in enumerate(content["stages"])
    )
    for one, other in pairwise(stages):
        sizes = {one.dimensions[1], other.dimensions[0]} - {None}
        if len(sizes) > 1:
            raise ValueError(f"the stages of the {name} do not fit together")
    return Side(stages, tuple(Probe.from_dict(probe) for probe in content["probes"]))


def _stage(tensors: Mapping[str, np.ndarray], place: str, steps: tuple[str, ...]) -> Stage:
    if not set(steps) <= set(STEPS):
        raise ValueError(f"unknown normalisation {steps}")
    means = tuple(tensors[f"{place}.mean.{number}"] for number in range(steps.count("centre")))
    matrix = tensors.get(f"{place}.matrix")
    sizes = {mean.shape for mean in means} | ({matrix.shape[:1]} if matrix is not None else set())
    if len(sizes) > 1 or any(len(size) != 1 or 0 in size for size in sizes):
        raise ValueError("its means and matrices do not fit together")
    if matrix is not None and (matrix.ndim != 2 or 0 in matrix.shape):
        raise ValueError(f"a matrix has the shape {matrix.shape}")
    for array in (*means, *([] if matrix is None else [matrix])):
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ValueError("its numbers are not all finite")
    return Stage(Normalisation(steps, means), matrix)
