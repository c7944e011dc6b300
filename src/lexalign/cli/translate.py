"""``lexalign translate SOURCE TARGET WORD...``."""

from __future__ import annotations

from pathlib import Path

import click

from lexalign.cli.options import PATH, device_option, table_options


@click.command("translate")
@click.argument("arguments", nargs=-1, required=True, metavar="SOURCE TARGET [WORD]...")
@click.option("--file", "word_file", type=PATH, metavar="FILE", help="Words, one a line.")
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
@click.option(
    "--neighbours", type=click.IntRange(1), default=10, show_default=True, help="The k of CSLS."
)
@click.option(
    "--beta", type=float, default=30.0, show_default=True, help="Inverse temperature of invsoftmax."
)
@click.option("--max-rank", type=click.IntRange(1), help="With --mutual: only so frequent words.")
@click.option(
    "--min-margin",
    type=float,
    help="With --mutual: by how much a pair beats the second choice among these.",
)
@click.option("--limit", type=click.IntRange(1), default=200_000, show_default=True)
@click.option("--lowercase", is_flag=True, help="Put all words into lower case.")
@click.option("--output", type=PATH, metavar="FILE", help="Write a dictionary to this file.")
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
    arguments: tuple[str, ...],
    word_file: Path | None,
    all_words: bool,
    mutual: bool,
    direction: str,
    k: int | None,
    retrieval: str,
    neighbours: int,
    beta: float,
    max_rank: int | None,
    min_margin: float | None,
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
    choose each other. Instead of SOURCE and TARGET, name a folder that Lexalign wrote.
    """
    from lexalign.atomic import require_writable
    from lexalign.cli.evaluation_tables import dictionary_table
    from lexalign.cli.printing import show, show_json
    from lexalign.cli.progress import progress_for_humans
    from lexalign.pipelines.translate import mutual_dictionary, translated
    from lexalign.retrieval.translator import Translator
    from lexalign.runs import aligned_pairs, is_run
    from lexalign.vectors import Policy
    from lexalign.vectors.word_lists import read_words

    paths = 1 if is_run(Path(arguments[0])) else 2
    (pair,), words = aligned_pairs([Path(name) for name in arguments[:paths]]), arguments[paths:]
    if sum((bool(words), word_file is not None, all_words, mutual)) != 1:
        raise click.UsageError("Give words or --file or --all or --mutual, and only one of them.")
    if (min_margin is not None or max_rank is not None) and not mutual:
        raise click.UsageError("--min-margin and --max-rank belong to --mutual.")
    if mutual and (direction != "forward" or k is not None):
        raise click.UsageError(
            "--mutual gives one pair for both directions: no --direction, no -k."
        )
    if output is None and (overwrite or lexicon_format != "tsv"):
        raise click.UsageError("--format and --overwrite belong to --output.")
    if output is not None:
        require_writable(output, overwrite=overwrite)
    asked = list(words) if word_file is None else read_words(word_file)
    progress = progress_for_humans()
    source, target = pair.read(Policy(lowercase=lowercase), limit=limit, progress=progress)
    translator = Translator(
        source=source,
        target=target,
        retrieval=retrieval,
        neighbours=neighbours,
        beta=beta,
        device=device,
    )
    with progress.stage("translating"):
        if mutual:
            found = mutual_dictionary(translator, max_rank=max_rank, min_margin=min_margin)
        else:
            found = translated(
                translator,
                None if all_words else [word.lower() if lowercase else word for word in asked],
                direction=direction,
                k=k or (1 if all_words else 5),
            )
    for sentence in found.unknown:
        click.echo(f"lexalign: {sentence}", err=True)
    if not found.entries:
        if mutual:
            click.echo(
                "lexalign: no pair is mutual; lower --min-margin or raise --max-rank.", err=True
            )
        raise click.exceptions.Exit(1)
    if output is not None:
        lexicon = found.lexicon.writable(lexicon_format)
        lexicon.write(output, format=lexicon_format, overwrite=overwrite)
        left_out = len(found.lexicon) - len(lexicon)
        reason = f"; {left_out:,} left out that this format cannot hold" if left_out else ""
        click.echo(f"{output}: {len(lexicon):,} pairs{reason}", err=True)
    elif as_json:
        show_json([entry.as_dict() for entry in found.entries])
    else:
        show(dictionary_table(found, "margin" if mutual else "score"), table_format)
