"""Workshops: hidden folders beside an output that hold its new content until it is complete.

The process that owns a workshop holds a lock on it. A workshop without a lock belongs to a killed
process. The next write to the same output removes it, or restores the replaced files from it.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lexalign.errors import OutputError
from lexalign.locks import lock

SUFFIX = ".lexalign-part"
NEW = "new"
OLD = "old"
LONGEST_NAME = 120
_NO_ROOM = {
    errno.ENOSPC: "the disk is full and nothing was written; free some space or choose "
    "another place",
    errno.EDQUOT: "your disk quota is used up and nothing was written; free some space or choose "
    "another place",
    errno.EFBIG: "the system allows no file of this size and nothing was written; raise the limit "
    "(ulimit -f) or choose another place",
}
_NATIVE = re.compile(r"\(os error (\d+)\)")
_WORKSHOP = re.compile(r"\.(.+)\.[0-9a-f]{8}" + re.escape(SUFFIX), re.DOTALL)

logger = logging.getLogger("lexalign")


@contextmanager
def workshop(path: Path) -> Iterator[Path]:
    """Create a workshop for an output, and remove it at the end.

    Raises
    ------
    OutputError
        If the system cannot write, also inside the block.
    """
    with explained(path), ExitStack() as stack:
        tidy(path.parent, path)
        yield _new_workshop(path, stack)


def _new_workshop(path: Path, stack: ExitStack) -> Path:
    """Create and lock the folder; ``stack`` removes it."""
    while True:
        folder = path.with_name(f".{_name(path)}.{secrets.token_hex(4)}{SUFFIX}")
        stack.callback(_remove, folder)  # before it is there: a signal may come in between
        folder.mkdir()
        try:
            stack.callback(os.close, _lock(folder))
        except (BlockingIOError, FileNotFoundError):
            continue  # another process has just taken it for one without an owner
        except OSError:
            pass  # the file system has no locks: if this process is killed, the folder stays
        return folder


def _remove(folder: Path) -> None:
    """Remove a folder, even if a signal interrupts."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _name(path: Path) -> str:
    """The name of an output inside the names of its workshops, shortened if it is long."""
    name = os.fsencode(path.name)
    return path.name if len(name) <= LONGEST_NAME else hashlib.sha256(name).hexdigest()[:16]


def tidy(folder: Path, path: Path | None = None) -> None:
    """Remove the workshops of killed processes, and restore the files that they were replacing.

    Handles one output, or all in a folder.
    """
    for left in folder.iterdir():
        found = _WORKSHOP.fullmatch(left.name)
        if found is None or (path is not None and found[1] != _name(path)):
            continue
        try:
            descriptor = _lock(left)
        except OSError:  # it has an owner, or is gone
            continue
        try:
            place = path or folder / found[1]
            if (left / OLD).is_dir() and not place.exists():
                (left / OLD).rename(place)
                logger.warning("Restored %s, which a killed run was replacing.", place)
            shutil.rmtree(left, ignore_errors=True)
            logger.warning("Removed %s, which a killed run left behind.", left)
        finally:
            os.close(descriptor)


def _lock(folder: Path) -> int:
    """Lock a workshop and return the descriptor of the lock.

    Raises BlockingIOError if another process holds the lock, FileNotFoundError if the folder does
    not exist, and another OSError if the file system has no locks.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        lock(descriptor, wait=False)
        if os.fstat(descriptor).st_ino != folder.stat().st_ino:
            raise FileNotFoundError(errno.ENOENT, "removed", str(folder))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _visible(path: Path) -> Path:
    """The final path of an output, given its path in a workshop."""
    for folder in path.parents:
        if folder.name.endswith(SUFFIX):
            name = folder.name.removeprefix(".").removesuffix(SUFFIX).rpartition(".")[0]
            return _visible(folder.with_name(name))
    return path


def _code(error: Exception) -> int:
    """The error number of the system, also from libraries written in Rust."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    found = _NATIVE.search(str(error))
    return int(found[1]) if found else 0


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Convert errors of the operating system into a sentence about ``path``."""
    try:
        yield
    except OutputError:
        raise
    except Exception as error:
        path = _visible(path)
        if (sentence := _NO_ROOM.get(_code(error))) is not None:
            raise OutputError(f"{path}: {sentence}.") from error
        if not isinstance(error, OSError):
            raise
        if error.filename and not Path(error.filename).is_relative_to(path.parent):
            raise  # it is not about the output
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise OutputError(
                f"{path} cannot be written ({error.strerror}); choose another place."
            ) from error
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise OutputError(
                f"{path} cannot be written: its folder does not exist; create it first."
            ) from error
        if error.errno == errno.ENAMETOOLONG:
            raise OutputError(
                f"{path} cannot be written: its name is too long; choose a shorter one."
            ) from error
        raise


def flush(path: Path) -> None:
    """Flush the content of a file, or the names in a folder, to disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        if path.is_dir():  # Windows opens no folders, and keeps their names by itself
            return
        raise
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # not all file systems can
            raise
    finally:
        os.close(descriptor)
