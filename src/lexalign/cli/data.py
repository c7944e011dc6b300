"""``lexalign data fetch`` and ``lexalign data list``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from lexalign.cli.options import PATH
from lexalign.experiments.data import catalogue, default_folder, fetch_files


def folder_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the data lies; the command receives ``folder``."""
    return click.option(
        "--folder",
        type=PATH,
        metavar="DIR",
        help="Data folder. [default: $LEXALIGN_DATA, else a folder in the user's cache]",
    )(command)


@click.group("data")
def command() -> None:
    """Fetch the public inputs of the paper (needs the extra data).

    They are vectors, dictionaries and sentences that others publish under licences of their own,
    which 'lexalign data list' shows.
    """


@command.command("fetch")
@click.argument("names", nargs=-1, required=True, metavar="NAME ...")
@folder_option
@click.option(
    "--mirror",
    metavar="URL",
    help="Fetch from this server: takes the place of scheme and host in all addresses.",
)
@click.option(
    "--accept-changed",
    is_flag=True,
    help="Keep what the server sends even if its checksum is not the expected one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def fetch(
    names: tuple[str, ...],
    folder: Path | None,
    mirror: str | None,
    accept_changed: bool,
    as_json: bool,
) -> None:
    """Fetch inputs by NAME, such as wiki.en or muse.en-de, or whole groups, such as muse.

    Files that are there and have not changed are not fetched again.
    """
    from lexalign.cli.data_tables import fetched_table, unverified_sentence
    from lexalign.cli.printing import show, show_json
    from lexalign.cli.progress import progress_for_humans

    progress = progress_for_humans()
    try:
        fetched = fetch_files(
            names, folder, mirror=mirror, accept_changed=accept_changed, progress=progress
        )
    except KeyboardInterrupt:
        click.echo(
            "lexalign: interrupted; files that were fetched before are whole and stay.", err=True
        )
        raise click.exceptions.Exit(130) from None
    if sentence := unverified_sentence(fetched):
        click.echo(f"lexalign: {sentence}", err=True)
    if as_json:
        files = [file.as_dict() for file in fetched]
        show_json({"files": files, "seconds": progress.seconds})
    else:
        show(fetched_table(fetched), "terminal", compact=True)


@command.command("list")
@folder_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every file.")
def list_inputs(folder: Path | None, as_json: bool) -> None:
    """List what can be fetched: name, licence, size where it is known, and whether it is there."""
    from lexalign.cli.data_tables import catalogue_as_dicts, catalogue_table, elsewhere_sentences
    from lexalign.cli.printing import show, show_json

    entries, folder = catalogue(), folder or default_folder()
    if as_json:
        show_json(catalogue_as_dicts(entries, folder))
        return
    show(catalogue_table(entries, folder), "terminal")
    for sentence in elsewhere_sentences(entries):
        click.echo(sentence)
