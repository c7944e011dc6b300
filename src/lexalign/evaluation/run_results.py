"""The runs of a system, as ``lexalign evaluate --json`` writes them."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lexalign.errors import InputError

OF_RETRIEVAL = {"retrieval", "neighbours", "beta"}
"""The rules of a protocol that set how translations are found, not how they are counted."""


class RunResult(NamedTuple):
    """One run: its queries, and the rank of the right answer to each (0: not found).

    ``leaked`` lists the numbers of the queries that are seeds of the alignment; None if unknown.
    ``excluded`` counts queries that were left out. ``retrieval`` holds the protocol rules about how
    translations are found, and ``counting`` the other rules.
    """

    lexicon: str
    protocol: str
    queries: tuple[tuple[str, ...], ...]
    ranks: np.ndarray
    leaked: frozenset[int] | None = None
    excluded: int = 0
    retrieval: str = ""
    counting: frozenset[tuple[str, str]] = frozenset()

    @property
    def is_learned(self) -> bool:
        """Whether a learned ranking found the translations."""
        return self.retrieval == "learned"

    def is_csls_of(self, learned: RunResult) -> bool:
        """Whether CSLS found these translations, counted by the rules of a learned ranking."""
        return self.retrieval == "csls" and self.counting == learned.counting

    def without(self, left_out: Collection[int]) -> RunResult:
        """The run without some queries, given by their numbers."""
        kept = [number for number in range(len(self.queries)) if number not in left_out]
        return self._replace(
            queries=tuple(self.queries[number] for number in kept),
            ranks=self.ranks[kept],
            leaked=frozenset(),
            excluded=len(self.queries) - len(kept),
        )


def read_results(path: Path) -> list[RunResult]:
    """The runs in a file that ``lexalign evaluate --json`` wrote."""
    remedy = "name a file that 'lexalign evaluate --json' wrote"
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"it cannot be read ({error.strerror})", path=path, remedy="check the name"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError("it is not JSON", path=path, remedy=remedy) from error
    results = content if isinstance(content, list) else [content]
    try:
        runs = [
            _run(result) for result in results if not isinstance(result, dict) or "p@1" in result
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            "it holds no result of a translation test", path=path, remedy=remedy
        ) from error
    if not runs:
        raise InputError("it holds no result of a translation test", path=path, remedy=remedy)
    return runs


def _run(result: dict[str, Any]) -> RunResult:
    rows = result["ranks"]
    if not rows or not all(type(place) is int and 0 <= place < 1 << 53 for *_, place in rows):
        raise ValueError("there are no queries, or the ranks are not valid")
    leakage = result.get("leakage")
    leaked = None if leakage is None else frozenset(leakage["leaked"])
    if leaked and not all(type(row) is int and 0 <= row < len(rows) for row in leaked):
        raise ValueError("the leaked queries are not valid")
    rules = {str(rule): str(value) for rule, value in (result.get("rules") or {}).items()}
    return RunResult(
        leaked=leaked,
        retrieval=rules.get("retrieval", ""),
        counting=frozenset((rule, rules[rule]) for rule in rules.keys() - OF_RETRIEVAL),
        lexicon=Path(str(result.get("lexicon", "its lexicon"))).name,
        protocol=str(result["protocol"]),
        queries=tuple((str(word), *map(str, references)) for word, references, _ in rows),
        ranks=np.array([place for *_, place in rows], dtype=np.int64),
    )
