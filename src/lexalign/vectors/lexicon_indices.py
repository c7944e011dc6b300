"""A lexicon in terms of two vocabularies: which pairs they know, and in which direction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lexalign.errors import InputError
from lexalign.vectors.embeddings import Embeddings

DOUBTFUL_PAIRS = 20


@dataclass(frozen=True)
class LexiconIndices:
    """A lexicon in terms of two vocabularies.

    ``pairs`` is (m, 2) int64: row in the source, row in the target. Pair i is number ``rows[i]`` of
    the lexicon and has ``weights[i]``. Words that were not found are listed once, in order.
    """

    pairs: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64] | None
    missing_source: list[str]
    missing_target: list[str]

    def __len__(self) -> int:
        return len(self.pairs)


def require_direction(
    pairs: Sequence[tuple[str, str]], source: Mapping[str, int], target: Mapping[str, int]
) -> None:
    """Refuse a lexicon of which no pair is known, or that is the wrong way round.

    Where some pairs are known as they are, a few more with the words exchanged are no proof.
    """
    forward = sum(word in source and other in target for word, other in pairs)
    backward = sum(word in target and other in source for word, other in pairs)
    if backward > (2 * forward + DOUBTFUL_PAIRS if forward else 0):
        raise InputError(
            f"the lexicon seems to be the other way round: source and target know {forward} of its "
            f"{len(pairs)} pairs as they are and {backward} with the words exchanged",
            remedy="exchange source and target, or take the lexicon of the other direction",
        )
    if not forward:
        raise InputError(
            f"source and target know none of the {len(pairs)} pairs of the lexicon",
            remedy="check the languages, the case of the words, and the limit of the vocabularies",
        )


def missing_words(words: Iterable[str], embeddings: Embeddings) -> list[str]:
    """Return the words without a vector, each once, in their order."""
    return list(dict.fromkeys(word for word in words if word not in embeddings.index))
