"""Pairs of sentences with a label, from the files in which NLI corpora come.

Read are JSON lines (MultiNLI, SNLI, and plain ``premise``, ``hypothesis``, ``label``), tables with
a heading (MultiNLI ``.txt``, XNLI ``.tsv``), and tables without one, whose columns are pair, genre,
premise, hypothesis, label; all of these plain or compressed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lexalign.errors import InputError
from lexalign.vectors.compression import open_decompressed

LABELS = ("entailment", "neutral", "contradiction")
UNLABELLED = "-"
FIELDS = {
    "name": ("pairID", "pair", "id"),
    "premise": ("premise", "sentence1"),
    "hypothesis": ("hypothesis", "sentence2"),
    "label": ("gold_label", "label"),
}
NO_HEADING = ("pairID", "genre", "premise", "hypothesis", "label")


class Example(NamedTuple):
    """One pair; ``label`` is a place in ``LABELS``."""

    name: str
    premise: str
    hypothesis: str
    label: int


@dataclass(frozen=True)
class Examples:
    """The labelled pairs of a file, and how many had no label on which people agreed ("-")."""

    path: Path
    pairs: Sequence[Example]
    unlabelled: int

    def __len__(self) -> int:
        return len(self.pairs)

    @classmethod
    def read(
        cls, path: str | Path, language: str | None = None, limit: int | None = None
    ) -> Examples:
        """Read all pairs, or those of one ``language`` where the file tells, up to a ``limit``."""
        path, pairs, unlabelled, languages = Path(path), list[Example](), 0, set[str]()
        for line, row in _rows(path):
            if (of := row.get("language")) is not None:
                if language is not None and of != language:
                    continue
                languages.add(of)
            label = str(_field(row, "label", path, line)).strip().lower()
            if label == UNLABELLED:
                unlabelled += 1
                continue
            if label not in LABELS:
                raise InputError(
                    f"the label {label!r} is none of {', '.join(LABELS)} and '-'",
                    path=path,
                    line=line,
                    remedy="correct the line or remove it",
                )
            name, premise, hypothesis = (
                str(_field(row, field, path, line)) for field in ("name", "premise", "hypothesis")
            )
            pairs.append(Example(name or str(line), premise, hypothesis, LABELS.index(label)))
            if len(pairs) == limit:
                break
        if len(languages) > 1:
            raise InputError(
                f"the file has several languages ({', '.join(sorted(languages))})",
                path=path,
                remedy="say which one you want",
            )
        if not pairs:
            what = f"pairs of the language {language!r}" if language else "labelled pairs"
            raise InputError(f"the file has no {what}", path=path, remedy="name another one")
        return cls(path, pairs, unlabelled)


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a file with the number of their line."""
    heading: Sequence[str] = ()
    with open_decompressed(path) as file:
        for line, content in enumerate(file, 1):
            text = content.decode("utf-8-sig", errors="replace").rstrip("\r\n")
            if text.startswith("{"):
                yield line, _json(text, path, line)
                continue
            cells = text.split("\t")
            if not heading and any(name in cells for name in FIELDS["label"]):
                heading = cells
                continue
            heading = heading or NO_HEADING
            if text and len(cells) != len(heading):
                raise InputError(
                    f"the line has {len(cells)} columns instead of {len(heading)}",
                    path=path,
                    line=line,
                    remedy="correct the line or remove it",
                )
            if text:
                yield line, dict(zip(heading, cells, strict=True))


def _json(text: str, path: Path, line: int) -> Mapping[str, Any]:
    try:
        row = json.loads(text)
    except ValueError as error:
        raise InputError(
            f"it is not JSON ({error})", path=path, line=line, remedy="correct or remove it"
        ) from error
    return dict(row)


def _field(row: Mapping[str, Any], field: str, path: Path, line: int) -> Any:
    for name in FIELDS[field]:
        if name in row:
            return row[name]
    if field == "name":
        return ""
    raise InputError(
        f"the {field} is missing; it was sought as {' or '.join(FIELDS[field])}",
        path=path,
        line=line,
        remedy="rename the field or remove the line",
    )
