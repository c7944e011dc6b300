"""``lexalign nli train`` and ``lexalign nli test``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lexalign.cli.options import (
    PATH,
    checkpoint_option,
    device_option,
    limit_option,
    parameter_options,
    table_options,
)
from lexalign.evaluation.nli import Learner
from lexalign.evaluation.nli.examples import LABELS
from lexalign.pipelines.nli import ModelAnswers, Question, ask_models, train_model
from lexalign.table import Cell, Column, Table, percent
from lexalign.vectors.tokens import RULES

LIMIT = limit_option("Read the N most frequent words of the vectors.")


@click.group("nli")
def command() -> None:
    """Test a shared space by natural language inference (needs the extra torch).

    A model is trained on one language. It is then tested on another language, whose vectors replace
    those of the training language. The model sees no word of that language in training.
    """


@command.command("train")
@click.option("--vectors", required=True, type=PATH, help="Vectors of the training language.")
@click.option("--train", required=True, type=PATH, help="Labelled pairs to train on.")
@click.option(
    "--dev",
    required=True,
    type=PATH,
    help="Labelled pairs of the development set; they decide when to stop.",
)
@click.option("--language", help="Language of the pairs, if the files hold several languages.")
@click.option("--pairs", type=click.IntRange(1), help="Train only on the first N pairs.")
@LIMIT
@click.option(
    "--tokens",
    "rule",
    type=click.Choice(RULES),
    default="words",
    show_default=True,
    help=(
        "Tokens are runs of letters, marks and digits (words), or separated by white space "
        "(whitespace)."
    ),
)
@click.option(
    "--keep-case",
    is_flag=True,
    help="Keep upper case; by default, text is changed to lower case.",
)
@parameter_options(Learner)
@checkpoint_option
@click.option("--output", required=True, type=PATH, metavar="DIR", help="Folder to write.")
@click.option("--overwrite", is_flag=True, help="Replace DIR if an earlier run wrote it.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def train(
    vectors: Path,
    train: Path,
    dev: Path,
    language: str | None,
    pairs: int | None,
    limit: int,
    rule: str,
    keep_case: bool,
    checkpoint: str,
    output: Path,
    overwrite: bool,
    as_json: bool,
    **parameters: Any,
) -> None:
    """Train ESIM on labelled pairs of sentences, with frozen vectors.

    Files are those of MultiNLI, SNLI and XNLI, or JSON lines with premise, hypothesis and label.
    Pairs without an agreed label ("-") and words without a vector are left out.
    """
    from lexalign.cli.printing import show_json
    from lexalign.cli.progress import progress_for_humans

    summary = train_model(
        vectors,
        train,
        dev,
        output,
        Learner(**parameters),
        pairs=pairs,
        language=language,
        limit=limit,
        rule=rule,
        keep_case=keep_case,
        checkpoints=checkpoint,
        overwrite=overwrite,
        progress=progress_for_humans(),
    )
    if as_json:
        show_json(summary)
    else:
        _training_table(summary)


def _training_table(summary: Mapping[str, Any]) -> None:
    """Print the training data, the accuracy and the total time."""
    from lexalign.cli.printing import closing_table, show_closing_table

    table = closing_table("Natural language inference")
    for name in ("train", "dev"):
        figures = summary[name]
        known = 100 * figures["known"] / max(1, figures["tokens"])
        unlabelled = f", {figures['unlabelled']:,} without a label" if figures["unlabelled"] else ""
        table.add_row(f"pairs of {name}", f"{figures['pairs']:,}{unlabelled}")
        table.add_row(f"words of {name} with vectors", f"{known:.1f} %")
    table.add_row("epochs", str(len(summary["history"])))
    table.add_row("accuracy on dev", f"{100 * summary['dev_accuracy']:.1f} %")
    show_closing_table(table, summary)


@command.command("test")
@click.argument("models", nargs=-1, required=True, type=PATH, metavar="DIR ...")
@click.option(
    "--vectors",
    multiple=True,
    required=True,
    type=PATH,
    help="Vectors of a tested language; repeatable.",
)
@click.option(
    "--test",
    "tests",
    multiple=True,
    required=True,
    type=PATH,
    help="Labelled pairs of that language; repeatable.",
)
@click.option(
    "--language",
    multiple=True,
    help="Language of the pairs, if the file holds several languages; repeatable.",
)
@LIMIT
@click.option(
    "--tokens",
    "rules",
    type=click.Choice(RULES),
    multiple=True,
    help="How text is split into tokens; repeatable. [default: as in training]",
)
@device_option
@table_options
def test(
    models: tuple[Path, ...],
    vectors: tuple[Path, ...],
    tests: tuple[Path, ...],
    language: tuple[str, ...],
    limit: int,
    rules: tuple[str, ...],
    device: str,
    table_format: str,
    as_json: bool,
) -> None:
    """Test one or several models DIR on any number of languages.

    The first --vectors belongs to the first --test, and so on. 'lexalign compare' reads the JSON
    output.
    """
    from lexalign.cli.printing import show, show_json
    from lexalign.cli.progress import progress_for_humans

    count = len(tests)
    if len(vectors) != count or not {len(language), len(rules)} <= {0, count}:
        raise click.UsageError(
            "Each --test needs its --vectors; give --language and --tokens for all tests or "
            f"none. Got {count} tests, {len(vectors)} vectors, {len(language)} languages and "
            f"{len(rules)} token rules."
        )
    nothing = (None,) * count
    questions = list(map(Question, vectors, tests, language or nothing, rules or nothing))
    results = ask_models(
        models, questions, limit=limit, device=device, progress=progress_for_humans()
    )
    if as_json:
        show_json([result.as_dict() for result in results])
    else:
        show(_answers_table(results), table_format)


def _answers_table(results: Sequence[ModelAnswers]) -> Table:
    """One row per model and test set: accuracy, recall of each class, known words.

    ``empty`` counts sentences without a known word, ``cut`` those that were too long.
    """
    columns = [
        Column("model"),
        Column("vectors"),
        Column("test"),
        Column("accuracy", percent, is_number=True),
        *(Column(f"recall {label}", percent, is_number=True) for label in LABELS),
        Column("known words", percent, is_number=True),
        Column("empty", is_number=True),
        Column("cut", is_number=True),
        Column("pairs", is_number=True),
        Column("unlabelled", is_number=True),
    ]
    rows = list[list[Cell]]()
    for model, question, answers in results:
        known = answers.coverage.known / max(1, answers.coverage.tokens)
        language = f" ({question.language})" if question.language else ""
        names = [str(model), str(question.vectors), f"{question.test}{language}"]
        scores = [answers.accuracy, *answers.recall.values(), known]
        counts = answers.coverage.empty, answers.coverage.cut, len(answers.examples)
        rows.append([*names, *scores, *counts, answers.examples.unlabelled])
    return Table(columns, rows)
