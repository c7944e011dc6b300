"""The record of a run: run.json, read and checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lexalign.errors import InputError
from lexalign.runs.layout import LAYOUT

TABLES = (
    *("inputs", "parameters", "versions", "seconds", "base", "seeds", "induction", "maps"),
    "probes",
)
_ENDINGS = re.compile(r"(\.(vec|txt|bin|npz))?(\.(gz|bz2|xz))?$", re.IGNORECASE)
MOST_NAMED = 3
REMEDY = "name a folder written by 'lexalign align', 'refine' or 'induce'"


def is_run(folder: Path) -> bool:
    """Whether a run wrote this folder."""
    return (folder / LAYOUT.record).is_file()


def read_record(folder: Path) -> dict[str, Any]:
    """Read the record of the run in this folder."""
    path = folder / LAYOUT.record
    try:
        record = json.loads(path.read_bytes())
        if not isinstance(record, dict):
            raise ValueError(f"expected a table, found a {type(record).__name__}")
    except OSError as error:
        raise _no_run(folder) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"this is not the record of a run ({error})", path=path, remedy="repeat the run"
        ) from error
    if record.get("format") != LAYOUT.format:
        raise InputError(
            f"the record has the format {record.get('format')}, expected {LAYOUT.format}",
            path=path,
            remedy="repeat the run",
        )
    for name in TABLES:
        if not isinstance(record.get(name, {}), dict):
            raise InputError(f"its '{name}' is not a table", path=path, remedy="repeat the run")
    return record


def _no_run(folder: Path) -> InputError:
    """Say why a folder is not a run, and name the runs inside it."""
    if folder.is_file():
        return InputError("this is a file, not the folder of a run", path=folder, remedy=REMEDY)
    if not folder.is_dir():
        return InputError("there is no such folder", path=folder, remedy=REMEDY)
    inside = sorted(one.name for one in folder.iterdir() if is_run(one))[:MOST_NAMED]
    remedy = f"name a run inside it ({', '.join(inside)})" if inside else REMEDY
    return InputError(f"the folder holds no {LAYOUT.record}", path=folder, remedy=remedy)


def language_name(record: Mapping[str, Any], side: str) -> str:
    """The name of the original file of this side, without folders and suffixes."""
    if isinstance(record.get("base"), dict):
        return language_name(record["base"], side)
    try:
        name = Path(record["inputs"][side]["path"]).name
    except (KeyError, TypeError):
        return side
    return _ENDINGS.sub("", name) or side
