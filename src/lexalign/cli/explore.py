"""``lexalign explore DIR``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lexalign.cli.options import LIKE_FILES, PATH, limit_option, names_option, ranking_option

if TYPE_CHECKING:
    from lexalign.explore import Explorer

MOST_RUNS = 2


@click.command("explore")
@click.argument("folders", type=PATH, metavar="DIR [DIR]", nargs=-1, required=True)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    help="Port of the page; 0: any free port. [default: 8765, or a free one if it is taken]",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address to listen on; any other than the default opens the page to other machines.",
)
@limit_option("Take the N most frequent words of each side.")
@click.option(
    "--cache",
    type=PATH,
    metavar="FOLDER",
    help="Folder for prepared data. [default: .explore in DIR]",
)
@names_option(LIKE_FILES)
@ranking_option()
@click.option("--open", "in_browser", is_flag=True, help="Open the page in the browser.")
def command(
    folders: tuple[Path, ...],
    port: int | None,
    host: str,
    limit: int,
    cache: Path | None,
    names: tuple[str, str] | None,
    ranking: str,
    in_browser: bool,
) -> None:
    """Explore DIR, a run of 'align', 'refine' or 'induce', in a browser.

    A local page shows the translations of a word before and after refinement, or by a learned
    ranking, and its nearest neighbours. It also checks dictionaries, and lets you review an induced
    dictionary. Two folders appear side by side. Ctrl-C stops the server.
    """
    from lexalign.cli.printing import say, warn
    from lexalign.cli.progress import progress_for_humans
    from lexalign.explore import serve
    from lexalign.explore.guard import is_loopback

    if len(folders) > MOST_RUNS:
        raise click.UsageError(f"name one folder, or {MOST_RUNS} to compare")
    if not is_loopback(host):
        warn(
            f"listening on {host}: everyone in your network can read these vectors; there is "
            "no password and no encryption."
        )

    def announce(address: str, explorer: Explorer) -> None:
        if explorer.temporary:
            warn(
                f"{explorer.run.path} cannot be written, so prepared data are not kept; name "
                "a folder for them with --cache."
            )
        shown = " and ".join(map(str, folders))
        say(f"Exploring {shown} at {address} (Ctrl-C stops the server)")
        if in_browser:
            click.launch(address)

    serve(
        folders,
        host=host,
        port=port,
        limit=limit,
        cache=cache,
        names=names,
        ranking=ranking,
        progress=progress_for_humans(),
        announce=announce,
    )
