"""Probe words: how a map recognises the vectors that it was learned for.

A map applied to other vectors, say to vectors that were normalised or mapped already, gives numbers
that look fine and mean nothing. So a map keeps a few words of each side with the length of their
vectors and the signs of their coordinates. Files that round their numbers leave both as they are;
any rotation changes half of the signs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.errors import InputError
from lexalign.vectors import Embeddings

MOST_PROBES = 32
ENOUGH_PROBES = 8
LENGTH_TOLERANCE = 0.01
SIGN_TOLERANCE = 0.05
SMALL = 1e-3
"""Coordinates below this share of the largest are not compared: rounding may turn their sign."""


@dataclass(frozen=True)
class Probe:
    """A word, the length of its vector, and the signs of its d coordinates as hexadecimal."""

    word: str
    length: float
    signs: str

    @classmethod
    def of(cls, word: str, vector: np.ndarray) -> Probe:
        """The probe of a word with this vector (d,)."""
        length = float(np.linalg.norm(vector.astype(np.float64)))
        return cls(word, float(f"{length:.6g}"), np.packbits(vector >= 0).tobytes().hex())

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Probe:
        """Read what ``vars`` gives; ValueError if it is something else."""
        word, length, signs = content["word"], content["length"], content["signs"]
        if not isinstance(word, str) or not isinstance(signs, str):
            raise ValueError("a probe word has another form")
        bytes.fromhex(signs)
        return cls(word, float(length), signs)

    def fits(self, vector: np.ndarray) -> bool:
        """Whether a vector (d,) is the one of this word, up to rounding."""
        length = float(np.linalg.norm(vector.astype(np.float64)))
        if abs(length - self.length) > LENGTH_TOLERANCE * self.length:
            return False
        kept = np.unpackbits(np.frombuffer(bytes.fromhex(self.signs), dtype=np.uint8))
        if len(kept) < len(vector):
            return False
        compared = np.abs(vector) > SMALL * np.abs(vector).max(initial=0.0)
        other = (vector >= 0) != kept[: len(vector)].astype(bool)
        return bool(np.count_nonzero(other & compared) <= SIGN_TOLERANCE * max(1, compared.sum()))


def probes_of(embeddings: Embeddings) -> tuple[Probe, ...]:
    """Some words of all frequencies, the frequent ones denser; none whose vector is zero."""
    ranks = np.unique(np.geomspace(1, len(embeddings), MOST_PROBES).round().astype(np.int64)) - 1
    return tuple(
        Probe.of(embeddings.words[rank], embeddings.matrix[rank])
        for rank in ranks
        if embeddings.matrix[rank].any()
    )


class ProbeCheck:
    """Compares the probes of a map with the vectors that it is applied to, block by block."""

    def __init__(self, probes: Sequence[Probe]) -> None:
        self._probes = {probe.word: probe for probe in probes}
        self.found = 0
        self.misfits = list[str]()

    @property
    def is_blind(self) -> bool:
        """Whether no probe word was met, so that nothing is known about the vectors."""
        return bool(self._probes) and not self.found

    def look(self, words: Iterable[str], matrix: np.ndarray) -> None:
        """Compare the probes among these words; raise as soon as enough of them do not fit."""
        for row, word in enumerate(words):
            probe = self._probes.get(word)
            if probe is None:
                continue
            self.found += 1
            if not probe.fits(matrix[row]):
                length = float(np.linalg.norm(matrix[row].astype(np.float64)))
                self.misfits.append(f"{word!r}, of length {length:.3g} instead of {probe.length:g}")
        if self.found >= ENOUGH_PROBES:
            self.require_fit()

    def require_fit(self) -> None:
        """Raise if most of the probe words met so far have other vectors."""
        if 2 * len(self.misfits) > self.found:
            raise InputError(
                "these are not the vectors that the map was learned for: "
                f"{len(self.misfits)} of {self.found} probe words have other vectors, such as "
                f"{self.misfits[0]}",
                remedy="apply it to the original vectors, or pass `force=True` to map these anyway",
            )
