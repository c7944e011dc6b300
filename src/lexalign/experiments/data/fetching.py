"""Fetching the entries of the catalogue into the data folder.

A file is compared with the SHA-256 that stands beside it, else with that of the catalogue. If there
is neither, it is trusted on first use: its SHA-256 is written beside it, and from then on neither
the file nor what the server sends may differ from that.
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
    """A file in the data folder, where it came from, and what is known about it.

    ``sha256`` is that of what the server sent, which for a member is the archive; ``verified`` says
    whether it equals the one of the catalogue, and ``new`` whether the file was written just now.
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

    Arguments and defaults are those of ``fetch_files``. Returns the files that are there now.
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
    """Fetch inputs or groups of them, except for files that are there and have not changed.

    ``folder`` is by default that of ``default_folder``; ``mirror`` takes the place of scheme and
    host in every URL; ``accept_changed`` keeps what the server sends even if its checksum is not
    the expected one, which it replaces; ``entries`` is the catalogue, by default the package's.
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
    """What is the same for all files of a call."""

    folder: Path
    mirror: str | None
    accept_changed: bool
    progress: Progress

    def get(self, file: RemoteFile, entry: CatalogueEntry) -> list[FetchedFile]:
        """The file, or the members of the archive, after they were put into the folder."""
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
        """The SHA-256 of a file that is there, if it is as expected."""
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
        """Put what the server sends at ``path``, if it is as expected; its SHA-256."""
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
                    remedy=f"try again, {ELSEWHERE}, or, if you know that the publisher changed "
                    "the file, take it as it is (`accept_changed=True`)",
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
    """In what the content differs from what is expected at ``path``, if it does."""
    noted = read_note(path)
    expected = noted or file.sha256
    size = content.stat().st_size
    if noted is None and file.size is not None and size != file.size:
        return f"the file has {size:,} bytes and should have {file.size:,}"
    if expected is None or digest == expected:
        return None
    source = f"seen first, see {note_of(path)}" if noted else "known"
    return f"the file has the SHA-256 {digest} and not the one {source}, {expected}"
