"""Writing files and folders so that a reader sees the old content or the new one, never a part.

New content is made in a workshop (see ``workshop``) and renamed into place when it is whole. What
exists there is replaced only under these rules:

- Without ``overwrite`` nothing is replaced. This includes what appears during the work.
- With ``overwrite`` only that is replaced which was there when the output was claimed.
- A folder is replaced only if Lexalign wrote every file in it.

Otherwise the result is kept under another name, and an error says which. Long work claims its
output before it begins. Caches and checkpoints make no claim: there the last writer wins.
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
"""The occupant of an output that is replaced whatever is there."""

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
        What tells the file or folder that was there from another one; None for none.
    """

    path: Path
    overwrite: bool
    occupant: object = None


def require_writable(path: Path, *, overwrite: bool = False) -> None:
    """Raise if an output file exists; worth asking before long work, not only after it."""
    _refuse_loop(path)
    if path.is_dir():
        raise OutputError(f"{path} is a directory; name a file to write to.")
    if path.exists() and not path.is_file():
        raise OutputError(f"{path} is a device or a pipe; name a file to write to.")
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists already; choose another name or set `overwrite=True`.")
    if not path.parent.is_dir():
        raise OutputError(f"{path} cannot be written: its folder does not exist; create it first.")


def resolved(path: Path) -> Path:
    """The absolute path without symbolic links; a link that leads back to itself stays one."""
    return Path(os.path.realpath(path))


def _refuse_loop(path: Path) -> None:
    """Raise if symbolic links on the way to an output lead in a circle."""
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
    """Remove or restore what a killed process left of an output, before asking what is there."""
    place = resolved(path)
    if place.parent.is_dir():
        with explained(path):
            tidy(place.parent, place)


@contextmanager
def atomic_file(
    path: Path, *, overwrite: bool = False, claim: Claim | None = None
) -> Iterator[Path]:
    """Yield a temporary path and rename it to ``path`` when the block succeeds.

    A symbolic link stays one: what it points to is written. With a ``claim`` what exists now has
    appeared since, unless it is what was claimed.
    """
    if claim is None:
        require_writable(path, overwrite=overwrite)
        claim = Claim(path, overwrite, ANYTHING if overwrite else None)
    with atomic_files([claim]) as (temporary,):
        yield temporary


@contextmanager
def atomic_files(claims: Sequence[Claim]) -> Iterator[list[Path]]:
    """The same for several files: all of them are renamed into place, or none.

    If one of them cannot have its name, all are kept under other names.
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
    """Why a file must not be replaced; None if it is the claimed one, or is gone."""
    found = identity(path)
    if found is None or claim.occupant is ANYTHING or found == claim.occupant:
        return None
    return APPEARED if claim.occupant is None else CHANGED


def _put(renaming: Renaming, claim: Claim) -> tuple[Path, str] | None:
    """Give a new file its name; otherwise return the place and the reason."""
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
    """A copy of a file in a workshop; None if there is no such file."""
    if not path.exists():
        return None
    copy = folder / OLD
    shutil.copy2(path, copy)
    return copy


def write_all(writers: Iterable[Callable[[], None]]) -> None:
    """Call all writers, and raise one error at the end: one failure must not cost other results."""
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
        The file that every such folder has, and that names Lexalign.
    written : callable
        Gives the names of the files of a folder that Lexalign wrote, relative to it; None if the
        folder does not say.
    caches : tuple of str
        Folders in it that Lexalign fills and may lose.
    decisions : str
        The name of files in it that hold decisions of people.
    """

    marker: str
    written: Callable[[Path], set[str] | None]
    caches: tuple[str, ...] = ()
    decisions: str = ""

    def objection(self, folder: Path) -> str | None:
        """Why a folder must not be replaced, or None if Lexalign wrote all files in it."""
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
        """What tells a folder from another one of the same name; None for an empty or no folder."""
        if not folder.is_dir() or not any(folder.iterdir()):
            return None
        facts, marker = folder.stat(), folder / self.marker
        return facts.st_dev, facts.st_ino, sha256(marker) if marker.is_file() else ""


def _files(folder: Path) -> list[str]:
    """The files below a folder, relative to it."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def claim_folder(path: Path, kind: FolderKind, *, overwrite: bool = False) -> Claim:
    """Raise if an output folder exists, or claim it; worth doing before long work.

    With ``overwrite`` it may exist if Lexalign wrote all files in it, so that a mistyped name
    cannot erase somebody's other files.
    """
    _refuse_loop(path)
    put_right(path)
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} is a file; name a folder to write to.")
    if path.is_dir() and any(path.iterdir()):
        if not overwrite:
            raise OutputError(
                f"{path} exists already; choose another name or set `overwrite=True`."
            )
        if (reason := kind.objection(path)) is not None:
            raise OutputError(f"{path} {reason}, so it is not replaced; choose another name.")
    return Claim(path, overwrite, kind.occupant(path))


@contextmanager
def atomic_folder(claim: Claim, kind: FolderKind) -> Iterator[Path]:
    """Yield a temporary folder and give it the name of the claim when the block succeeds."""
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
    """Put a new folder in the place of the one that was there ``before``."""

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
    """Keep what cannot have its name under other names; the error that says so."""
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
