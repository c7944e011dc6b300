"""Rename files without replacing any by accident.

``rename_new`` gives a file or folder an unused name. ``exchange`` swaps two names in one step, so
both exist at every moment. It uses a system call of Linux (renameat2) or macOS (renamex_np), and
returns False if the system or file system has none.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path

AT_FDCWD = -100
RENAME_NOREPLACE = 1
RENAME_EXCL = 4
RENAME_EXCHANGE = 2
RENAME_SWAP = 2
NOT_SUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM)


def rename_new(source: Path, target: Path) -> None:
    """Rename a file or folder; FileExistsError if the target exists, unless it is an empty folder.

    Check and renaming are one step, so only one of two processes succeeds.
    """
    if source.is_dir():
        try:
            source.rename(target)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise FileExistsError(errno.EEXIST, "it already exists", str(target)) from error
            raise
        return
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in (*NOT_SUPPORTED, errno.EMLINK):
            raise
        # A file system without hard links.
        if not _system_rename(source, target, RENAME_NOREPLACE, RENAME_EXCL):
            # An empty file reserves the name, for a moment.
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            os.replace(source, target)
        return
    source.unlink()


def exchange(one: Path, other: Path) -> bool:
    """Swap the names of two files or folders in one step; False if the system cannot."""
    return _system_rename(one, other, RENAME_EXCHANGE, RENAME_SWAP)


def _system_rename(one: Path, other: Path, linux: int, macos: int) -> bool:
    """Rename with a flag that Python does not offer; False if the system cannot."""
    if sys.platform not in ("linux", "darwin"):
        return False
    library = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(AT_FDCWD, first, AT_FDCWD, second, linux)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(first, second, macos)
    else:
        return False
    if not failed:
        return True
    code = ctypes.get_errno()
    if code in NOT_SUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))


def identity(path: Path) -> object:
    """Identifies a file and its state; None if there is no file."""
    try:
        facts = path.stat()
    except FileNotFoundError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


@dataclass
class Renaming:
    """A new file that takes a name, and gives it back if the renaming is undone.

    Parameters
    ----------
    new : Path
        The new file.
    place : Path
        Its new name.
    copy : Path, optional
        A copy of the existing file. Systems that cannot swap two names need it to undo.
    """

    new: Path
    place: Path
    copy: Path | None = None

    def __post_init__(self) -> None:
        self._identity, self._replaces = identity(self.new), self.place.exists()

    def without_replacing(self) -> None:
        """Rename the file; raise FileExistsError if the name is taken."""
        rename_new(self.new, self.place)

    def replacing(self) -> Path | None:
        """Rename the file; return the new name of the replaced file, or None if there was none."""
        if exchange(self.new, self.place):
            return self.new
        self.replacing_anything()
        return None

    def replacing_anything(self) -> None:
        """Rename the file, and replace any other one."""
        os.replace(self.new, self.place)

    def undo(self) -> None:
        """Restore both names; safe at any step."""
        if identity(self.place) != self._identity:
            return  # it has not been renamed
        before = identity(self.new)
        if before == self._identity:
            self.place.unlink()  # a second link to the same file
        elif before is not None:
            exchange(self.new, self.place)
        elif self.copy is not None:
            self.place.rename(self.new)
            self.copy.rename(self.place)
        elif not self._replaces:
            self.place.rename(self.new)
