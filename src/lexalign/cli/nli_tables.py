"""Answers as a table."""

from __future__ import annotations

from collections.abc import Sequence

from lexalign.evaluation.nli.examples import LABELS
from lexalign.pipelines.nli import ModelAnswers
from lexalign.table import Cell, Column, Table, percent


def answers_table(results: Sequence[ModelAnswers]) -> Table:
    """One row for each model and test set: accuracy, recall of each class, known words.

    ``empty`` are sentences without a known word, ``cut`` those that were too long.
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
