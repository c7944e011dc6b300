"""Read labelled pairs of sentences from the file formats of NLI corpora.

The formats are JSON lines (MultiNLI, SNLI, and plain ``premise``, ``hypothesis``, ``label``) and
tables with a heading (MultiNLI ``.txt``, XNLI ``.tsv``). Tables without a heading have the columns
pair, genre, premise, hypothesis, label. All files can be compressed.
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
ALIASES = {"contradictory": "contradiction"}
UNLABELLED = "-"
NAMES = {
    "name": ("pairID", "pair", "id"),
    "premise": ("premise", "sentence1"),
    "hypothesis": ("hypothesis", "hypo", "sentence2"),
    "label": ("gold_label", "label"),
}
SEGMENTED = {"premise": "sentence1_tokenized", "hypothesis": "sentence2_tokenized"}
NO_HEADING = ("pairID", "genre", "premise", "hypothesis", "label")


class Example(NamedTuple):
    """One pair; ``label`` is an index in ``LABELS``."""

    name: str
    premise: str
    hypothesis: str
    label: int


@dataclass(frozen=True)
class Examples:
    """The labelled pairs of a file, and the number of pairs without an agreed label ("-")."""

    path: Path
    pairs: Sequence[Example]
    unlabelled: int

    def __len__(self) -> int:
        return len(self.pairs)

    @classmethod
    def read(
        cls,
        path: str | Path,
        language: str | None = None,
        *,
        segmented: bool = False,
        limit: int | None = None,
    ) -> Examples:
        """Read all pairs, or those of one ``language``, up to ``limit``.

        ``segmented`` reads the sentences that are segmented into words, if the file has them, as in
        XNLI.
        """
        path, pairs, unlabelled, seen = Path(path), list[Example](), 0, language
        for line, row in _rows(path):
            of = row.get("language")
            if language is not None and of not in (None, language):
                continue
            if of is not None and of != (seen := seen or str(of)):
                raise InputError(
                    f"the file has several languages, such as {seen} and {of}",
                    path=path,
                    line=line,
                    remedy="name one of them (`language`)",
                )
            label = _text(row, "label", path, line).strip().lower()
            label = ALIASES.get(label, label)
            if label == UNLABELLED:
                unlabelled += 1
                continue
            if label not in LABELS:
                raise InputError(
                    f"the label {label!r} is unknown; expected {', '.join(LABELS)} or '-'",
                    path=path,
                    line=line,
                    remedy="correct the line or remove it",
                )
            name = next((str(row[known]) for known in NAMES["name"] if known in row), str(line))
            premise, hypothesis = (
                _text(row, field, path, line, segmented=segmented)
                for field in ("premise", "hypothesis")
            )
            pairs.append(Example(name, premise, hypothesis, LABELS.index(label)))
            if len(pairs) == limit:
                break
        if not pairs:
            what = f"pairs of the language {language!r}" if language else "labelled pairs"
            raise InputError(f"the file has no {what}", path=path, remedy="name another file")
        return cls(path, pairs, unlabelled)


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a file with their line numbers; the first line sets the layout."""
    heading: Sequence[str] | None = None
    is_json = False
    with open_decompressed(path) as file:
        for line, content in enumerate(file, 1):
            text = content.decode("utf-8-sig", errors="replace").rstrip("\r\n")
            if not text.strip():
                continue
            cells = text.split("\t")
            if heading is None:
                is_json = text.startswith("{")
                named = any(name in cells for name in NAMES["label"])
                heading = cells if named else NO_HEADING
                if named and not is_json:
                    continue
            if is_json:
                yield line, _json(text, path, line)
                continue
            if heading is NO_HEADING and len(cells) != len(heading):
                raise InputError(
                    f"expected {len(heading)} columns, found {len(cells)}",
                    path=path,
                    line=line,
                    remedy="correct the line or remove it",
                )
            # Of a table with a heading only the columns that are needed must be there.
            yield line, dict(zip(heading, cells, strict=False))


def _json(text: str, path: Path, line: int) -> Mapping[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the line is not JSON ({error})",
            path=path,
            line=line,
            remedy="correct or remove the line",
        ) from error
    if not isinstance(row, dict):
        raise InputError(
            "the line is not a JSON object", path=path, line=line, remedy="remove the line"
        )
    return row


def _text(
    row: Mapping[str, Any], field: str, path: Path, line: int, *, segmented: bool = False
) -> str:
    names = NAMES[field]
    if segmented and field in SEGMENTED:
        names = (SEGMENTED[field], *names)
    for name in names:
        if row.get(name) is not None:
            return str(row[name])
    raise InputError(
        f"the field {field} is missing; expected the name {' or '.join(names)}",
        path=path,
        line=line,
        remedy="correct the line or remove it",
    )
