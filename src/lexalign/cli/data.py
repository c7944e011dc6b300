"""``lexalign data fetch`` and ``lexalign data list``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from lexalign.cli.completion import complete_inputs
from lexalign.cli.options import PATH
from lexalign.cli.printing import say, show, show_json, warn
from lexalign.cli.progress import progress_for_humans
from lexalign.cli.verbosity import is_quiet
from lexalign.experiments.data import (
    CatalogueEntry,
    FetchedFile,
    catalogue,
    default_folder,
    fetch_files,
)
from lexalign.experiments.data.data_folder import is_there
from lexalign.table import Cell, Column, Table

_UNITS = ("B", "kB", "MB", "GB")


def folder_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option of the data folder; the command receives ``folder``."""
    return click.option(
        "--folder",
        type=PATH,
        metavar="DIR",
        help="Data folder. [default: $LEXALIGN_DATA, otherwise a folder in your cache directory]",
    )(command)


@click.group("data")
def command() -> None:
    """Fetch the public inputs of the paper (needs the extra data).

    These are vectors, dictionaries and sentences under the licences of their publishers; 'lexalign
    data list' shows the licences.
    """


@command.command("fetch")
@click.argument(
    "names", nargs=-1, required=True, metavar="NAME ...", shell_complete=complete_inputs
)
@folder_option
@click.option(
    "--mirror",
    metavar="URL",
    help="Fetch from this server; it replaces scheme and host in all addresses.",
)
@click.option(
    "--accept-changed",
    is_flag=True,
    help="Keep a file even if its checksum has changed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def fetch(
    names: tuple[str, ...],
    folder: Path | None,
    mirror: str | None,
    accept_changed: bool,
    as_json: bool,
) -> None:
    """Fetch inputs by NAME (wiki.en, muse.en-de), or a whole group (muse).

    Unchanged files are not fetched again.
    """
    progress = progress_for_humans()
    try:
        fetched = fetch_files(
            names, folder, mirror=mirror, accept_changed=accept_changed, progress=progress
        )
    except KeyboardInterrupt:
        warn("interrupted; completed files stay in the folder.")
        raise click.exceptions.Exit(130) from None
    if sentence := _unverified_sentence(fetched):
        warn(sentence)
    if as_json:
        files = [file.as_dict() for file in fetched]
        show_json({"files": files, "seconds": progress.seconds})
    elif not is_quiet():
        show(_fetched_table(fetched), "terminal", compact=True)


@command.command("list")
@folder_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON with every file.")
def list_inputs(folder: Path | None, as_json: bool) -> None:
    """List the inputs: name, licence, size if known, and whether they are in the data folder."""
    entries, folder = catalogue(), folder or default_folder()
    if as_json:
        show_json(_catalogue_as_dicts(entries, folder))
        return
    show(_catalogue_table(entries, folder), "terminal")
    for sentence in _elsewhere_sentences(entries):
        say(sentence)


def bytes_in_units(value: Cell) -> str:
    """Format a number of bytes."""
    if value is None:
        return ""
    size, unit = float(value), 0
    while size >= 999.5 and unit + 1 < len(_UNITS):
        size, unit = size / 1_000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}"


def _catalogue_table(entries: Sequence[CatalogueEntry], folder: Path) -> Table:
    """One row per entry, and whether it is in the folder."""
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


def _elsewhere_sentences(entries: Sequence[CatalogueEntry]) -> list[str]:
    """Where to get inputs that cannot be fetched."""
    return [
        f"{entry.name} cannot be fetched by Lexalign; {entry.ask}."
        for entry in entries
        if not entry.files
    ]


def _catalogue_as_dicts(entries: Sequence[CatalogueEntry], folder: Path) -> list[dict[str, Any]]:
    """The catalogue for JSON, with every file."""
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


def _fetched_table(fetched: Sequence[FetchedFile]) -> Table:
    """One row per file: path, whether it is new, and how it was verified."""
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


def _unverified_sentence(fetched: Sequence[FetchedFile]) -> str | None:
    """Name the files without a known checksum, if there are any."""
    names = [file.path.name for file in fetched if not file.verified]
    if not names:
        return None
    return (
        f"not verified against a known checksum: {', '.join(names)}. Their checksums are now "
        "recorded in files that end in .sha256, and later fetches are compared with them."
    )
