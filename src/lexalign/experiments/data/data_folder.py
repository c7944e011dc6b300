"""The data folder: its place, its content, and the checksums beside its files."""

from __future__ import annotations

import os
import re
from pathlib import Path

from lexalign.atomic import atomic_file
from lexalign.errors import InputError, OutputError
from lexalign.experiments.data.catalogue import CatalogueEntry, RemoteFile
from lexalign.libraries import load

VARIABLE = "LEXALIGN_DATA"
_NOTE = re.compile(r"([0-9a-f]{64})\s")


def default_folder() -> Path:
    """The folder of the environment variable, otherwise a folder in the user's cache."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    pooch = load("pooch", feature="Finding the default data folder", extra="data")
    return Path(pooch.os_cache("lexalign"))


def make_folder(path: Path) -> None:
    """Create a folder and its parents."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The folder {path} cannot be created ({error.strerror}); choose another data folder "
            f"(`folder`, or the environment variable {VARIABLE})."
        ) from error


def note_of(path: Path) -> Path:
    """The file beside ``path`` with its checksum, in the format of the program sha256sum."""
    return path.with_name(f"{path.name}.sha256")


def read_note(path: Path) -> str | None:
    """Read the recorded SHA-256 of ``path``, if there is one."""
    note = note_of(path)
    if not note.is_file():
        return None
    found = _NOTE.match(note.read_text(encoding="utf-8", errors="replace"))
    if found is None:
        raise InputError(
            "this is not a SHA-256 followed by a file name",
            path=note,
            remedy="delete it to accept the file beside it as it is",
        )
    return found[1]


def write_note(path: Path, digest: str) -> None:
    """Record the SHA-256 of ``path`` for later fetches."""
    with atomic_file(note_of(path), overwrite=True) as temporary:
        temporary.write_text(f"{digest}  {path.name}\n", encoding="utf-8")


def is_there(entry: CatalogueEntry, folder: Path) -> bool:
    """Whether all files of an entry exist in the folder; their content is not checked."""
    return bool(entry.files) and all(
        _fits(folder / path, file) for file in entry.files for path in file.results
    )


def _fits(path: Path, file: RemoteFile) -> bool:
    return path.is_file() and (
        file.size is None or bool(file.members) or path.stat().st_size == file.size
    )
