"""Probe words: how a map recognises the vectors for which it was learned.

A map applied to other vectors, such as mapped ones, gives plausible but meaningless numbers. So a
map keeps a few words of each side, with the length and a hash of their vectors. The hash of x is a
sketch of sixteen numbers, s = xR/4 with fixed random signs R (d, 16), so that ‖s − s′‖ is about ‖x
− x′‖ (Achlioptas 2003). Rounding in files hardly changes it; a rotation by a few per cent does.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import shake_128
from typing import Any

import numpy as np

from lexalign.errors import InputError
from lexalign.vectors import Embeddings

logger = logging.getLogger("lexalign")

MOST_PROBES = 32
ENOUGH_PROBES = 8
NUMBERS = 16
TOLERANCE = 0.02
"""Maximum deviation of a vector, as a share of its length."""


@dataclass(frozen=True)
class Probe:
    """A word, the length of its vector, and the sketch of the vector, sixteen numbers."""

    word: str
    length: float
    sketch: tuple[float, ...]

    @classmethod
    def of(cls, word: str, vector: np.ndarray) -> Probe:
        """The probe of a word with this vector (d,)."""
        sketch = tuple(float(f"{number:.6g}") for number in _sketch(vector))
        return cls(word, float(f"{_length(vector):.6g}"), sketch)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Probe:
        """Read the result of ``vars``; ValueError if it is not valid."""
        try:
            word, length, sketch = content["word"], content["length"], content["sketch"]
            numbers = float(length), *map(float, sketch)
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            raise ValueError("a probe word has the wrong form") from error
        if not isinstance(word, str) or len(sketch) != NUMBERS or not np.isfinite(numbers).all():
            raise ValueError("a probe word has another form")
        return cls(word, numbers[0], numbers[1:])

    def fits(self, vector: np.ndarray) -> bool:
        """Whether a vector (d,) belongs to this word, up to rounding."""
        if abs(_length(vector) - self.length) > TOLERANCE * self.length:
            return False
        with np.errstate(over="ignore"):  # a damaged file may hold huge numbers
            off = float(np.linalg.norm(_sketch(vector) - self.sketch))
        return off <= TOLERANCE * self.length

    def difference(self, vector: np.ndarray) -> str:
        """The word, with both lengths if they differ."""
        length = _length(vector)
        if abs(length - self.length) <= TOLERANCE * self.length:
            return repr(self.word)
        return f"{self.word!r}, of length {length:.4g} instead of {self.length:.4g}"


def _length(vector: np.ndarray) -> float:
    return float(np.linalg.norm(vector.astype(np.float64)))


def _sketch(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector.astype(np.float64) @ _signs(len(vector)) / np.sqrt(NUMBERS))


@lru_cache(maxsize=8)
def _signs(dimension: int) -> np.ndarray:
    """The matrix R, (d, 16) of ±1, the same on every machine."""
    stream = shake_128(b"lexalign probe").digest(dimension * NUMBERS // 8)
    bits = np.unpackbits(np.frombuffer(stream, dtype=np.uint8)).astype(np.float64)
    return 2 * bits.reshape(dimension, NUMBERS) - 1


def probes_of(embeddings: Embeddings) -> tuple[Probe, ...]:
    """Some words of all frequencies, more of the frequent ones; none with a zero vector."""
    ranks = np.unique(np.geomspace(1, len(embeddings), MOST_PROBES).round().astype(np.int64)) - 1
    return tuple(
        Probe.of(embeddings.words[rank], embeddings.matrix[rank])
        for rank in ranks
        if embeddings.matrix[rank].any()
    )


class ProbeCheck:
    """Compares the probes of a map with the vectors to which it is applied, block by block."""

    def __init__(
        self,
        probes: Sequence[Probe],
        problem: str = "the map was learned for other vectors",
        remedy: str = (
            "apply it to the original vectors, or set `force=True` to map these vectors anyway"
        ),
    ) -> None:
        self._problem, self._remedy = problem, remedy
        self._probes = {probe.word: probe for probe in probes}
        self.found = 0
        self.misfits = list[str]()

    @property
    def is_blind(self) -> bool:
        """Whether no probe word was found, so that nothing is known about the vectors."""
        return bool(self._probes) and not self.found

    def warn_if_blind(self, who: str) -> None:
        """Log a warning if nothing could be compared; ``who`` is the subject of the sentence."""
        if self.is_blind:
            logger.warning(
                "%s none of the probe words of the map, so the vectors were not checked", who
            )

    def look(self, words: Iterable[str], matrix: np.ndarray) -> None:
        """Compare the probes among these words; raise as soon as enough of them differ."""
        for row, word in enumerate(words):
            probe = self._probes.get(word)
            if probe is None:
                continue
            self.found += 1
            if not probe.fits(matrix[row]):
                self.misfits.append(probe.difference(matrix[row]))
        if self.found >= ENOUGH_PROBES:
            self.require_fit()

    def require_fit(self) -> None:
        """Raise if most of the compared probe words have other vectors."""
        if 2 * len(self.misfits) > self.found:
            raise InputError(
                f"{self._problem}: {len(self.misfits)} of {self.found} probe words have other "
                f"vectors, such as {self.misfits[0]}",
                remedy=self._remedy,
            )
