"""Work in a separate process, which frees all of its memory at the end."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from lexalign.errors import LexalignError

SECONDS_TO_END = 2.0
_REPORT, _DONE, _FAILED = "report", "done", "failed"


class Background:
    """Calls ``function(*arguments, report)`` in a new process, and ``on_report`` with its reports.

    ``function`` is one that can be imported. ``outcome`` is None as long as it works, empty when it
    is done, and a sentence when it failed.
    """

    def __init__(
        self,
        function: Callable[..., None],
        *arguments: Any,
        on_report: Callable[[Any], None],
    ) -> None:
        context = get_context("spawn")
        self._ear, mouth = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_work, args=(mouth, function, arguments), daemon=True
        )
        self._on_report = on_report
        self.outcome: str | None = None
        with _deaf_to_interrupts():
            self._process.start()
        mouth.close()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def wait(self) -> None:
        """Wait for the end; raise LexalignError if it failed."""
        self._listener.join()
        if self.outcome:
            raise LexalignError(self.outcome)

    def stop(self) -> None:
        """Stop the process if it still runs."""
        for end in (self._process.terminate, self._process.kill):
            if self._process.is_alive():
                end()
                self._process.join(SECONDS_TO_END)
        self._listener.join(SECONDS_TO_END)

    def _listen(self) -> None:
        """Receive all reports at once: a process without a receiver would block."""
        outcome = None
        with self._ear, contextlib.suppress(EOFError):
            while True:
                kind, message = self._ear.recv()
                if kind == _REPORT:
                    self._on_report(message)
                else:
                    outcome = message
        if outcome is None:
            self._process.join(SECONDS_TO_END)
            code = self._process.exitcode
            outcome = f"The preparation ended early with code {code}; start the explorer again."
        self.outcome = outcome


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let a process that is started inside not hear Ctrl-C, which reaches all of a terminal."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: it hears it, and ends with the parent
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(mouth: Connection, function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """The body of the process."""
    signal.signal(signal.SIGTERM, _leave)
    with contextlib.suppress(BrokenPipeError):  # The explorer is gone, and so is the need.
        try:
            function(*arguments, lambda report: mouth.send((_REPORT, report)))
            mouth.send((_DONE, ""))
        except LexalignError as error:
            mouth.send((_FAILED, str(error)))
        except (MemoryError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            reason = f"{type(error).__name__}: {error}" if str(error) else "out of memory"
            mouth.send((_FAILED, f"The preparation failed ({reason})."))


def _leave(*_: Any) -> None:
    sys.exit(1)
