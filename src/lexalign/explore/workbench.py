"""The workbench of an induced dictionary: browse it, review it, take seeds for the next one."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from lexalign.errors import LexalignError
from lexalign.explore.requests import RefusedError
from lexalign.explore.run_dictionary import Entry, RunDictionary, Selection
from lexalign.runs import LAYOUT, Run
from lexalign.runs.layout import SIDES
from lexalign.runs.review import Change, ConflictError, Review
from lexalign.vectors import Embeddings

SEEDS_FILE = "reviewed.tsv"


class Workbench:
    """The dictionary of a run, and what its reader has decided.

    The dictionary is read when it is first asked for.
    """

    def __init__(self, run: Run, source: Embeddings, target: Embeddings) -> None:
        self._run, self._sides = run, (source, target)
        self._review = Review(run.path)
        self._lock = threading.Lock()
        self._dictionary: RunDictionary | None = None
        self._first_by_csls: np.ndarray | None = None

    @classmethod
    def of(cls, run: Run, source: Embeddings, target: Embeddings) -> Workbench | None:
        """The workbench of a run that has a dictionary."""
        has_one = (run.path / LAYOUT.dictionary).is_file()
        return cls(run, source, target) if has_one else None

    def dictionary(self) -> RunDictionary:
        """The dictionary as a table."""
        with self._lock:
            if self._dictionary is None:
                self._dictionary = RunDictionary(
                    self._run.dictionary, *self._sides, self._first_by_csls
                )
            return self._dictionary

    @property
    def is_compared(self) -> bool:
        """Whether the translations by CSLS are known."""
        return self._first_by_csls is not None

    def compare_with(self, first_by_csls: np.ndarray) -> None:
        """Take in the translations by CSLS."""
        with self._lock:
            self._first_by_csls = first_by_csls
            if self._dictionary is not None:
                self._dictionary = replace(self._dictionary, first_by_csls=first_by_csls)

    def browse(self, selection: Selection, offset: int, count: int) -> dict[str, Any]:
        """Some entries, how many there are, and how far the review is."""
        with _refusals():
            dictionary, verdicts = self.dictionary(), self._review.verdicts()
        total, entries = dictionary.select(selection, verdicts, offset, count)
        return {
            "total": total,
            "offset": offset,
            "entries": [_as_dict(entry) for entry in entries],
            "compared": dictionary.first_by_csls is not None,
            "progress": dictionary.progress(verdicts),
        }

    def decide(self, changes: Sequence[Change]) -> dict[str, Any]:
        """Keep decisions; the entries of their words, and how far the review is."""
        with _refusals():
            dictionary, verdicts = self.dictionary(), self._review.decide(changes)
        entries = dictionary.entries({change.source for change in changes}, verdicts)
        return {
            "entries": [_as_dict(entry) for entry in entries],
            "progress": dictionary.progress(verdicts),
        }

    def seeds(self, *, with_old: bool) -> str:
        """The pairs called right, with the seeds of the run or without, as a file of seeds."""
        with _refusals():
            pairs = self._review.seeds(self._run.seeds if with_old else None).pairs
        return "".join(f"{source}\t{target}\n" for source, target in pairs)

    @property
    def command(self) -> str:
        """The command that induces the next dictionary from the exported seeds."""
        recorded = self._run.record.get("command")
        given = [str(word) for word in recorded[1:]] if isinstance(recorded, Sequence) else []
        if given[:1] != ["induce"]:
            given = ["induce", *(self._input(side) for side in SIDES)]
        given = _with_option(given, "--lexicon", SEEDS_FILE)
        given = _with_option(given, "--output", f"{self._run.name}.reviewed")
        return shlex.join(["lexalign", *(word for word in given if word != "--overwrite")])

    def _input(self, side: str) -> str:
        """The file of vectors of a side, or a name that stands for it."""
        inputs = self._run.record.get("inputs")
        found = inputs.get(side) if isinstance(inputs, Mapping) else None
        path = found.get("path") if isinstance(found, Mapping) else None
        return str(path or f"{side.upper()}.vec")


@contextmanager
def _refusals() -> Iterator[None]:
    """Answer damaged files, and decisions that cannot be kept, by their sentences."""
    try:
        yield
    except ConflictError as error:
        raise RefusedError(409, "conflict", str(error)) from error
    except LexalignError as error:
        raise RefusedError(400, "not-possible", str(error)) from error


def _with_option(command: Sequence[str], name: str, value: str) -> list[str]:
    """A command with another value of an option."""
    kept, skip = list[str](), False
    for word in command:
        if not skip and word != name and not word.startswith(f"{name}="):
            kept.append(word)
        skip = word == name
    return [*kept, name, value]


def _as_dict(entry: Entry) -> dict[str, Any]:
    return {
        **entry._asdict(),
        "translations": [translation._asdict() for translation in entry.translations],
    }
