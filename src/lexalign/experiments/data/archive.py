"""Extract named files from a zip archive.

The catalogue sets the path of each extracted file. Names inside the archive never become paths.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from lexalign.atomic import atomic_file
from lexalign.errors import InputError, about
from lexalign.experiments.data.data_folder import make_folder, note_of

_DAMAGE = (BadZipFile, EOFError, RuntimeError, zlib.error)  # RuntimeError: it is encrypted
_CHUNK = 1 << 20


def require_members(archive: Path, members: Mapping[str, str], remedy: str) -> None:
    """Raise if the file is not a zip archive, or lacks one of these members."""
    with _explained(remedy), ZipFile(archive) as opened:
        missing = sorted(members.keys() - opened.namelist())
    if missing:
        raise InputError(
            f"the archive lacks the file {missing[0]!r}, so it is not the published archive",
            remedy=remedy,
        )


def extract(archive: Path, members: Mapping[str, str], folder: Path) -> dict[Path, bool]:
    """Extract every member to its place in the folder, unless the same content exists there.

    Returns for each file whether it was written.
    """
    remedy = f"delete it and {note_of(archive).name}, and fetch it again"
    with about(archive):
        require_members(archive, members, remedy)
        with _explained(remedy), ZipFile(archive) as opened:
            return {
                folder / place: _put(opened, opened.getinfo(name), folder / place)
                for name, place in members.items()
            }


@contextmanager
def _explained(remedy: str) -> Iterator[None]:
    """Convert the exceptions of a damaged archive into one error."""
    try:
        yield
    except _DAMAGE as error:
        raise InputError(f"the archive cannot be read ({error})", remedy=remedy) from error


def _put(opened: ZipFile, member: ZipInfo, path: Path) -> bool:
    if path.is_file() and path.stat().st_size == member.file_size and _crc(path) == member.CRC:
        return False
    make_folder(path.parent)
    with (
        atomic_file(path, overwrite=True) as temporary,
        opened.open(member) as source,
        temporary.open("wb") as target,
    ):
        shutil.copyfileobj(source, target, _CHUNK)
    return True


def _crc(path: Path) -> int:
    """The checksum of a member in the zip archive."""
    value = 0
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            value = zlib.crc32(block, value)
    return value
