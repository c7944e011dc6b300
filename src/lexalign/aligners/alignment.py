"""What every aligner and the refiner return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lexalign.aligners.health import Health
from lexalign.spaces import LinearMap
from lexalign.vectors import Embeddings, Lexicon


@dataclass(frozen=True, repr=False)
class Alignment:
    """Two vocabularies in one space, the map that put them there, and how it was found.

    ``source`` and ``target`` are normalised and mapped. ``lexicon`` holds the pairs the map was
    fitted on (weights are margins where the pairs were induced). ``history`` has one JSON-ready
    mapping a round, ``citation`` names the publication of the method, and ``health`` says how the
    result looks without a dictionary (see ``lexalign.aligners.health``).
    """

    source: Embeddings
    target: Embeddings
    map: LinearMap
    lexicon: Lexicon
    history: tuple[Mapping[str, Any], ...]
    citation: str
    health: Health | None = None

    def __repr__(self) -> str:
        return (
            f"Alignment({self.source!r}, {self.target!r}, {len(self.lexicon)} pairs, "
            f"{len(self.history)} rounds)"
        )
