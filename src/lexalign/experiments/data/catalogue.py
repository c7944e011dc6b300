"""The entries of ``catalogue.toml``, and how names select them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from lexalign.errors import InputError


@dataclass(frozen=True)
class RemoteFile:
    """A file on a server, and its place in the data folder.

    ``path`` and the values of ``members`` are relative to the data folder. ``members`` maps the
    names of files in a zip archive to their places. ``sha256`` and ``size`` describe the file on
    the server, if known.
    """

    url: str
    path: str
    members: Mapping[str, str] = field(default_factory=dict)
    sha256: str | None = None
    size: int | None = None

    def __post_init__(self) -> None:
        for path in (self.path, *self.members.values()):
            _require_inside(path)

    @property
    def results(self) -> tuple[str, ...]:
        """The paths of the useful files: the file itself, or the extracted members."""
        return tuple(self.members.values()) or (self.path,)


@dataclass(frozen=True)
class CatalogueEntry:
    """An input by name; an entry without files says in ``ask`` how to get it."""

    name: str
    what: str
    licence: str
    files: Sequence[RemoteFile] = ()
    ask: str = ""

    @property
    def size(self) -> int | None:
        """The number of bytes to fetch, if it is known for every file."""
        sizes = [file.size for file in self.files if file.size is not None]
        return sum(sizes) if sizes and len(sizes) == len(self.files) else None


def catalogue() -> list[CatalogueEntry]:
    """All entries of the bundled catalogue."""
    text = files("lexalign.experiments.data").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return parse_catalogue(text)


def parse_catalogue(text: str) -> list[CatalogueEntry]:
    """Parse a catalogue; the head of ``catalogue.toml`` describes the format."""
    document = tomllib.loads(text)
    known = document.get("known", {})
    return [
        _entry(_filled(template, value), known)
        for template in document["input"]
        for value in template.get("each", [""])
    ]


def choose(names: Iterable[str], entries: Sequence[CatalogueEntry]) -> list[CatalogueEntry]:
    """Select entries by name or group: 'muse' selects 'muse.en-de' and all others of the group."""
    chosen = dict[str, CatalogueEntry]()
    for name in names:
        found = [entry for entry in entries if name in (entry.name, _group(entry))]
        if not found:
            raise InputError(f"there is no input {name!r}", remedy=_suggestion(name, entries))
        chosen.update((entry.name, entry) for entry in found)
    return list(chosen.values())


def _group(entry: CatalogueEntry) -> str:
    return entry.name.partition(".")[0]


def _suggestion(name: str, entries: Sequence[CatalogueEntry]) -> str:
    known = dict.fromkeys([*map(_group, entries), *(entry.name for entry in entries)])
    close = get_close_matches(name.lower(), known, n=3)
    if close:
        return f"did you mean {' or '.join(map(repr, close))}? 'lexalign data list' shows all"
    return "'lexalign data list' shows all"


def _filled(template: Any, value: str) -> Any:
    """The entry with ``value`` in place of ``{}`` in every text."""
    if isinstance(template, str):
        return template.replace("{}", value)
    if isinstance(template, dict):
        return {_filled(key, value): _filled(part, value) for key, part in template.items()}
    if isinstance(template, list):
        return [_filled(part, value) for part in template]
    return template


def _entry(table: Mapping[str, Any], known: Mapping[str, Any]) -> CatalogueEntry:
    return CatalogueEntry(
        name=table["name"],
        what=table["what"],
        licence=table["licence"],
        files=[RemoteFile(**one, **known.get(one["path"], {})) for one in table.get("file", [])],
        ask=table.get("ask", ""),
    )


def _require_inside(path: str) -> None:
    parts = PurePosixPath(path)
    if not parts.parts or parts.is_absolute() or ".." in parts.parts or "\\" in path:
        raise InputError(
            f"the catalogue puts a file at {path!r}, outside the data folder",
            remedy="use a path inside it",
        )
