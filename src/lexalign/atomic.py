"""Write files and folders atomically: a reader sees the old content or the new one, never a part.

New content is written in a workshop (see ``workshop``) and renamed when it is complete. It replaces
existing content only under these rules:

- Without ``overwrite`` it replaces nothing, not even a file that appears during the work.
- With ``overwrite`` it replaces only what existed when the output was claimed.
- It replaces a folder only if Lexalign wrote every file in it.

Otherwise the result gets another name, and an error states it. Long work claims its output before
it begins. Caches and checkpoints claim nothing: the last writer wins.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lexalign.digests import sha256
from lexalign.errors import OutputError
from lexalign.renaming import Renaming, exchange, identity, rename_new
from lexalign.workshop import NEW, OLD, explained, flush, tidy, workshop

ANYTHING = object()
"""Stands for any occupant: the output is replaced whatever it holds."""

APPEARED = "was created while this command ran"
CHANGED = "was written by another process while this command ran"


@dataclass(frozen=True)
class Claim:
    """An output as it was before the work.

    Parameters
    ----------
    path : Path
        The file or folder.
    overwrite : bool
        Whether it may be replaced.
    occupant : object
        Identifies the file or folder that existed then; None if there was none.
    """

    path: Path
    overwrite: bool
    occupant: object = None


def require_writable(path: Path, *, overwrite: bool = False) -> None:
    """Raise if an output file cannot be written; call it before long work and again after it."""
    _refuse_loop(path)
    if path.is_dir():
        raise OutputError(f"{path} is a folder; name a file to write to.")
    if path.exists() and not path.is_file():
        raise OutputError(f"{path} is a device or a pipe; name a file to write to.")
    if path.exists() and not overwrite:
        raise OutputError(f"{path} already exists; choose another name or set `overwrite=True`.")
    if not path.parent.is_dir():
        raise OutputError(f"{path} cannot be written: its folder does not exist; create it first.")


def resolved(path: Path) -> Path:
    """The absolute path without symbolic links; a link that leads back to itself is kept."""
    return Path(os.path.realpath(path))


def _refuse_loop(path: Path) -> None:
    """Raise if symbolic links to an output form a circle."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OutputError(
                f"{path} is a symbolic link that leads back to itself; choose another name."
            ) from error


def claim_file(path: Path, *, overwrite: bool = False) -> Claim:
    """Raise if an output file exists, or claim it for the result of long work."""
    put_right(path)
    require_writable(path, overwrite=overwrite)
    return Claim(path, overwrite, identity(path))


def put_right(path: Path) -> None:
    """Clean up what a killed process left at an output; call it before looking at the output."""
    place = resolved(path)
    if place.parent.is_dir():
        with explained(path):
            tidy(place.parent, place)


@contextmanager
def atomic_file(
    path: Path, *, overwrite: bool = False, claim: Claim | None = None
) -> Iterator[Path]:
    """Yield a temporary path and rename it to ``path`` when the block succeeds.

    If ``path`` is a symbolic link, its target is written and the link stays. With a ``claim``, any
    other file that exists by now appeared during the work and is not replaced.
    """
    if claim is None:
        require_writable(path, overwrite=overwrite)
        claim = Claim(path, overwrite, ANYTHING if overwrite else None)
    with atomic_files([claim]) as (temporary,):
        yield temporary


@contextmanager
def atomic_files(claims: Sequence[Claim]) -> Iterator[list[Path]]:
    """Yield temporary paths and rename all of them when the block succeeds, or none.

    If one name is taken, all files are kept under other names.
    """
    places = [resolved(claim.path) for claim in claims]
    with ExitStack() as stack:
        workshops = [stack.enter_context(workshop(place)) for place in places]
        temporaries = [folder / NEW for folder in workshops]
        for temporary in temporaries:
            temporary.touch()
        yield temporaries
        for temporary in temporaries:
            flush(temporary)
        outputs = list(zip(temporaries, places, strict=True))
        with ExitStack() as undoing:
            taken = _first_taken(claims, places)
            for claim, (temporary, place) in zip(claims, outputs, strict=True):
                if taken is None:
                    # What is renamed last need not be restored.
                    copy = _backup(place, temporary.parent) if place != places[-1] else None
                    renaming = Renaming(temporary, place, copy)
                    undoing.callback(renaming.undo)
                    taken = _put(renaming, claim)
            if taken is None:
                undoing.pop_all()
        if taken is not None:
            raise _kept(outputs, *taken)
        for folder in {place.parent for place in places}:
            flush(folder)


def _first_taken(claims: Sequence[Claim], places: Sequence[Path]) -> tuple[Path, str] | None:
    """The first place that must not be replaced, and the reason."""
    for claim, place in zip(claims, places, strict=True):
        if (reason := _changed(place, claim)) is not None:
            return place, reason
    return None


def _changed(path: Path, claim: Claim) -> str | None:
    """Why a file must not be replaced; None if it is the claimed file or no longer exists."""
    found = identity(path)
    if found is None or claim.occupant is ANYTHING or found == claim.occupant:
        return None
    return APPEARED if claim.occupant is None else CHANGED


def _put(renaming: Renaming, claim: Claim) -> tuple[Path, str] | None:
    """Give a new file its name; if that fails, return the place and the reason."""
    place = renaming.place
    if claim.occupant is ANYTHING:
        renaming.replacing_anything()
        return None
    if claim.occupant is None or not place.exists():
        try:
            renaming.without_replacing()
        except FileExistsError:
            return place, APPEARED if claim.occupant is None else CHANGED
        return None
    old = renaming.replacing()
    if old is not None and (reason := _changed(old, claim)) is not None:
        return place, reason
    return None


def _backup(path: Path, folder: Path) -> Path | None:
    """Copy a file into a workshop; None if there is no such file."""
    if not path.exists():
        return None
    copy = folder / OLD
    shutil.copy2(path, copy)
    return copy


def write_all(writers: Iterable[Callable[[], None]]) -> None:
    """Call all writers, even if one fails, and raise one error at the end."""
    failures = list[OutputError]()
    for write in writers:
        try:
            write()
        except OutputError as error:
            failures.append(error)
    if failures:
        raise OutputError(" ".join(map(str, failures))) from failures[0]


@dataclass(frozen=True)
class FolderKind:
    """A kind of folder that Lexalign writes.

    Parameters
    ----------
    marker : str
        The file that marks every folder of this kind.
    written : callable
        Returns the names of the files that Lexalign wrote, relative to the folder; None if unknown.
    caches : tuple of str
        Subfolders that Lexalign can fill again.
    decisions : str
        The name of files that hold people's decisions.
    """

    marker: str
    written: Callable[[Path], set[str] | None]
    caches: tuple[str, ...] = ()
    decisions: str = ""

    def objection(self, folder: Path) -> str | None:
        """Why a folder must not be replaced; None if Lexalign wrote all files in it."""
        marker = folder / self.marker
        if not (marker.is_file() and b"lexalign" in marker.read_bytes()):
            return "was not written by Lexalign"
        known = self.written(folder)
        if known is None:
            return f"has a {self.marker} that does not list its files"
        for name in _files(folder):
            if name in known or name == self.marker or Path(name).parts[0] in self.caches:
                continue
            if Path(name).name == self.decisions:
                return f"holds {name}, the decisions of a review"
            return f"holds {name}, which Lexalign did not write"
        return None

    def occupant(self, folder: Path) -> object:
        """Identifies a folder; None if it is empty or does not exist."""
        if not folder.is_dir() or not any(folder.iterdir()):
            return None
        facts, marker = folder.stat(), folder / self.marker
        return facts.st_dev, facts.st_ino, sha256(marker) if marker.is_file() else ""


def _files(folder: Path) -> list[str]:
    """The files below a folder, relative to it."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def claim_folder(path: Path, kind: FolderKind, *, overwrite: bool = False) -> Claim:
    """Raise if an output folder exists, or claim it; call it before long work.

    With ``overwrite``, a folder is accepted if Lexalign wrote all files in it. A mistyped name can
    therefore not erase other files.
    """
    _refuse_loop(path)
    put_right(path)
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} is a file; name a folder to write to.")
    if path.is_dir() and any(path.iterdir()):
        if not overwrite:
            raise OutputError(
                f"{path} already exists; choose another name or set `overwrite=True`."
            )
        if (reason := kind.objection(path)) is not None:
            raise OutputError(f"{path} {reason}, so it is not replaced; choose another name.")
    return Claim(path, overwrite, kind.occupant(path))


@contextmanager
def atomic_folder(claim: Claim, kind: FolderKind) -> Iterator[Path]:
    """Yield a temporary folder and give it the claimed name when the block succeeds."""
    path = resolved(claim.path)
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with workshop(path) as folder:
        new = folder / NEW
        new.mkdir()
        yield new
        for name in _files(new):
            flush(new / name)
        if claim.occupant is None or not path.exists():
            try:
                rename_new(new, path)
            except FileExistsError as error:
                raise _kept([(new, path)], path, APPEARED) from error
        else:
            _replace_folder(new, path, folder / OLD, kind, claim.occupant)
        flush(path.parent)


def _replace_folder(new: Path, path: Path, old: Path, kind: FolderKind, before: object) -> None:
    """Put a new folder in place of the folder ``before``."""

    def changed(folder: Path) -> str | None:
        if kind.occupant(folder) != before:
            return CHANGED
        return kind.objection(folder)

    if (reason := changed(path)) is not None:
        raise _kept([(new, path)], path, reason)
    if exchange(new, path):
        if (reason := changed(new)) is not None:
            exchange(new, path)
            raise _kept([(new, path)], path, reason)
        return
    try:
        path.rename(old)
        rename_new(new, path)
    except FileExistsError as error:
        raise _kept([(old, path), (new, path)], path, APPEARED) from error
    finally:
        if old.exists() and not path.exists():
            old.rename(path)
    if (reason := changed(old)) is not None:
        raise _kept([(old, path)], path, reason)


def _kept(results: Sequence[tuple[Path, Path]], path: Path, reason: str) -> OutputError:
    """Keep the results under other names; return the error that states them."""
    names = [_kept_beside(new, place) for new, place in results if new.exists()]
    return OutputError(
        f"{path} {reason}, so it is not replaced; the result is in {' and '.join(map(str, names))}."
    )


def _kept_beside(new: Path, path: Path) -> Path:
    number = 1
    while True:
        other = path.with_name(f"{path.stem}.{number}{path.suffix}")
        try:
            rename_new(new, other)
        except FileExistsError:
            number += 1
        else:
            return other
