"""Writing files so that a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lexalign.errors import OutputError


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
    """Yield a temporary path beside ``path`` and rename it into place when the block succeeds.

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
        temporaries = [stack.enter_context(_temporary_file(place)) for place in places]
        yield temporaries
        with ExitStack() as undoing:
            for temporary, place in zip(temporaries, places, strict=True):
                # What is renamed last need not be restored.
                if place != places[-1]:
                    undoing.callback(_restore, place, stack.enter_context(_backup(place)))
                with _explained(place):
                    os.replace(temporary, place)
            undoing.pop_all()


@contextmanager
def _temporary_file(path: Path) -> Iterator[Path]:
    """An empty file beside ``path``, gone at the end."""
    with _explained(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            temporary.chmod(0o666 & ~_umask())
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _backup(path: Path) -> Iterator[Path | None]:
    """A copy of a file beside it, gone at the end; None if there is no such file."""
    if not path.exists():
        yield None
        return
    with _temporary_file(path) as copy:
        shutil.copy2(path, copy)
        yield copy


def _restore(path: Path, copy: Path | None) -> None:
    if copy is None:
        path.unlink(missing_ok=True)
    else:
        os.replace(copy, path)


def require_absent(path: Path, marker: str, *, overwrite: bool = False) -> None:
    """Refuse an output folder that exists; worth asking before long work, not only after it.

    With ``overwrite`` it may exist if it holds the file ``marker`` and that names Lexalign, so that
    a mistyped name cannot erase somebody's other files.
    """
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} is a file; name a folder to write to.")
    if path.is_dir() and any(path.iterdir()):
        if not overwrite:
            raise OutputError(
                f"{path} exists already; choose another name or set `overwrite=True`."
            )
        if not _is_ours(path / marker):
            raise OutputError(
                f"{path} holds no {marker} of Lexalign, which therefore did not write it and will "
                "not replace it; choose another name."
            )


def _is_ours(marker: Path) -> bool:
    return marker.is_file() and b"lexalign" in marker.read_bytes()


@contextmanager
def atomic_folder(path: Path, marker: str, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary folder beside ``path`` and rename it into place when the block succeeds.

    What may be replaced is said by ``require_absent``.
    """
    require_absent(path, marker, overwrite=overwrite)
    path = path.resolve()
    with _explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            temporary.chmod(0o777 & ~_umask())
            yield temporary
            _swap(temporary, path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _swap(new: Path, path: Path) -> None:
    """Move ``new`` to ``path``; an old folder there is set aside first and removed last."""
    if not path.exists():
        new.rename(path)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        path.rename(aside / "old")
        new.rename(path)
    finally:
        if not path.exists():
            (aside / "old").rename(path)
        shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the operating system's refusals into a sentence about ``path``."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(
                f"{path}: the disk is full, nothing was written; free some space or choose "
                "another place."
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise OutputError(
                f"{path} cannot be written ({error.strerror}); choose another place."
            ) from error
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise OutputError(
                f"{path} cannot be written: its folder does not exist; create it first."
            ) from error
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
