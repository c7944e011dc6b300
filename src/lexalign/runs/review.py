"""The review of an induced dictionary: pairs that a reader marked right or wrong.

Decisions are in ``review.tsv`` of the run folder: a header, then one line per pair with source,
target and verdict. Every change is written at once. A lock on the folder prevents two programs from
losing each other's decisions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from lexalign.atomic import atomic_file
from lexalign.errors import InputError, LexalignError, OutputError
from lexalign.locks import LockingUnsupportedError, has_locks, lock
from lexalign.runs.layout import LAYOUT
from lexalign.vectors import Lexicon

RIGHT, WRONG = "right", "wrong"
VERDICTS = (RIGHT, WRONG)
COLUMNS = ("source", "target", "verdict")
_BREAKS = frozenset("\t\n\r")

Pair = tuple[str, str]


class Change(NamedTuple):
    """A new verdict on a pair; None undoes the old one.

    ``seen`` is the verdict that its author saw.
    """

    source: str
    target: str
    verdict: str | None
    seen: str | None = None


class ConflictError(LexalignError):
    """Another program has changed a verdict in the meantime."""

    def __init__(self, pair: Pair, verdict: str | None) -> None:
        now = "is open again" if verdict is None else f"was called {verdict}"
        super().__init__(f"The pair {pair[0]} – {pair[1]} {now} elsewhere; decide again.")
        self.pair, self.verdict = pair, verdict


class Review:
    """The decisions about the pairs of a run.

    Parameters
    ----------
    folder : Path
        The folder of the run.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     review = Review(Path(folder))
    ...     _ = review.decide([Change("dog", "Hund", "right"), Change("cat", "Hund", "wrong")])
    ...     Review(Path(folder)).verdicts()
    {('dog', 'Hund'): 'right', ('cat', 'Hund'): 'wrong'}
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / LAYOUT.review
        self._known: dict[Pair, str] = {}
        self._stamp: tuple[int, int, int] | None = None

    def verdicts(self) -> Mapping[Pair, str]:
        """All verdicts, in the order of the first decision on each pair."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            self._known, self._stamp = {}, None
            return self._known
        except OSError as error:
            raise InputError(
                f"it cannot be read ({error.strerror})",
                path=self._path,
                remedy="check its permissions",
            ) from error
        stamp = status.st_ino, status.st_mtime_ns, status.st_size
        if stamp != self._stamp:
            self._known, self._stamp = _read(self._path), stamp
        return self._known

    def decide(self, changes: Sequence[Change]) -> Mapping[Pair, str]:
        """Make several changes, all or none; return all verdicts.

        Raises
        ------
        ConflictError
            If a verdict has changed since the author of the new one saw it.
        OutputError
            If the folder cannot be written.
        """
        for change in changes:
            _require_valid(change)
        with self._locked():
            verdicts = dict(self.verdicts())
            for change in changes:
                pair = change.source, change.target
                if verdicts.get(pair) not in (change.seen, change.verdict):
                    raise ConflictError(pair, verdicts.get(pair))
            for change in changes:
                pair = change.source, change.target
                if change.verdict is None:
                    verdicts.pop(pair, None)
                else:
                    verdicts[pair] = change.verdict
            self._write(verdicts)
            return self.verdicts()

    def seeds(self, seeds: Lexicon | None = None) -> Lexicon:
        """The seeds that are not marked wrong, then the pairs marked right."""
        verdicts = self.verdicts()
        before = () if seeds is None else seeds.pairs
        kept = [pair for pair in before if verdicts.get(pair) != WRONG]
        right = [pair for pair, verdict in verdicts.items() if verdict == RIGHT]
        return Lexicon(list(dict.fromkeys([*kept, *right])))

    def _write(self, verdicts: Mapping[Pair, str]) -> None:
        with (
            atomic_file(self._path, overwrite=True) as temporary,
            temporary.open("w", encoding="utf-8", newline="\n") as file,
        ):
            file.write("\t".join(COLUMNS) + "\n")
            for (source, target), verdict in verdicts.items():
                file.write(f"{source}\t{target}\t{verdict}\n")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Prevent other programs from deciding at the same time, if the system has locks."""
        if not has_locks():
            yield
            return
        try:
            descriptor = os.open(self._folder, os.O_RDONLY)
        except OSError as error:
            raise OutputError(
                f"{self._folder} cannot be opened ({error.strerror}), so the decision is not kept."
            ) from error
        try:
            with suppress(LockingUnsupportedError):
                lock(descriptor)
            yield
        finally:
            os.close(descriptor)


def _require_valid(change: Change) -> None:
    for word in (change.source, change.target):
        if not word.strip() or _BREAKS & set(word):
            raise LexalignError(
                "A pair has two words, without tabs and line ends; write one word each."
            )
    for verdict in (change.verdict, change.seen):
        if verdict is not None and verdict not in VERDICTS:
            raise LexalignError(f"A verdict is one of {VERDICTS} or None. Got {verdict!r} instead.")


def _read(path: Path) -> dict[Pair, str]:
    remedy = "correct the line, or move the file to another place to start again"
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8 text", path=path, remedy=remedy) from error
    except OSError as error:
        problem = f"it cannot be read ({error.strerror})"
        raise InputError(problem, path=path, remedy="check the permissions of the file") from error
    found = dict[Pair, str]()
    for number, line in enumerate(lines, start=1):
        if number == 1 or not line:
            continue
        parts = line.split("\t")
        if len(parts) != len(COLUMNS) or parts[2] not in VERDICTS:
            raise InputError(
                "expected a source word, a target word, and right or wrong",
                path=path,
                line=number,
                remedy=remedy,
            )
        found[parts[0], parts[1]] = parts[2]
    return found
