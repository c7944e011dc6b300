"""What can be fetched, and what was, as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lexalign.experiments.data.catalogue import CatalogueEntry
from lexalign.experiments.data.fetching import FetchedFile
from lexalign.experiments.data.folder import is_there
from lexalign.table import Cell, Column, Table

_UNITS = ("B", "kB", "MB", "GB")


def bytes_in_units(value: Cell) -> str:
    """A number of bytes as people say it."""
    if value is None:
        return ""
    size, unit = float(value), 0
    while size >= 999.5 and unit + 1 < len(_UNITS):
        size, unit = size / 1_000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}"


def catalogue_table(entries: Sequence[CatalogueEntry], folder: Path) -> Table:
    """One row an entry, with whether it lies in the folder."""
    columns = [
        Column("name"),
        Column("what"),
        Column("licence"),
        Column("size", bytes_in_units, is_number=True),
        Column("there"),
    ]
    rows = [
        [entry.name, entry.what, entry.licence, entry.size, _place(entry, folder)]
        for entry in entries
    ]
    return Table(columns, rows, f"Public inputs; data folder {folder}")


def _place(entry: CatalogueEntry, folder: Path) -> str:
    return "" if not entry.files else "yes" if is_there(entry, folder) else "no"


def elsewhere_sentences(entries: Sequence[CatalogueEntry]) -> list[str]:
    """Where to ask for what cannot be fetched."""
    return [
        f"{entry.name} cannot be fetched by Lexalign; {entry.ask}."
        for entry in entries
        if not entry.files
    ]


def catalogue_as_dicts(entries: Sequence[CatalogueEntry], folder: Path) -> list[dict[str, Any]]:
    """The same for JSON, with every file."""
    return [
        {
            "name": entry.name,
            "what": entry.what,
            "licence": entry.licence,
            "size": entry.size,
            "there": is_there(entry, folder),
            "ask": entry.ask or None,
            "files": [
                {
                    "url": file.url,
                    "paths": [str(folder / path) for path in file.results],
                    "size": file.size,
                    "sha256": file.sha256,
                }
                for file in entry.files
            ],
        }
        for entry in entries
    ]


def fetched_table(fetched: Sequence[FetchedFile]) -> Table:
    """One row a file: where it is, whether it is new, and what vouches for it."""
    rows = [
        [
            str(file.path),
            "fetched" if file.new else "already there",
            "known" if file.verified else "first seen",
            file.licence,
        ]
        for file in fetched
    ]
    return Table([Column(name) for name in ("file", "state", "checksum", "licence")], rows)


def unverified_sentence(fetched: Sequence[FetchedFile]) -> str | None:
    """Which files no known checksum vouches for, if there are any."""
    names = [file.path.name for file in fetched if not file.verified]
    if not names:
        return None
    return (
        f"not verified against a known checksum: {', '.join(names)}. What was first seen is "
        "written down in files that end in .sha256, and is checked from now on."
    )
