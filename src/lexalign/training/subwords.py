"""The parts of words by which fastText gives similar vectors to words of similar spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SHORTEST, LONGEST = 3, 6
"""Length of a part in characters; "<" and ">" mark the ends of the word and count."""

_BASIS, _PRIME = np.uint32(2166136261), np.uint32(16777619)


@dataclass(frozen=True)
class Subwords:
    """The parts of n words: those of word i are ``parts[starts[i] : starts[i] + counts[i]]``.

    A part is a row of a matrix with the n words first, then the buckets. The first part of every
    word is the word itself.
    """

    parts: np.ndarray
    starts: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, words: Sequence[str], buckets: int) -> Subwords:
        """Cut words into parts and hash the parts into ``buckets`` buckets, 0 for none."""
        if not buckets:
            rows = np.arange(len(words))
            return cls(rows, rows, np.ones(len(words), np.int64))
        spelled = [pieces(word) for word in words]
        counts = np.array([1 + len(found) for found in spelled], np.int64)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        parts = np.empty(int(counts.sum()), np.int64)
        is_word = np.zeros(len(parts), bool)
        is_word[starts] = True
        parts[is_word] = np.arange(len(words))
        different = {part: None for found in spelled for part in found}
        hashed = dict(zip(different, hashes(list(different)) % np.uint32(buckets), strict=True))
        parts[~is_word] = len(words) + np.array(
            [hashed[part] for found in spelled for part in found], np.int64
        )
        return cls(parts, starts, counts)


def pieces(word: str) -> list[str]:
    """The parts of a word of ``SHORTEST`` to ``LONGEST`` characters, except single end marks."""
    marked = f"<{word}>"
    return [
        marked[start : start + length]
        for start in range(len(marked))
        for length in range(SHORTEST, min(LONGEST, len(marked) - start) + 1)
    ]


def hashes(texts: Sequence[str]) -> np.ndarray:
    """The FNV-1a hash of the UTF-8 bytes of each text, uint32, as fastText computes it.

    h ← (h xor b)·16777619 modulo 2³² for each byte b, which fastText treats as a signed number.
    """
    found = np.full(len(texts), _BASIS)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.array(list(map(len, encoded)), np.int64)
    order = np.argsort(-lengths, kind="stable")
    longest = int(lengths.max(initial=0))
    letters = np.array(
        [encoded[row].ljust(longest, b"\0") for row in order], dtype=f"S{longest or 1}"
    )
    matrix = letters.view(np.int8).reshape(len(texts), -1)
    for place in range(longest):
        rows = order[: int((lengths > place).sum())]
        signed = matrix[: len(rows), place].astype(np.int32).view(np.uint32)
        found[rows] = (found[rows] ^ signed) * _PRIME
    return found
