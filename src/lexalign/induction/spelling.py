"""Spelling: candidates that share letters with a word, and the similarity of two words.

Words are compared in Latin letters, so that names match across scripts.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

GRAMS = (2, 3)
COMMON = 0.02
"""Character sequences in a larger share of the words are ignored."""

FEATURES = (
    "edit similarity",
    "jaro-winkler",
    "common prefix",
    "common suffix",
    "bigram dice",
    "same spelling",
    "length difference",
    "source length",
)


class SpellingIndex:
    """Two vocabularies in Latin letters."""

    def __init__(self, source: Sequence[str], target: Sequence[str]) -> None:
        self.source, self.target = romanised(source), romanised(target)

    @property
    def swapped(self) -> SpellingIndex:
        """The index from target to source."""
        other = copy(self)
        other.source, other.target = self.target, self.source
        other.__dict__["_grams"], other.__dict__["_lengths"] = (
            self._grams[::-1],
            self._lengths[::-1],
        )
        other.__dict__.pop("_targets_of_grams", None)
        return other

    def best(self, rows: np.ndarray, count: int) -> np.ndarray:
        """The target words of most similar spelling for some source words, (len(rows), count).

        Similarity is the cosine of the sets of character sequences, weighted by their rarity. If a
        word shares letters with fewer than ``count`` words, the other places hold -1.
        """
        found = np.full((len(rows), count), -1, dtype=np.int64)
        queries, keys = self._grams[0][rows], self._targets_of_grams
        for start in range(0, len(rows), 512):
            block = (queries[start : start + 512] @ keys).tocsr()
            for row in range(block.shape[0]):
                low, high = block.indptr[row : row + 2]
                scores, columns = block.data[low:high], block.indices[low:high]
                if len(scores) > count:
                    chosen = np.argpartition(-scores, count - 1)[:count]
                    scores, columns = scores[chosen], columns[chosen]
                order = np.lexsort((columns, -scores))
                found[start + row, : len(order)] = columns[order]
        return found

    def features(self, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The spelling features of each pair, (len(rows), features), float32."""
        from rapidfuzz import process
        from rapidfuzz.distance import JaroWinkler, Levenshtein, Postfix, Prefix

        one = [self.source[row] for row in rows.tolist()]
        other = [self.target[key] for key in keys.tolist()]

        def compared(scorer: Any) -> np.ndarray:
            return process.cpdist(one, other, scorer=scorer, dtype=np.float32, workers=1)

        lengths = self._lengths[0][rows], self._lengths[1][keys]
        shorter = np.maximum(np.minimum(*lengths), 1)
        return np.column_stack(
            (
                compared(Levenshtein.normalized_similarity),
                compared(JaroWinkler.similarity),
                compared(Prefix.similarity) / shorter,
                compared(Postfix.similarity) / shorter,
                self._dice(rows, keys),
                np.array([a == b for a, b in zip(one, other, strict=True)], dtype=np.float32),
                lengths[1] - lengths[0],
                lengths[0],
            )
        ).astype(np.float32)

    def _dice(self, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The cosine of the sets of character sequences."""
        sources, targets = self._grams
        found = np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), 65_536):
            some = slice(start, start + 65_536)
            product = sources[rows[some]].multiply(targets[keys[some]])
            found[some] = np.asarray(product.sum(axis=1)).ravel()
        return found

    @cached_property
    def _lengths(self) -> tuple[np.ndarray, np.ndarray]:
        one, other = (
            np.array([len(word) for word in words], dtype=np.int32)
            for words in (self.source, self.target)
        )
        return one, other

    @cached_property
    def _targets_of_grams(self) -> sparse.csr_matrix:
        """Character sequences by target words."""
        return self._grams[1].T.tocsr()

    @cached_property
    def _grams(self) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        """Words by character sequences, with rows of unit length."""
        numbers = dict[str, int]()
        tables = [_counted(words, numbers) for words in (self.source, self.target)]
        width, total = len(numbers), len(self.source) + len(self.target)
        built = [
            sparse.csr_matrix(
                (np.ones(len(columns), dtype=np.float32), columns, starts),
                shape=(len(starts) - 1, width),
            )
            for columns, starts in tables
        ]
        occurrences = sum(np.bincount(table.indices, minlength=width) for table in built)
        rarity = np.log(total / np.maximum(occurrences, 1)).astype(np.float32)
        rarity[occurrences > max(50, COMMON * total)] = 0
        source, target = (_unit(table @ sparse.diags(rarity)) for table in built)
        return source, target


def romanised(words: Sequence[str]) -> list[str]:
    """Words in lower-case Latin letters; a word without such letters is unchanged."""
    from anyascii import anyascii

    return [anyascii(word).lower() or word.lower() for word in words]


def _counted(words: Sequence[str], numbers: dict[str, int]) -> tuple[list[int], list[int]]:
    columns, starts = list[int](), [0]
    for word in words:
        framed = f"^{word}$"
        grams = {
            framed[place : place + size]
            for size in GRAMS
            for place in range(len(framed) - size + 1)
        }
        columns += sorted(numbers.setdefault(gram, len(numbers)) for gram in sorted(grams))
        starts.append(len(columns))
    return columns, starts


def _unit(table: sparse.csr_matrix) -> sparse.csr_matrix:
    table = table.tocsr()
    table.eliminate_zeros()
    lengths = np.sqrt(table.multiply(table).sum(axis=1)).A1
    scaled = sparse.diags((1 / np.where(lengths > 0, lengths, 1)).astype(np.float32)) @ table
    return scaled.tocsr()
