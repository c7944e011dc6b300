"""Checks of dictionaries that run while the page asks for their progress.

A check runs in parts of some thousand words. The last checks are kept, so that a reloaded page
finds its result.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lexalign.errors import LexalignError
from lexalign.evaluation.accuracy import Accuracy
from lexalign.explore.dictionary_check import DictionaryCheck, PairCheck, can_be_ranked, check
from lexalign.explore.requests import RefusedError
from lexalign.explore.space import Space
from lexalign.table import Cell, csv_text
from lexalign.vectors import Lexicon

WORDS_AT_ONCE = 500
KEPT = 8
SORTS = ("line", "word", "translation", "before", "after")
ENDS = {"learned": ("by CSLS", "by the learned ranking")}
"""What the two rankings of a check are called; otherwise they are those before and after."""
SHOWN_PROBLEMS = 100


@dataclass
class RunningCheck:
    """A check at work, or done: ``share`` says how much of it is."""

    side: str
    lexicon: Lexicon
    parts: list[DictionaryCheck] = field(default_factory=list)
    share: float = 0.0
    state: str = "running"
    message: str | None = None
    scoring: str = "cosine"

    @property
    def pairs(self) -> list[PairCheck]:
        """The pairs that are checked so far."""
        return [pair for part in self.parts for pair in part.pairs]

    def summary(self, end: str) -> dict[str, Any] | None:
        """The accuracy by word "before" or "after"; no word stands in two parts."""
        ends: list[Accuracy | None] = [getattr(part, end) for part in self.parts]
        found = [accuracy for accuracy in ends if accuracy is not None]
        questions = sum(accuracy.queries for accuracy in found)
        if not questions:
            return None

        def mean(values: Sequence[float]) -> float:
            weighed = zip(values, found, strict=True)
            return round(sum(value * one.queries for value, one in weighed) / questions, 4)

        return {
            "questions": questions,
            "precision_at_1": mean([one.precision(1) for one in found]),
            "precision_at_5": mean([one.precision(5) for one in found]),
            "mean_reciprocal_rank": mean([one.mrr for one in found]),
        }


class Checks:
    """The checks of an explorer by their numbers, the last ones."""

    def __init__(self) -> None:
        self._kept = OrderedDict[str, RunningCheck]()
        self._lock = threading.Lock()

    def start(self, space: Space, side: str, lexicon: Lexicon) -> str:
        """Begin a check in a thread; the number of it."""
        number, work = secrets.token_hex(8), RunningCheck(side, lexicon)
        with self._lock:
            self._kept[number] = work
            while len(self._kept) > KEPT:
                _, oldest = self._kept.popitem(last=False)
                oldest.state = "dropped"
        threading.Thread(target=_work, args=(work, space), name="check", daemon=True).start()
        return number

    def page(
        self, number: str, sort: str, descending: bool, offset: int, count: int
    ) -> dict[str, Any]:
        """How far a check is, and some of its pairs."""
        work = self._found(number)
        pairs = work.pairs
        return {
            "id": number,
            "side": work.side,
            "state": work.state,
            "share": round(work.share, 3),
            "message": work.message,
            "scoring": work.scoring,
            "total": len(work.lexicon),
            "known": sum(not pair.missing for pair in pairs),
            "skipped": [line._asdict() for line in work.lexicon.skipped[:SHOWN_PROBLEMS]],
            "skipped_lines": len(work.lexicon.skipped),
            "before": work.summary("before"),
            "after": work.summary("after"),
            "offset": offset,
            "pairs": [
                {**pair._asdict(), "missing": list(pair.missing)}
                for pair in _ordered(pairs, sort, descending)[offset : offset + count]
            ],
        }

    def table(self, number: str) -> str:
        """All pairs of a check as a tab-separated table for spreadsheets."""
        work = self._found(number)
        ends = ENDS.get(work.scoring, ("before", "after"))
        heads = [f"{what} {end}" for what in ("rank", "first") for end in ends]
        rows: list[Sequence[Cell]] = [["line", "word", "translation", *heads]]
        for pair in _ordered(work.pairs, "line", False):
            ranks = (pair.rank_before, pair.rank_after, pair.first_before, pair.first_after)
            rows.append((pair.line, pair.word, pair.reference, *ranks))
        return csv_text(rows, delimiter="\t")

    def _found(self, number: str) -> RunningCheck:
        with self._lock:
            if number not in self._kept:
                raise RefusedError(
                    404, "no-check", "This check is no longer available; check the pairs again."
                )
            return self._kept[number]


def _work(work: RunningCheck, space: Space) -> None:
    """Check one part after the other."""
    try:
        done, ranked = 0, can_be_ranked(space, work.side, work.lexicon)
        work.scoring = "learned" if ranked else space.scoring
        for part in _parts(work.lexicon):
            if work.state == "dropped":
                return
            found = check(space, work.side, part, ranked=ranked)
            work.parts = [*work.parts, found]
            done += len(part)
            work.share = done / len(work.lexicon)
        work.share, work.state = 1.0, "done"
    except LexalignError as error:
        work.state, work.message = "failed", str(error)
    except MemoryError:
        work.state, work.message = "failed", "There is not enough memory; check fewer pairs."
    except BaseException:  # a page must not wait for ever for a thread that has ended
        work.state, work.message = (
            "failed",
            "The check failed; see the terminal for the reason.",
        )
        raise


def _parts(lexicon: Lexicon) -> Iterator[Lexicon]:
    """Parts of some words each, all pairs of a word in one."""
    by_word = dict[str, list[int]]()
    for number, (word, _) in enumerate(lexicon):
        by_word.setdefault(word, []).append(number)
    words = list(by_word.values())
    for start in range(0, len(words), WORDS_AT_ONCE):
        numbers = sorted(n for some in words[start : start + WORDS_AT_ONCE] for n in some)
        pairs, lines = lexicon.pairs, lexicon.lines
        yield Lexicon([pairs[n] for n in numbers], lines=tuple(lines[n] for n in numbers))


def _ordered(pairs: Sequence[PairCheck], sort: str, descending: bool) -> list[PairCheck]:
    """The pairs in an order; those that are not known come last."""

    def key(pair: PairCheck) -> Any:
        return {
            "line": pair.line,
            "word": pair.word.casefold(),
            "translation": pair.reference.casefold(),
            "before": pair.rank_before,
            "after": pair.rank_after,
        }[sort]

    known = [pair for pair in pairs if key(pair) is not None]
    unknown = [pair for pair in pairs if key(pair) is None]
    ordered = sorted(known, key=lambda pair: pair.line)
    return sorted(ordered, key=key, reverse=descending) + sorted(unknown, key=lambda p: p.line)
