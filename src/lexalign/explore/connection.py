"""Connections that must send the whole header of a request in time.

Otherwise a program could open connections, never finish a request, and hold them forever.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0


class TimedConnection(H11Protocol):
    """A connection that is closed if a request has no whole header ``HEADER_SECONDS`` after it.

    The time starts when the connection is made, and again with the first byte of a further
    request. Between two requests the keep-alive time of uvicorn applies.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEADER_SECONDS, transport.close)

    def data_received(self, data: bytes) -> None:
        """Stop the time when the header is whole."""
        if self._deadline is None and self.conn.their_state is h11.IDLE:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.close)
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time."""
        self._stop()
        super().connection_lost(exc)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
