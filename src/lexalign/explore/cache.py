"""What the explorer works out once for a run, kept beside it: unit vectors, the path, CSLS.

The folder ``.explore`` lies in that of the run and goes with it. It is emptied when a file of the
run has changed. Where it cannot be written, a temporary folder takes its place until the end.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lexalign.errors import OutputError
from lexalign.explore.run_folder import RunFolder
from lexalign.files import atomic_file

NAME = ".explore"
KEY = "key.json"
VERSION = 1


@contextmanager
def cache_folder(run: RunFolder, limit: int, place: Path | None = None) -> Iterator[Path]:
    """A folder for what is worked out about ``run``, either empty or filled before by its like.

    ``place`` names another one than ``.explore`` in the run.
    """
    key = {"lexalign-explore": VERSION, "limit": limit, "files": run.fingerprint()}
    folder = run.path / NAME if place is None else place
    try:
        _claim(folder, key)
    except (OSError, OutputError):
        if place is not None:
            raise
        with tempfile.TemporaryDirectory(prefix="lexalign-explore-") as name:
            _claim(Path(name), key)
            yield Path(name)
        return
    yield folder


def is_temporary(folder: Path, run: RunFolder, place: Path | None) -> bool:
    """Whether what is worked out will be lost in the end."""
    return place is None and folder != run.path / NAME


def _claim(folder: Path, key: dict[str, Any]) -> None:
    """Make the folder one for this key, empty if it was one for another."""
    folder.mkdir(parents=True, exist_ok=True)
    if _key_of(folder) != key:
        if any(folder.iterdir()) and _key_of(folder) is None:
            raise OutputError(
                f"{folder} holds other files than those of the explorer; name an empty or a new "
                "folder (--cache)."
            )
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    with atomic_file(folder / KEY, overwrite=True) as temporary:
        temporary.write_text(json.dumps(key, indent=1) + "\n", encoding="utf-8")


def _key_of(folder: Path) -> dict[str, Any] | None:
    """What is written in the key, None if there is none of ours."""
    try:
        key = json.loads((folder / KEY).read_bytes())
    except (OSError, ValueError):
        return None
    return key if isinstance(key, dict) and "lexalign-explore" in key else None
