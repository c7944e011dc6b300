"""What every request has to pass and every answer has to carry, around the whole service.

A page of another site can make a browser send requests to a local server. By changing the address
of its own name (DNS rebinding), it can even read the answers. Such requests name another host, so
they are rejected first.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]+)(:[0-9]{1,5})?", re.ASCII)

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-cache",
}


def allowed_hosts(host: str) -> tuple[str, ...]:
    """By which names a server that listens on ``host`` may be called.

    One that listens on all addresses may also be called by the name of this machine, and by any
    address: an address cannot be rebound.
    """
    if _is_unspecified(host):
        return (*LOOPBACK, socket.gethostname().lower(), "*")
    return (*LOOPBACK, f"[{host}]" if ":" in host else host.lower())


class Guard:
    """Lets requests to known hosts through, and puts the headers on all answers."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app, self._hosts = app, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or reject it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in HEADERS.items()
                        if name.encode() not in names
                    ),
                ]
            await send(message)

        problem = self._problem(scope)
        if problem is None:
            await self._app(scope, receive, sealed)
        else:
            await _refuse(*problem, sealed)

    def _problem(self, scope: Scope) -> tuple[int, str, str] | None:
        """The status, code and sentence for a request that came a strange way."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return 421, "bad-host", "This server does not answer to that name; use its address."
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        if any(origin.partition(b"://")[2] != hosts[0] for origin in origins):
            return 403, "bad-origin", "Requests of other pages are not answered."
        return None

    def _is_ours(self, header: bytes) -> bool:
        found = _HOST.fullmatch(header.decode("latin-1").lower())
        if found is None:
            return False
        return found[1] in self._hosts or ("*" in self._hosts and _is_address(found[1]))


async def _refuse(status: int, code: str, message: str, send: Any) -> None:
    error = {"error": {"code": code, "message": message, "suggestions": []}}
    body = json.dumps(error).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server on this address."""
    if host.lower() == "localhost":
        return True
    return _is_address(host) and ipaddress.ip_address(host.strip("[]")).is_loopback


def _is_unspecified(host: str) -> bool:
    return _is_address(host) and ipaddress.ip_address(host.strip("[]")).is_unspecified


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
