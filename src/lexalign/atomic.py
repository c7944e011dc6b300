"""Writing files and folders so that a reader sees the old content or the new one, never a part.

New content is made in a workshop (see ``workshop``) and renamed into place when it is whole. What
exists at that moment is not replaced unless it may be:

- without ``overwrite`` nothing is replaced, also not what appeared since the beginning;
- a folder is replaced only if Lexalign wrote every file in it, and nobody wrote it since.

Otherwise the result is kept under another name, and an error says which.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lexalign.errors import OutputError
from lexalign.renaming import exchange, rename_new
from lexalign.workshop import NEW, OLD, explained, workshop


def require_writable(path: Path, *, overwrite: bool = False) -> None:
    """Refuse an output file that exists; worth asking before long work, not only after it."""
    if path.is_dir():
        raise OutputError(f"{path} is a directory; name a file to write to.")
    if path.exists() and not path.is_file():
        raise OutputError(f"{path} is a device or a pipe; name a file to write to.")
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists already; choose another name or set `overwrite=True`.")
    if not path.parent.is_dir():
        raise OutputError(f"{path} cannot be written: its folder does not exist; create it first.")


@contextmanager
def atomic_file(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary path and rename it to ``path`` when the block succeeds.

    A symbolic link stays one: what it points to is written.
    """
    with atomic_files([path], overwrite=overwrite) as (temporary,):
        yield temporary


@contextmanager
def atomic_files(paths: Sequence[Path], *, overwrite: bool = False) -> Iterator[list[Path]]:
    """The same for several files: all of them are renamed into place, or none."""
    for path in paths:
        require_writable(path, overwrite=overwrite)
    places = [path.resolve() for path in paths]
    with ExitStack() as stack:
        workshops = [stack.enter_context(workshop(place)) for place in places]
        temporaries = [folder / NEW for folder in workshops]
        for temporary in temporaries:
            temporary.touch()
        yield temporaries
        for temporary in temporaries:
            _flush(temporary)
        with ExitStack() as undoing:
            for temporary, place in zip(temporaries, places, strict=True):
                # What is renamed last need not be restored.
                if place != places[-1]:
                    undoing.callback(_restore, place, _backup(place, temporary.parent))
                with explained(place):
                    _put(temporary, place, overwrite=overwrite)
            undoing.pop_all()
        _flush(places[-1].parent)


def _put(temporary: Path, place: Path, *, overwrite: bool) -> None:
    """Rename a file into place."""
    if overwrite:
        os.replace(temporary, place)
        return
    try:
        rename_new(temporary, place)
    except FileExistsError as error:
        raise _kept(temporary, place, "appeared meanwhile") from error


def _backup(path: Path, folder: Path) -> Path | None:
    """A copy of a file in a workshop; None if there is no such file."""
    if not path.exists():
        return None
    copy = folder / OLD
    shutil.copy2(path, copy)
    return copy


def _restore(path: Path, copy: Path | None) -> None:
    if copy is None:
        path.unlink(missing_ok=True)
    else:
        os.replace(copy, path)


@dataclass(frozen=True)
class FolderKind:
    """A kind of folder that Lexalign writes.

    Parameters
    ----------
    marker : str
        The file that every such folder has, and that names Lexalign.
    written : callable
        Gives the names of the files of a folder that Lexalign wrote, relative to it.
    """

    marker: str
    written: Callable[[Path], set[str]]

    def objection(self, folder: Path) -> str | None:
        """Why a folder must not be replaced, or None if Lexalign wrote all files in it."""
        marker = folder / self.marker
        if not (marker.is_file() and b"lexalign" in marker.read_bytes()):
            return "is no folder that Lexalign wrote"
        known = self.written(folder) | {self.marker}
        name = next((name for name in _files(folder) if name not in known), None)
        return None if name is None else f"holds {name}, which Lexalign did not write"


def _files(folder: Path) -> list[str]:
    """The files below a folder, relative to it."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def require_absent(path: Path, kind: FolderKind, *, overwrite: bool = False) -> None:
    """Refuse an output folder that exists; worth asking before long work, not only after it.

    With ``overwrite`` it may exist if Lexalign wrote all files in it, so that a mistyped name
    cannot erase somebody's other files.
    """
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} is a file; name a folder to write to.")
    if path.is_dir() and any(path.iterdir()):
        if not overwrite:
            raise OutputError(
                f"{path} exists already; choose another name or set `overwrite=True`."
            )
        if (reason := kind.objection(path)) is not None:
            raise OutputError(f"{path} {reason}, so it is not replaced; choose another name.")


@contextmanager
def atomic_folder(path: Path, kind: FolderKind, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary folder and rename it to ``path`` when the block succeeds.

    What may be replaced is said by ``require_absent``.
    """
    require_absent(path, kind, overwrite=overwrite)
    path = path.resolve()
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with workshop(path) as folder:
        new, before = folder / NEW, _identity(path)
        new.mkdir()
        yield new
        for name in _files(new):
            _flush(new / name)
        if before is None or not overwrite:
            try:
                rename_new(new, path)
            except FileExistsError as error:
                raise _kept(new, path, "appeared meanwhile") from error
        else:
            _replace_folder(new, path, folder / OLD, kind, before)
        _flush(path.parent)


def _replace_folder(new: Path, path: Path, old: Path, kind: FolderKind, before: object) -> None:
    """Put a new folder in the place of the one that was there ``before``."""

    def changed(folder: Path) -> str | None:
        if _identity(folder) != before:
            return "was written by another process meanwhile"
        return kind.objection(folder)

    if (reason := changed(path)) is not None:
        raise _kept(new, path, reason)
    if not exchange(new, path):
        path.rename(old)
        try:
            new.rename(path)
        finally:
            if not path.exists():
                old.rename(path)
        return
    if (reason := changed(new)) is not None:
        exchange(new, path)
        raise _kept(new, path, reason)


def _identity(path: Path) -> object:
    """What tells a folder from another one of the same name; None for an empty or no folder."""
    if not path.is_dir() or not any(path.iterdir()):
        return None
    facts = path.stat()
    return facts.st_dev, facts.st_ino


def _kept(new: Path, path: Path, reason: str) -> OutputError:
    """Keep a result that cannot have its name under another one; the error that says so."""
    number = 1
    while True:
        other = path.with_name(f"{path.stem}.{number}{path.suffix}")
        try:
            rename_new(new, other)
        except FileExistsError:
            number += 1
        else:
            return OutputError(f"{path} {reason} and was not replaced; the result is in {other}.")


def _flush(path: Path) -> None:
    """Bring the content of a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # not all file systems can
            raise
    finally:
        os.close(descriptor)


def sha256(path: Path) -> str:
    """The SHA-256 of a file, or of all files below a folder with their names, as hexadecimal."""
    if path.is_dir():
        digest = hashlib.sha256()
        for child in sorted(path.rglob("*")):
            if child.is_file():
                digest.update(f"{child.relative_to(path).as_posix()} {sha256(child)}\n".encode())
        return digest.hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
