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
        problem = f"the folder holds no {LAYOUT.record}"
        raise InputError(
            problem if folder.is_dir() else "there is no such folder", path=folder, remedy=REMEDY
        ) from error
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


def language_name(record: Mapping[str, Any], side: str) -> str:
    """The name of the original file of this side, without folders and suffixes."""
    if isinstance(record.get("base"), dict):
        return language_name(record["base"], side)
    try:
        name = Path(record["inputs"][side]["path"]).name
    except (KeyError, TypeError):
        return side
    return _ENDINGS.sub("", name) or side
