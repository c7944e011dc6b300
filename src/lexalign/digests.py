"""SHA-256 digests of files and folders; runs record their inputs by them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from lexalign.progress import Advance, Progress, unseen

_HASHED_AT_ONCE = 1 << 20


def sha256(path: Path, advance: Advance = unseen) -> str:
    """Return the SHA-256 of a file, or of all files in a folder with their names, as hexadecimal.

    ``advance`` receives the number of bytes of each block.
    """
    if path.is_dir():
        digest = hashlib.sha256()
        for child in sorted(path.rglob("*")):
            if child.is_file():
                digest.update(
                    f"{child.relative_to(path).as_posix()} {sha256(child, advance)}\n".encode()
                )
        return digest.hexdigest()
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while part := file.read(_HASHED_AT_ONCE):
            digest.update(part)
            advance(len(part))
        return digest.hexdigest()


def digest_of_input(name: str, path: Path, progress: Progress) -> str:
    """The SHA-256 of an input of a run, with progress: large files take seconds."""
    files = path.rglob("*") if path.is_dir() else [path]
    size = sum(file.stat().st_size for file in files if file.is_file())
    with progress.stage(f"hashing {name}", total=size, unit="bytes") as stage:
        return sha256(path, stage)
