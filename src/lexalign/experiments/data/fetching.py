"""Fetch entries of the catalogue into the data folder.

A file is compared with the SHA-256 recorded beside it, otherwise with that of the catalogue. If
there is neither, the first download is trusted. Its SHA-256 is recorded beside it, and later files
and downloads must match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexalign.atomic import atomic_file, put_right
from lexalign.digests import sha256
from lexalign.errors import InputError, about
from lexalign.experiments.data.archive import extract, require_members
from lexalign.experiments.data.catalogue import CatalogueEntry, RemoteFile, catalogue, choose
from lexalign.experiments.data.data_folder import (
    default_folder,
    make_folder,
    note_of,
    read_note,
    write_note,
)
from lexalign.experiments.data.download import ELSEWHERE, download, mirrored, require_packages
from lexalign.progress import Progress


@dataclass(frozen=True)
class FetchedFile:
    """A file in the data folder, its origin, and how it was verified.

    ``sha256`` is the digest of the download; for a member, that is the archive. ``verified`` tells
    whether it equals the digest in the catalogue, and ``new`` whether the file was just written.
    """

    path: Path
    url: str
    licence: str
    new: bool
    verified: bool
    sha256: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**vars(self), "path": str(self.path)}


def fetch(
    name: str,
    folder: str | Path | None = None,
    *,
    mirror: str | None = None,
    accept_changed: bool = False,
    progress: Progress | None = None,
) -> list[Path]:
    """Fetch one input, such as 'muse.en-de', or a group of them, such as 'muse'.

    Arguments and defaults are those of ``fetch_files``. Returns the files.
    """
    fetched = fetch_files(
        [name], folder, mirror=mirror, accept_changed=accept_changed, progress=progress
    )
    return [file.path for file in fetched]


def fetch_files(
    names: Sequence[str],
    folder: str | Path | None = None,
    *,
    mirror: str | None = None,
    accept_changed: bool = False,
    entries: Sequence[CatalogueEntry] | None = None,
    progress: Progress | None = None,
) -> list[FetchedFile]:
    """Fetch inputs or groups of inputs, except files that exist and have not changed.

    ``folder`` defaults to ``default_folder``. ``mirror`` replaces scheme and host in every URL.
    ``accept_changed`` keeps a download with another checksum and records that checksum. ``entries``
    is the catalogue, by default the bundled one.
    """
    chosen = choose(names, catalogue() if entries is None else entries)
    for entry in chosen:
        if not entry.files:
            raise InputError(f"{entry.name} cannot be fetched by Lexalign", remedy=entry.ask)
    require_packages()
    fetcher = _Fetcher(
        Path(folder) if folder is not None else default_folder(),
        mirror,
        accept_changed,
        progress or Progress(),
    )
    return [
        fetched for entry in chosen for file in entry.files for fetched in fetcher.get(file, entry)
    ]


@dataclass(frozen=True)
class _Fetcher:
    """The shared settings of all files of a call."""

    folder: Path
    mirror: str | None
    accept_changed: bool
    progress: Progress

    def get(self, file: RemoteFile, entry: CatalogueEntry) -> list[FetchedFile]:
        """Fetch the file, or extract the members of the archive, into the folder."""
        path, url = self.folder / file.path, mirrored(file.url, self.mirror)
        for place in {path, note_of(path), *(self.folder / name for name in file.results)}:
            put_right(place)
        known = self._checked(path, file)
        digest = known or self._download(url, path, file)
        new = {path: known is None}
        if file.members:
            with self.progress.stage(f"unpacking {path.name}"):
                new = extract(path, file.members, self.folder)
        verified = digest == file.sha256
        return [
            FetchedFile(result, url, entry.licence, is_new, verified, digest)
            for result, is_new in new.items()
        ]

    def _checked(self, path: Path, file: RemoteFile) -> str | None:
        """The SHA-256 of an existing file, if it is the expected one."""
        if not path.is_file():
            return None
        with self.progress.stage(
            f"checking {path.name}", total=path.stat().st_size, unit="bytes"
        ) as stage:
            digest = sha256(path, stage)
        if _difference(path, path, digest, file):
            return None
        if digest != file.sha256 and not note_of(path).is_file():
            write_note(path, digest)
        return digest

    def _download(self, url: str, path: Path, file: RemoteFile) -> str:
        """Download to ``path``, if the content is the expected one; return its SHA-256."""
        make_folder(path.parent)
        with atomic_file(path, overwrite=True) as temporary:
            with self.progress.stage(
                f"fetching {path.name}", total=file.size, unit="bytes"
            ) as stage:
                download(url, temporary, stage)
                digest = sha256(temporary)
            difference = _difference(temporary, path, digest, file)
            if difference and not self.accept_changed:
                raise InputError(
                    difference,
                    path=url,
                    remedy=f"try again, {ELSEWHERE}, or accept the new content if you know that "
                    "the publisher changed it (`accept_changed=True`)",
                )
            if file.members:
                with about(url):
                    require_members(temporary, file.members, ELSEWHERE)
        if digest == file.sha256:
            note_of(path).unlink(missing_ok=True)
        else:
            write_note(path, digest)
        return digest


def _difference(content: Path, path: Path, digest: str, file: RemoteFile) -> str | None:
    """How the content differs from the expected content of ``path``; None if it does not."""
    noted = read_note(path)
    expected = noted or file.sha256
    size = content.stat().st_size
    if noted is None and file.size is not None and size != file.size:
        return f"the file has {size:,} bytes, expected {file.size:,}"
    if expected is None or digest == expected:
        return None
    source = f"recorded in {note_of(path)}" if noted else "from the catalogue"
    return f"the file has the SHA-256 {digest}, expected {expected} ({source})"
