"""A run as it lies in its folder: what was done, the space it left, and that before refinement."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.errors import InputError
from lexalign.progress import Progress
from lexalign.runs import RECORD, vectors_of_run
from lexalign.spaces import LinearMap, require_one_space, unit_length
from lexalign.vectors import Embeddings, Lexicon, read

TABLES = ("inputs", "parameters", "versions", "seconds", "base")


@dataclass(frozen=True, eq=False)
class Inspected:
    """The ``record`` of a run, its words at unit length, and the pairs that it was fitted to.

    The ``lexicon`` of these pairs is empty if its file is not there any more.

    ``before`` is the source before refinement, None if the run did not refine. Refinement turns the
    source by an orthogonal matrix M that is kept with the run, so turning it back by Mᵀ gives what
    was there before: no other file is needed.
    """

    folder: Path
    record: Mapping[str, Any]
    source: Embeddings
    target: Embeddings
    before: Embeddings | None
    rotation: np.ndarray | None
    lexicon: Lexicon

    @property
    def name(self) -> str:
        """What the folder is called."""
        return self.folder.resolve().name

    @property
    def method(self) -> str:
        """The method, with its loss if it refines."""
        method = str(self.record.get("method", "unknown"))
        if self.before is None:
            return method
        return f"{method}, {self.record['parameters']['loss']}"

    @property
    def unrefined(self) -> Embeddings:
        """The source before refinement, or as it is."""
        return self.source if self.before is None else self.before


def inspect(folder: Path, *, limit: int = 200_000, progress: Progress | None = None) -> Inspected:
    """Read the folder of a run over one pair; of the vectors the most frequent words."""
    progress = progress or Progress()
    record = _record(folder)
    paths = vectors_of_run(folder)
    sides = list[Embeddings]()
    for name, path in zip(("source", "target"), paths, strict=True):
        with progress.stage(f"reading {name}"):
            sides.append(unit_length(read(path, limit=limit)))
    source, target = sides
    require_one_space(source, target, paths)
    before = rotation = None
    if record.get("method") == "refine":
        rotation = LinearMap.load(folder / "map.safetensors").source.matrix
    if rotation is not None:
        before = source.with_matrix(source.matrix @ rotation.T.astype(np.float32))
    path = folder / "lexicon.tsv"
    lexicon = Lexicon.read(path) if path.is_file() else Lexicon([])
    return Inspected(folder, record, source, target, before, rotation, lexicon)


def _record(folder: Path) -> dict[str, Any]:
    path, remedy = folder / RECORD, "name a folder that 'lexalign align' or 'refine' wrote"
    try:
        record = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError("this is not the folder of a run", path=folder, remedy=remedy) from error
    except ValueError as error:
        raise InputError(f"it is not JSON ({error})", path=path, remedy=remedy) from error
    if not isinstance(record, dict) or record.get("format") != "lexalign-run-1":
        raise InputError("it is no record of Lexalign", path=path, remedy=remedy)
    for name in TABLES:
        if not isinstance(record.get(name, {}), dict):
            raise InputError(f"its '{name}' is no table", path=path, remedy="repeat the run")
    return record
