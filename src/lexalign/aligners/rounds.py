"""Rounds of induced pairs: what a rotation finds makes the next rotation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lexalign.aligners.pairs import Pairs
from lexalign.aligners.rotation import rotation
from lexalign.errors import LexalignError
from lexalign.retrieval import mutual_pairs
from lexalign.spaces.arrays import to_device
from lexalign.spaces.normalise import unit_rows


class Round(NamedTuple):
    """The rotation of the source, float64, and the pairs it was fitted on."""

    matrix: np.ndarray
    pairs: Pairs


def induced_rounds(
    source: np.ndarray,
    target: np.ndarray,
    matrix: np.ndarray,
    *,
    loss: str = "l2",
    neighbours: int = 10,
    max_rank: int = 10_000,
    device: str = "cpu",
) -> Iterator[Round]:
    """Without end: the mutual CSLS pairs under a map, and the rotation onto them.

    Source: the refinement of Conneau et al. 2018, over mutual pairs.
    """
    keys = to_device(unit_rows(target), device)
    while True:
        mapped = unit_rows(source @ matrix.astype(np.float32))
        found = mutual_pairs(
            to_device(mapped, device), keys, neighbours=neighbours, max_rank=max_rank
        )
        if len(found) == 0:
            raise LexalignError(
                "Not one word pair chooses each other under the map so far; give more or better "
                "seeds, or start from another initialisation."
            )
        # Margins tell how sure a pair is; they are kept, but do not weigh in the fit.
        matrix = rotation(source, target, Pairs(found.pairs), loss)
        yield Round(matrix, Pairs(found.pairs, found.margins))
