"""Data that the explorer computes once for a run and keeps beside it: unit vectors, path, CSLS.

The folder ``.explore`` is inside the folder of the run. Each of its subfolders is named after the
files of the run and the number of words, so that data of other files are never used. A subfolder is
locked while an explorer uses it; unused ones are removed. If nothing can be written, a temporary
folder replaces it until the end.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from lexalign.errors import InputError, LexalignError, OutputError
from lexalign.locks import LockingUnsupportedError, lock
from lexalign.runs import LAYOUT, Run
from lexalign.workshop import explained, tidy

NAME = LAYOUT.cache
LOCK = "lock"
VERSION = 2
_FOLDER = re.compile("[0-9a-f]{16}")


@contextmanager
def cache_folder(run: Run, limit: int, place: Path | None = None) -> Iterator[Path]:
    """A folder for the data about ``run``, either empty or filled earlier for the same run.

    ``place`` names another one than ``.explore`` in the run for all of these.
    """
    with ExitStack() as stack:
        try:
            yield stack.enter_context(
                _claimed(run.path / NAME if place is None else place, run, limit)
            )
            return
        except _NotWritableError as error:
            if place is not None:
                raise OutputError(
                    f"{place} cannot be written ({error}); name another folder (`cache`)."
                ) from error
        temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="lexalign-explore-"))
        yield stack.enter_context(_claimed(Path(temporary), run, limit))


def is_temporary(folder: Path, run: Run, place: Path | None) -> bool:
    """Whether the data are lost at the end."""
    return place is None and folder.parent != run.path / NAME


def require_unchanged(folder: Path, run: Run, limit: int) -> None:
    """Raise if the files have changed since ``folder`` was made for them."""
    if folder.name != _digest(run, limit):
        raise LexalignError(
            f"The files of {run.path} have changed in the meantime; start the explorer again."
        )


def is_damage(error: Exception, folder: Path) -> bool:
    """Whether the error is about a file of the cache, which can be computed again."""
    place = error.path if isinstance(error, InputError) else getattr(error, "filename", None)
    return place is not None and folder in Path(str(place)).parents


def empty(folder: Path) -> None:
    """Remove the data; locks stay."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif not path.name.endswith(LOCK):
            path.unlink()


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Wait until no other process writes a file or folder of the cache, and keep others waiting."""
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)  # It may be deleted at any time.
        with path.with_name(f"{path.name}.{LOCK}").open("w") as opened:
            with suppress(LockingUnsupportedError):
                lock(opened)
            yield


class _NotWritableError(Exception):
    """The folder cannot be written."""


@contextmanager
def _claimed(root: Path, run: Run, limit: int) -> Iterator[Path]:
    """The folder of this run and limit in ``root``, locked against being removed."""
    folder = root / _digest(run, limit)
    try:
        root.mkdir(parents=True, exist_ok=True)
        _require_ours(root)
        with (root / LOCK).open("w") as all_folders:
            with suppress(LockingUnsupportedError):
                lock(all_folders)
            folder.mkdir(exist_ok=True)
            claimed = (folder / LOCK).open("w")
            with suppress(LockingUnsupportedError):
                lock(claimed, shared=True)
            tidy(folder)
            for other in root.iterdir():
                if _FOLDER.fullmatch(other.name) and other != folder:
                    _remove_unused(other)
    except OSError as error:
        raise _NotWritableError(error.strerror) from error
    with claimed:
        yield folder


def _digest(run: Run, limit: int) -> str:
    facts = {"lexalign-explore": VERSION, "limit": limit, "files": run.fingerprint()}
    return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def _require_ours(root: Path) -> None:
    others = [path for path in root.iterdir() if not _FOLDER.fullmatch(path.name)]
    if [path.name for path in others] not in ([], [LOCK]):
        raise OutputError(
            f"{root} holds files that do not belong to the explorer; name an empty or new folder "
            "(`cache`), or delete it."
        )


def _remove_unused(folder: Path) -> None:
    """Remove a folder unless an explorer uses it."""
    with (folder / LOCK).open("w") as opened:
        try:
            lock(opened, wait=False)
        except OSError:  # an explorer uses it, or nobody can tell
            return
        shutil.rmtree(folder, ignore_errors=True)
