"""The runs of a system, as ``lexalign evaluate --json`` wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lexalign.errors import InputError


class RunResult(NamedTuple):
    """One run: what was asked, and at which place each query was answered (0 for never)."""

    lexicon: str
    protocol: str
    queries: tuple[tuple[str, ...], ...]
    ranks: np.ndarray


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
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            "it holds no result of a translation test", path=path, remedy=remedy
        ) from error
    if not runs:
        raise InputError("it holds no result of a translation test", path=path, remedy=remedy)
    return runs


def _run(result: dict[str, Any]) -> RunResult:
    rows = result["ranks"]
    if not rows or not all(type(place) is int and 0 <= place < 1 << 53 for *_, place in rows):
        raise ValueError("no queries, or places that are none")
    return RunResult(
        lexicon=Path(str(result.get("lexicon", "its lexicon"))).name,
        protocol=str(result["protocol"]),
        queries=tuple((str(word), *map(str, references)) for word, references, _ in rows),
        ranks=np.array([place for *_, place in rows], dtype=np.int64),
    )
