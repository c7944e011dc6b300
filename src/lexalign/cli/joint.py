"""``lexalign align joint --source-corpus A --target-corpus B --output DIR``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from lexalign.aligners import ALIGNERS, Aligner
from lexalign.cli.options import PATH, output_options, parameter_option, retry_options
from lexalign.cli.train import show_inspection, training_options
from lexalign.cli.wording import option_name
from lexalign.errors import LexalignError, ParameterError
from lexalign.parameters import parameters_of, parse_settings
from lexalign.training import LANGUAGE, Trainer
from lexalign.training.joint import PRESETS, REMEDIES, THRESHOLD


@click.command("joint", short_help="Train on two corpora together, then align.")
@click.option("--source-corpus", multiple=True, type=PATH, help="Source text; repeatable.")
@click.option("--target-corpus", multiple=True, type=PATH, help="Target text; repeatable.")
@click.option(
    "--joint",
    "vectors",
    type=PATH,
    help="Use these jointly trained vectors instead of text, with both files of counts.",
)
@click.option(
    "--source-counts",
    type=PATH,
    help="Word counts of the source for --joint: a word and its count per line.",
)
@click.option("--target-counts", type=PATH, help="Word counts of the target for --joint.")
@click.option(
    "--preset",
    type=click.Choice(tuple(PRESETS)),
    help="A published pipeline; it sets the aligner.",
)
@click.option(
    "--aligner",
    "name",
    type=click.Choice(tuple(ALIGNERS)),
    help="Aligner for the words of each language.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the aligner, such as device=cuda; repeatable.",
)
@click.option("--lexicon", type=PATH, help="Seed lexicon, if the aligner needs one.")
@parameter_option("threshold", THRESHOLD)
@training_options
@parameter_option("source_language", LANGUAGE)
@parameter_option("target_language", LANGUAGE)
@retry_options
@output_options
def joint(
    source_corpus: tuple[Path, ...],
    target_corpus: tuple[Path, ...],
    vectors: Path | None,
    source_counts: Path | None,
    target_counts: Path | None,
    preset: str | None,
    name: str | None,
    settings: tuple[str, ...],
    lexicon: Path | None,
    threshold: float,
    rule: str,
    keep_case: bool,
    source_language: str,
    target_language: str,
    checkpoint: str,
    restarts: int,
    fallback: bool,
    strict: bool,
    output: Path,
    output_format: str,
    overwrite: bool,
    as_json: bool,
    **training: Any,
) -> None:
    """Train on two corpora at once, assign words to languages, and align the words that are not
    shared.

    Both languages are trained as one balanced stream, with one vocabulary and without a dictionary.
    Each word is then assigned to the language that holds most of its mass. Words that both
    languages use stay shared, with one vector. An aligner aligns the other words, with or without a
    lexicon, and all words are merged.

    DIR also receives the joint vectors and the counts. To try another threshold or aligner without
    training, use --joint DIR/joint.vec, --source-counts DIR/source.counts.tsv and --target-counts
    DIR/target.counts.tsv.

    Source: Wang et al. 2020, "Cross-lingual Alignment vs Joint Training".
    """
    from lexalign.aligners.retries import Retries
    from lexalign.cli.alignment_table import alignment_table, warn_about_alignment
    from lexalign.cli.printing import show_json
    from lexalign.cli.progress import progress_for_humans
    from lexalign.pipelines.joint import FileJointAlignment

    trained = vectors, source_counts, target_counts
    text = source_corpus, target_corpus
    if not (all(text) and not any(trained)) and not (all(trained) and not any(text)):
        raise click.UsageError(
            "Give --source-corpus and --target-corpus, or --joint with --source-counts and "
            "--target-counts."
        )
    if any(trained):
        _refuse_training_options()
    if (preset is None) == (name is None):
        raise click.UsageError("Choose either --aligner or --preset.")
    aligner = _configured(
        name or PRESETS[str(preset)], settings, training["seed"], training["device"], checkpoint
    )
    work = FileJointAlignment(
        aligner=aligner,
        threshold=threshold,
        lexicon=lexicon,
        keep_case=keep_case,
        output_format=output_format,
        overwrite=overwrite,
        retries=Retries(restarts=restarts, fallback=fallback, strict=strict, remedies=REMEDIES),
        progress=progress_for_humans(),
    )
    if vectors and source_counts and target_counts:
        summary = work.from_vectors(vectors, source_counts, target_counts, output)
    else:
        summary = work.from_text(
            *text,
            Trainer(**training),
            output,
            rule=rule,
            source_language=source_language,
            target_language=target_language,
            checkpoints=checkpoint,
            report=show_inspection,
        )
    if as_json:
        show_json(summary)
    else:
        alignment_table(summary)
    warn_about_alignment(summary)


def _refuse_training_options() -> None:
    """Raise if options of training are given without text, where they have no effect."""
    context = click.get_current_context()
    for name in ("rule", "source_language", "target_language", *parameters_of(Trainer)):
        given = context.get_parameter_source(name)
        if name not in ("seed", "device") and given is not ParameterSource.DEFAULT:
            raise click.UsageError(
                f"{option_name(name)} concerns training; leave it out with --joint."
            )


def _configured(
    name: str, settings: tuple[str, ...], seed: int, device: str, checkpoint: str
) -> Aligner:
    """The aligner with the settings NAME=VALUE; the other values are the shared ones."""
    kind = ALIGNERS[name]
    shared: dict[str, Any] = {"seed": seed, "device": device, "checkpoint": checkpoint}
    chosen = {key: value for key, value in shared.items() if key in parameters_of(kind)}
    try:
        chosen |= parse_settings(kind, settings)
    except ParameterError as error:
        raise click.UsageError(f"--set {error}") from error
    try:
        return kind(**chosen)
    except ParameterError as error:
        # Here these are no options, but names after --set.
        raise LexalignError(str(error).replace("`", "'")) from error
