"""Locks on files and folders; the system lets them go when the process that holds them ends.

Linux and macOS have them, on most file systems. Windows has none of this kind, and some network
drives have none at all. There ``lock`` raises LockingUnsupportedError, and callers do without.
"""

from __future__ import annotations

import errno
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


class LockingUnsupportedError(OSError):
    """The system or the file system has no locks."""


def has_locks() -> bool:
    """Whether the system has locks; a file system may have none nevertheless."""
    return fcntl is not None


def lock(opened: IO[str] | int, *, shared: bool = False, wait: bool = True) -> None:
    """Lock an open file or folder until it is closed.

    Parameters
    ----------
    opened : file or int
        The file, or its descriptor.
    shared : bool
        Whether other processes may hold a shared lock at the same time.
    wait : bool
        Whether to wait until other processes let it go.

    Raises
    ------
    BlockingIOError
        If another process holds it, and this one does not wait.
    LockingUnsupportedError
        If there are no locks.
    """
    if not has_locks():
        raise LockingUnsupportedError(errno.ENOTSUP, "this system has no locks")
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(opened, kind if wait else kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            raise BlockingIOError(error.errno, error.strerror) from error
        raise LockingUnsupportedError(error.errno, error.strerror) from error
