"""The first translation by CSLS of every source word, worked out once and kept in the cache.

The review compares it with the learned ranking.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from lexalign.arrays import blocks
from lexalign.errors import InputError
from lexalign.explore.cached_array import load_array, save_array
from lexalign.explore.neighbourhoods import Neighbourhoods
from lexalign.retrieval.memory_mapped import first_choices
from lexalign.vectors import Embeddings

NAME = "first.csls.npy"
WORDS_AT_ONCE = 1024


def find_csls_choices(
    source: Embeddings,
    target: Embeddings,
    neighbourhoods: Neighbourhoods,
    cache: Path,
    *,
    report: Callable[[float], None] = lambda share: None,
    before_writing: Callable[[], None] = lambda: None,
) -> None:
    """Compute the row of every first translation, (n,) int64, unless ``cache`` holds it."""
    if (cache / NAME).is_file():
        return
    penalties = 0.5 * neighbourhoods.estimate("target", 0.0).astype(np.float64)
    found = np.empty(len(source), dtype=np.int64)
    for rows in blocks(len(source), WORDS_AT_ONCE):
        found[rows] = first_choices(source.matrix[rows], target.matrix, penalties)
        report(rows.stop / len(source))
    before_writing()
    save_array(found, cache / NAME)


def known_csls_choices(cache: Path, source: Embeddings, target: Embeddings) -> np.ndarray | None:
    """What was computed before, None if nothing was."""
    file = cache / NAME
    if not file.is_file():
        return None
    what = f"the translations of {len(source)} words"
    found = load_array(file, np.int64, (len(source),), what)
    if found.min(initial=0) < 0 or found.max(initial=0) >= len(target):
        raise InputError(f"this does not hold {what}", path=file, remedy="delete it")
    return found
