"""``lexalign translate SOURCE TARGET WORD...``."""

from __future__ import annotations

from pathlib import Path

import click

from lexalign.cli.options import VECTORS, device_option, table_options


@click.command("translate")
@click.argument("source", type=VECTORS)
@click.argument("target", type=VECTORS)
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--file", "word_file", type=VECTORS, metavar="FILE", help="Words, one a line.")
@click.option("--all", "all_words", is_flag=True, help="Translate every word.")
@click.option("--mutual", is_flag=True, help="Only pairs that choose each other.")
@click.option(
    "--direction",
    type=click.Choice(["forward", "backward", "both"]),
    default="forward",
    show_default=True,
    help="From source to target, back, or both.",
)
@click.option("-k", "k", type=click.IntRange(1), help="Translations a word. [default: 5, --all: 1]")
@click.option(
    "--retrieval",
    type=click.Choice(["csls", "nn", "invsoftmax"]),
    default="csls",
    show_default=True,
    help="How candidates are scored.",
)
@click.option("--neighbours", type=click.IntRange(1), default=10, show_default=True)
@click.option("--min-margin", type=float, help="With --mutual: lead over the second choice.")
@click.option("--max-rank", type=click.IntRange(1), help="With --mutual: only so frequent words.")
@click.option("--limit", type=click.IntRange(1), default=200_000, show_default=True)
@click.option("--lowercase", is_flag=True, help="Put all words into lower case.")
@click.option("--output", type=VECTORS, metavar="FILE", help="Write a dictionary to this file.")
@click.option(
    "--format",
    "lexicon_format",
    type=click.Choice(["tsv", "muse", "xling", "vecmap"]),
    default="tsv",
    show_default=True,
    help="Of --output: tsv keeps the scores, the others hold the pairs alone.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@device_option
@table_options
def command(
    source: Path,
    target: Path,
    words: tuple[str, ...],
    word_file: Path | None,
    all_words: bool,
    mutual: bool,
    direction: str,
    k: int | None,
    retrieval: str,
    neighbours: int,
    min_margin: float | None,
    max_rank: int | None,
    limit: int,
    lowercase: bool,
    output: Path | None,
    lexicon_format: str,
    overwrite: bool,
    device: str,
    table_format: str,
    as_json: bool,
) -> None:
    """Translate words between SOURCE and TARGET, which lie in one space.

    Give words, a --file of them, or --all; --mutual induces the dictionary of all pairs that
    choose each other.
    """
    from lexalign.cli.progress import progress_for_humans
    from lexalign.cli.tables import show, show_json
    from lexalign.evaluate.dictionary import translate_files
    from lexalign.evaluate.tables import dictionary_table

    chosen = [bool(words), word_file is not None, all_words, mutual]
    if sum(chosen) != 1:
        raise click.UsageError("Give words, or one of --file, --all and --mutual.")
    if (min_margin is not None or max_rank is not None) and not mutual:
        raise click.UsageError("--min-margin and --max-rank belong to --mutual.")
    if mutual and direction != "forward":
        raise click.UsageError("Mutual pairs are the same in both directions; omit --direction.")
    found = translate_files(
        source,
        target,
        words=words,
        word_file=word_file,
        mutual=mutual,
        directions=("forward", "backward") if direction == "both" else (direction,),
        k=k or (1 if all_words else 5),
        retrieval=retrieval,
        neighbours=neighbours,
        min_margin=min_margin,
        max_rank=max_rank,
        limit=limit,
        lowercase=lowercase,
        device=device,
        progress=progress_for_humans(),
    )
    for sentence in found.unknown:
        click.echo(f"lexalign: {sentence}", err=True)
    if output is not None:
        found.lexicon.write(output, format=lexicon_format, overwrite=overwrite)
        click.echo(f"{output}: {len(found.lexicon):,} pairs", err=True)
    elif as_json:
        show_json([entry.as_dict() for entry in found.entries])
    else:
        show(dictionary_table(found), table_format)
    if not found.entries:
        raise click.exceptions.Exit(1)
