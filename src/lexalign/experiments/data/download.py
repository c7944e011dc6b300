"""Download one file, or explain in a sentence why it failed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from lexalign.errors import InputError, OutputError
from lexalign.libraries import load
from lexalign.progress import Advance, Stage, unseen

CHUNK = 1 << 18
SECONDS_TO_WAIT = 30
ELSEWHERE = "name another server that has the file (`mirror`)"


def require_packages() -> None:
    """Raise if the package for downloads is missing."""
    _pooch()


def mirrored(url: str, mirror: str | None) -> str:
    """The address of the same file on another server: scheme and host change, the path stays.

    The path of the mirror precedes the path of the file.
    """
    if not mirror:
        return url
    parts = urlsplit(mirror)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise InputError(
            f"{mirror!r} is not the address of a mirror",
            remedy="write it like https://mirror.example or http://localhost:8000/folder",
        )
    path = parts.path.rstrip("/") + urlsplit(url).path
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def download(url: str, path: Path, stage: Stage) -> None:
    """Download ``url`` to ``path`` completely, or raise an error.

    The ``stage`` counts bytes; its total is the size that the server announces.

    After an error, ``path`` may hold a part of the file, so pass a temporary file.
    """
    meter = _Meter(path, stage)
    downloader = _pooch().HTTPDownloader(
        progressbar=meter,
        chunk_size=CHUNK,
        timeout=SECONDS_TO_WAIT,
        headers={"Accept-Encoding": "identity"},  # so that the announced length is that of the file
    )
    with _explained(url, meter):
        downloader(url, str(path), None)
    if _is_web_page(path):
        raise InputError(
            "the server sent a web page instead of the file",
            path=url,
            remedy=f"check whether your network asks for a login, or {ELSEWHERE}",
        )


def _is_web_page(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(512).lstrip().lower().startswith((b"<!doctype html", b"<html"))


class _Meter:
    """The progress bar of pooch: pooch sets ``total``, then updates, resets and closes it.

    The server announces the total before anything is written, so it also shows whether the file
    fits on the disk.
    """

    def __init__(self, path: Path, stage: Stage) -> None:
        self._path, self._stage = path, stage
        self._advance: Advance = stage
        self.has_begun = False

    @property
    def total(self) -> int:
        return self._total

    @total.setter
    def total(self, announced: int) -> None:
        self._total, self.has_begun = announced, True
        if announced:
            self._stage.expect(announced)
        free = shutil.disk_usage(self._path.parent).free
        if announced > free:
            raise OutputError(
                f"{self._path.parent}: the file has {announced:,} bytes, but the disk has room "
                f"for {free:,}; free some space or choose another data folder (`folder`)."
            )

    def update(self, units: int) -> None:
        self._advance(units)

    def reset(self) -> None:
        """All is written; ignore later updates of pooch, which would count bytes twice."""
        self._advance = unseen

    def close(self) -> None:
        pass


@contextmanager
def _explained(url: str, meter: _Meter) -> Iterator[None]:
    """Convert the exceptions of requests into a sentence about the URL."""
    import requests

    try:
        yield
    except requests.HTTPError as error:
        status = f"{error.response.status_code} {error.response.reason}".strip()
        if error.response.status_code >= 500:
            problem, remedy = f"the server failed ({status})", f"try again later, or {ELSEWHERE}"
        else:
            problem, remedy = f"the server does not give the file ({status})", ELSEWHERE
        raise InputError(problem, path=url, remedy=remedy) from error
    except requests.RequestException as error:
        if meter.has_begun:
            raise InputError(
                "the connection broke off before the end, and the part was deleted",
                path=url,
                remedy=f"try again, or {ELSEWHERE}",
            ) from error
        raise InputError(
            f"the server cannot be reached ({_cause(error)})",
            path=url,
            remedy=f"check the network and the proxy settings, or {ELSEWHERE}",
        ) from error


def _cause(error: BaseException) -> str:
    """The reason of the operating system, below all layers; otherwise the kind of exception."""
    below: BaseException | None = error
    while below is not None:
        if isinstance(below, OSError) and below.strerror:
            return below.strerror
        below = below.__cause__ or below.__context__
    return type(error).__name__


def _pooch() -> Any:
    return load("pooch", feature="Fetching data", extra="data")
