"""A lexicon and two vocabularies under a protocol: the queries and their references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexalign.evaluation.protocols import Protocol
from lexalign.spaces.normalise import unit_rows
from lexalign.vectors import Embeddings


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """One side under the rules of a protocol."""

    words: tuple[str, ...]
    matrix: np.ndarray
    index: Mapping[str, int]


class Query(NamedTuple):
    """A source word, its references, and their rows; -1 if unknown."""

    word: str
    references: tuple[str, ...]
    row: int
    keys: tuple[int, ...]

    @property
    def can_be_asked(self) -> bool:
        """Whether the word and one of its translations have vectors."""
        return self.row >= 0 and bool(self.keys)


def vocabulary(embeddings: Embeddings, rules: Protocol) -> Vocabulary:
    """The words and vectors of one side, with case, repeated words and zeros as ruled."""
    words, matrix = tuple(embeddings.words), embeddings.matrix
    if rules.case == "lower":
        words = tuple(word.lower() for word in words)
    if rules.duplicates == "first":
        index: dict[str, int] = {}
        kept = [row for row, word in enumerate(words) if index.setdefault(word, row) == row]
        if len(kept) < len(words):
            words, matrix = tuple(words[row] for row in kept), matrix[kept]
            index = {word: row for row, word in enumerate(words)}
    else:
        index = {word: row for row, word in enumerate(words)}
    return Vocabulary(words, _prepared(matrix, rules), index)


def _prepared(matrix: np.ndarray, rules: Protocol) -> np.ndarray:
    """Rows of unit length for the cosine, and zero rows as ruled."""
    if rules.similarity == "cosine":
        matrix = unit_rows(matrix)
    zero = ~matrix.any(axis=1)
    if zero.any() and rules.zero_vectors == "axis":
        matrix = np.array(matrix)
        matrix[zero, 0] = 1.0
    return matrix


def cased(pair: tuple[str, str], rules: Protocol) -> tuple[str, str]:
    """A pair of the lexicon in the case that the rules want."""
    return pair if rules.case == "as-is" else (pair[0].lower(), pair[1].lower())


def queries(
    pairs: list[tuple[str, str]],
    source: Mapping[str, int],
    target: Mapping[str, int],
    rules: Protocol,
) -> list[Query]:
    """The queries in the order of the lexicon: source words, or pairs."""
    grouped: list[tuple[str, tuple[str, ...]]]
    if rules.unit == "pair":
        grouped = [(word, (reference,)) for word, reference in pairs]
    else:
        references: dict[str, dict[str, None]] = {}
        for word, reference in pairs:
            references.setdefault(word, {})[reference] = None
        grouped = [(word, tuple(listed)) for word, listed in references.items()]
    found = [
        Query(word, listed, source.get(word, -1), tuple(target[y] for y in listed if y in target))
        for word, listed in grouped
    ]
    if rules.oov == "drop":
        return [query for query in found if query.can_be_asked]
    return found
