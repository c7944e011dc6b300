"""Taking named files out of a zip archive.

The catalogue says which members go where; what else an archive holds, and what its members claim to
be called, never becomes a path.
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
    """Refuse what is no zip archive, or lacks one of these members."""
    with _explained(remedy), ZipFile(archive) as opened:
        missing = sorted(members.keys() - opened.namelist())
    if missing:
        raise InputError(
            f"the archive has no file {missing[0]!r}, so it is not the published one",
            remedy=remedy,
        )


def extract(archive: Path, members: Mapping[str, str], folder: Path) -> dict[Path, bool]:
    """Put every member at its place in the folder, unless it is there with the same content.

    Returns for every file whether it had to be written.
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
    """Turn the many exceptions of a damaged archive into one."""
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
    """The checksum that zip archives keep of their members."""
    value = 0
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            value = zlib.crc32(block, value)
    return value
