"""Start listening, say where, and stop cleanly when asked to."""

from __future__ import annotations

import errno
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from lexalign.errors import LexalignError
from lexalign.explore.explorer import Explorer, open_explorer
from lexalign.explore.guard import allowed_hosts
from lexalign.explore.service import make_service, require_web_packages
from lexalign.progress import Progress
from lexalign.vectors import FREQUENT_WORDS

if TYPE_CHECKING:
    import uvicorn

HOST, PORT = "127.0.0.1", 8765
SECONDS_TO_FINISH = 5


def serve(
    folders: Path | Sequence[Path],
    *,
    host: str = HOST,
    port: int | None = None,
    limit: int = FREQUENT_WORDS,
    cache: Path | None = None,
    names: tuple[str, str] | None = None,
    ranking: str = "auto",
    progress: Progress | None = None,
    announce: Callable[[str, Explorer], None] | None = None,
) -> None:
    """Serve the page of a run, or of several side by side, until the process is interrupted.

    Each run keeps what is worked out in its own folder. ``port`` None means 8765 or, if that is
    taken, any free one; 0 means any free one. ``announce`` is called with the address and the first
    run as soon as the page answers. ``ranking`` is that of ``open_explorer``.
    """
    require_web_packages()
    import uvicorn
    from threadpoolctl import threadpool_limits

    from lexalign.explore.connection import TimedConnection

    with (
        threadpool_limits(1, "blas"),  # Searches have threads of their own.
        listening(host, port) as listener,
        ExitStack() as stack,
    ):
        explorers = [
            stack.enter_context(
                open_explorer(
                    folder,
                    limit=limit,
                    cache=cache,
                    names=names,
                    ranking=ranking,
                    progress=progress,
                )
            )
            for folder in ([folders] if isinstance(folders, Path) else folders)
        ]
        config = uvicorn.Config(
            make_service(explorers, allowed_hosts(host)),
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            http=TimedConnection,
            ws="none",
            timeout_graceful_shutdown=SECONDS_TO_FINISH,
        )
        server = uvicorn.Server(config)
        with _ended_by_signals(server):
            if announce is not None:
                announce(address_of(listener), explorers[0])
            server.run(sockets=[listener])


def listening(host: str, port: int | None) -> socket.socket:
    """A socket that listens on ``host``."""
    try:
        return _bound(host, PORT if port is None else port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE and port is None:
            return _bound(host, 0)
        if error.errno == errno.EADDRINUSE:
            raise LexalignError(
                f"The port {port} is taken; choose another (`port`), or 0 for any that is free."
            ) from error
        raise LexalignError(
            f"It is not possible to listen on {host!r}, port {port or PORT} "
            f"({error.strerror or error}); choose another address (`host`) or port (`port`)."
        ) from error


def address_of(listener: socket.socket) -> str:
    """The address of the page."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Ctrl-C and SIGTERM end ``server`` from now on.

    It listens to them itself only once it runs, and until then a KeyboardInterrupt that happens to
    be raised in a destructor would be lost. It also raises them again at its end.
    """

    def end(number: int, frame: FrameType | None) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _bound(host: str, port: int) -> socket.socket:
    family, _, _, _, address = socket.getaddrinfo(
        host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener
