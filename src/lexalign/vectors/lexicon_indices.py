"""A lexicon as rows of two vocabularies: the known pairs, and their direction."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from lexalign.errors import InputError
from lexalign.vectors.case_folding import CaseLookup

DOUBTFUL_PAIRS = 20


class DirectionError(InputError):
    """A lexicon whose pairs have the words of both languages exchanged."""


@dataclass(frozen=True)
class LexiconIndices:
    """A lexicon as rows of two vocabularies.

    ``pairs`` is (m, 2) int64: row in the source, row in the target. Pair i is number ``rows[i]`` of
    the lexicon and has ``weights[i]``. Missing words are listed once, in order. ``folded`` is the
    number of pairs that were found only by ignoring case.
    """

    pairs: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64] | None
    missing_source: list[str]
    missing_target: list[str]
    folded: int = 0

    def __len__(self) -> int:
        return len(self.pairs)


def find_pairs(
    pairs: Sequence[tuple[str, str]],
    weights: npt.NDArray[np.float64] | None,
    source: CaseLookup,
    target: CaseLookup,
) -> LexiconIndices:
    """Look up both words of every pair.

    A pair found by ignoring case is left out if it repeats the rows of another pair, because it is
    the same pair in another spelling.
    """
    found = list[tuple[int, int, int]]()
    folded = dict[tuple[int, int], int]()
    for number, (left, right) in enumerate(pairs):
        row, other = source.row(left), target.row(right)
        if row is None or other is None:
            continue
        if left in source.index and right in target.index:
            found.append((row, other, number))
        else:
            folded.setdefault((row, other), number)
    for row, other, _ in found:
        folded.pop((row, other), None)
    found += [(*rows, number) for rows, number in folded.items()]
    found.sort(key=itemgetter(2))
    table = np.array(found, dtype=np.int64).reshape(-1, 3)
    numbers = table[:, 2]
    return LexiconIndices(
        pairs=np.ascontiguousarray(table[:, :2]),
        rows=numbers,
        weights=None if weights is None else weights[numbers],
        missing_source=_missing_words((left for left, _ in pairs), source),
        missing_target=_missing_words((right for _, right in pairs), target),
        folded=len(folded),
    )


def require_direction(
    pairs: Sequence[tuple[str, str]], source: Container[str], target: Container[str]
) -> None:
    """Raise if no pair of a lexicon is known, or its direction seems wrong.

    If some pairs are known as they are, a few more with swapped words prove nothing.
    """
    forward = sum(word in source and other in target for word, other in pairs)
    backward = sum(word in target and other in source for word, other in pairs)
    if seems_swapped(forward, backward):
        raise DirectionError(
            f"the lexicon seems to have the wrong direction: {forward} of its {len(pairs)} pairs "
            f"are known as they are, and {backward} with the words swapped",
            remedy="turn it round with 'lexalign lexicon swap', or swap source and target",
        )
    if not forward:
        raise InputError(
            f"none of the {len(pairs)} pairs of the lexicon has vectors on both sides",
            remedy="check the languages, the case of the words, and the limit of the vocabularies",
        )


def seems_swapped(forward: int, backward: int) -> bool:
    """Whether a lexicon has the wrong direction, by its known pairs as they are and swapped."""
    return backward > (2 * forward + DOUBTFUL_PAIRS if forward else 0)


def _missing_words(words: Iterable[str], known: Container[str]) -> list[str]:
    """Return the words without a vector, without repetition, in order."""
    return list(dict.fromkeys(word for word in words if word not in known))
