"""Scores by group: by frequency of the source word, by spelling, category or word class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from lexalign.errors import InputError, LexalignError
from lexalign.evaluation.accuracy import Accuracy
from lexalign.vectors.word_lists import read_columns

BANDS = (1_000, 5_000, 20_000, 50_000, 200_000)
UNKNOWN = "no vector"
NO_CATEGORY = "no category"


def breakdown(result: Accuracy, kind: str | Path) -> dict[str, Accuracy]:
    """The groups of one kind: "frequency", "identical", "class", or a file of categories."""
    if kind == "frequency":
        return {f"rank {name}": part for name, part in by_frequency(result).items()}
    if kind == "identical":
        return by_spelling(result)
    if kind == "class":
        return {f"class {name}": part for name, part in by_class(result).items()}
    categories = read_categories(kind, lowercase=result.protocol.case != "as-is")
    return {f"category {name}": part for name, part in by_category(result, categories).items()}


def by_frequency(result: Accuracy, bands: Sequence[int] = BANDS) -> dict[str, Accuracy]:
    """The queries by rank of their source word: up to 1,000, up to 5,000 and so on.

    Words without a vector, which some protocols count, form a separate group. Empty groups are left
    out.
    """
    if list(bands) != sorted(set(bands)) or not bands or bands[0] < 1:
        raise LexalignError(f"The `bands` must be increasing ranks from 1. Got {bands} instead.")
    edges = [0, *bands]
    names = [f"{low + 1:,}–{high:,}" for low, high in pairwise(edges)]
    names = [UNKNOWN, *names, f"from {bands[-1] + 1:,}"]
    group = np.searchsorted(edges, result.source_rows, side="right")
    return _groups(result, [names[number] for number in group], names)


def by_spelling(result: Accuracy) -> dict[str, Accuracy]:
    """The queries with a reference that is identical to the source word, and the other queries."""
    labels = ["same spelling" if alike else "other spelling" for alike in result.spelled_alike]
    return _groups(result, labels, ["same spelling", "other spelling"])


def by_category(result: Accuracy, categories: Mapping[str, str]) -> dict[str, Accuracy]:
    """The queries by the category of their source word, such as its part of speech."""
    labels = [categories.get(word, NO_CATEGORY) for word in result.words]
    return _groups(result, labels, [*sorted(set(categories.values())), NO_CATEGORY])


def by_class(result: Accuracy) -> dict[str, Accuracy]:
    """The queries by the word classes of the lexicon; none if it has no classes.

    A word whose pairs have two classes counts in both.
    """
    listed = result.classes or ()
    names = sorted({name for classes in listed for name in classes})
    rows = {name: [row for row, classes in enumerate(listed) if name in classes] for name in names}
    return {name: result.only(np.array(found)) for name, found in rows.items()}


def read_categories(path: str | Path, *, lowercase: bool = False) -> dict[str, str]:
    """Read a UTF-8 file with a word, a tab and a category on each line."""
    path = Path(path)
    categories: dict[str, str] = {}
    for line, fields in read_columns(path):
        if len(fields) != 2 or not all(fields):
            raise InputError(
                "expected a word, a tab and its category",
                path=path,
                line=line,
                remedy="correct the line",
            )
        word, category = fields
        categories.setdefault(word.lower() if lowercase else word, category)
    return categories


def _groups(result: Accuracy, labels: Sequence[str], order: Sequence[str]) -> dict[str, Accuracy]:
    rows = {name: [row for row, label in enumerate(labels) if label == name] for name in order}
    return {name: result.only(np.array(found)) for name, found in rows.items() if found}
