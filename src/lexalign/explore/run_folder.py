"""What the explorer has to know about the folder of a run: its files, and how they came about."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.errors import InputError
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.runs import RECORD, is_run, vectors_of_run
from lexalign.spaces import LinearMap
from lexalign.spaces.linear_map import SIDES

MAP, LEXICON = "map.safetensors", "lexicon.tsv"
NEARLY_ORTHOGONAL = 1e-3
_ENDINGS = re.compile(r"(\.(vec|txt|bin|npz))?(\.(gz|bz2|xz))?$", re.IGNORECASE)


@dataclass(frozen=True)
class RunFolder:
    """The folder of an alignment or of a refinement.

    ``names`` are what the two languages are called: like the files that went in, unless told
    better. ``rotation`` M, (d, d), is that of a refinement, which wrote XM for the source X that it
    was given; None of an alignment, which has not been refined yet.
    """

    path: Path
    source: Path
    target: Path
    method: str
    names: Mapping[str, str]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    rotation: np.ndarray | None = None

    @property
    def lexicon(self) -> Path:
        """The pairs that the map was fitted on."""
        return self.path / LEXICON

    def fingerprint(self) -> dict[str, list[int]]:
        """Size and time of every file that the explorer reads, to notice when one is replaced."""
        found = {}
        for path in (self.source, self.target, self.path / RECORD, self.path / MAP, self.lexicon):
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            for file in files:
                if file.is_file():
                    status = file.stat()
                    name = file.relative_to(self.path).as_posix()
                    found[name] = [status.st_size, status.st_mtime_ns]
        return found


def read_run(folder: Path) -> RunFolder:
    """The folder that ``lexalign align`` or ``lexalign refine`` wrote."""
    if not is_run(folder):
        raise InputError(
            f"the folder holds no {RECORD}" if folder.is_dir() else "there is no such folder",
            path=folder,
            remedy="name a folder written by 'lexalign align' or 'lexalign refine'",
        )
    source, target = vectors_of_run(folder)
    record = _record(folder / RECORD)
    method, parameters = record.get("method"), record.get("parameters")
    return RunFolder(
        path=folder,
        source=source,
        target=target,
        method=method if isinstance(method, str) else "unknown",
        names={side: _name(record, side) for side in SIDES},
        parameters=parameters if isinstance(parameters, dict) else {},
        rotation=_rotation(folder / MAP) if method == "refine" else None,
    )


def _record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"this is not the record of a run ({error})", path=path, remedy="repeat the run"
        ) from error
    if not isinstance(record, dict):
        raise InputError("this is not the record of a run", path=path, remedy="repeat the run")
    return record


def _name(record: Mapping[str, Any], side: str) -> str:
    """The name of the file that first went in as this side, without its folders and endings."""
    if isinstance(record.get("base"), dict):
        return _name(record["base"], side)
    try:
        name = Path(record["inputs"][side]["path"]).name
    except (KeyError, TypeError):
        return side
    return _ENDINGS.sub("", name) or side


def _rotation(path: Path) -> np.ndarray:
    matrix = LinearMap.load(path).source.matrix
    if matrix is None or matrix.shape[0] != matrix.shape[1]:
        raise InputError("it holds no rotation", path=path, remedy="refine again")
    if (error := orthogonality_error(matrix)) > NEARLY_ORTHOGONAL:
        raise InputError(
            f"its matrix is no rotation (max |MᵀM − I| is {error:.2g})",
            path=path,
            remedy="refine again",
        )
    return matrix
