"""Rounds of induced pairs: the pairs that a rotation finds give the next rotation."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from lexalign.aligners.health import matching_similarity
from lexalign.aligners.pairs import Pairs
from lexalign.arrays import to_device
from lexalign.errors import LexalignError
from lexalign.parameters import parameter
from lexalign.progress import Progress
from lexalign.retrieval import mutual_pairs
from lexalign.spaces.normalise import unit_rows

CRITERION_WORDS = 10_000

logger = logging.getLogger("lexalign")


class Round(NamedTuple):
    """The rotation of the source, float64, and the pairs it was fitted to."""

    matrix: np.ndarray
    pairs: Pairs


def rounds_parameter(default: int) -> Any:
    """Declare the number of rounds."""
    return parameter(default, at_least=0, help="Number of final refits to mutual pairs.")


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
    """Yield the mutual CSLS pairs under a map, and the rotation fitted to them; never ends.

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
                "No word pair is mutual under the current map; give more or better seeds, or "
                "start from another initialisation."
            )
        # Margins tell how sure a pair is; they are kept, but do not weigh in the fit.
        matrix = Pairs(found.pairs).rotation(source, target, loss)
        yield Round(matrix, Pairs(found.pairs, found.margins))


def best_round(
    source: np.ndarray,
    target: np.ndarray,
    start: Round,
    *,
    rounds: int,
    loss: str,
    neighbours: int,
    max_rank: int,
    device: str,
    progress: Progress,
) -> tuple[Round, list[Mapping[str, Any]]]:
    """The best of the first rounds by the unsupervised criterion, and one history entry per round.

    The last part of unsupervised methods. Without rounds, the result is ``start``.
    """
    best, highest, history = start, -np.inf, list[Mapping[str, Any]]()
    found = induced_rounds(
        source,
        target,
        start.matrix,
        loss=loss,
        neighbours=neighbours,
        max_rank=max_rank,
        device=device,
    )
    with progress.stage("refining", total=rounds, unit="rounds") as advance:
        for number, candidate in enumerate(islice(found, rounds), 1):
            criterion = matching_similarity(
                source[:CRITERION_WORDS] @ candidate.matrix.astype(np.float32),
                target,
                words=CRITERION_WORDS,
                neighbours=neighbours,
                device=device,
            )
            pairs = len(candidate.pairs)
            history.append({"round": number, "pairs": pairs, "criterion": criterion})
            logger.info("refining: %s", json.dumps(history[-1]))
            if criterion > highest:
                best, highest = candidate, criterion
            advance(1)
    return best, history
