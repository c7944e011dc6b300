"""Renaming that never replaces what it was not meant to replace.

``rename_new`` gives a file or folder a name that nothing has. ``exchange`` swaps two names in one
step, so that there is no moment at which one of them names nothing. It is a system call of Linux
(renameat2) and macOS (renamex_np); where the system or the file system has none, it says so.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

AT_FDCWD = -100
RENAME_EXCHANGE = 2
RENAME_SWAP = 2
NOT_SUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM)


def rename_new(source: Path, target: Path) -> None:
    """Rename a file or folder; FileExistsError if the target exists, unless it is an empty folder.

    The check and the renaming are one step, so of two processes only one succeeds.
    """
    if source.is_dir():
        try:
            source.rename(target)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise FileExistsError(errno.EEXIST, "it exists already", str(target)) from error
            raise
        return
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in (*NOT_SUPPORTED, errno.EMLINK):
            raise
        # A file system without hard links: an empty file reserves the name.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(source, target)
        return
    source.unlink()


def exchange(one: Path, other: Path) -> bool:
    """Swap the names of two files or folders in one step; False if the system cannot."""
    if sys.platform not in ("linux", "darwin"):
        return False
    library = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(first, second, RENAME_SWAP)
    else:
        return False
    if not failed:
        return True
    code = ctypes.get_errno()
    if code in NOT_SUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))
