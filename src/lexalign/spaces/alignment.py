"""What every aligner and the refiner return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lexalign.errors import InputError
from lexalign.spaces.linear_map import LinearMap
from lexalign.vectors import Embeddings, Lexicon


@dataclass(frozen=True)
class Alignment:
    """Two vocabularies in one space, the map that put them there, and how it was found.

    ``source`` and ``target`` are normalised and mapped. ``lexicon`` holds the pairs the map was
    fitted on (weights are margins where the pairs were induced). ``history`` has one JSON-ready
    mapping a round, and ``citation`` names the publication of the method.
    """

    source: Embeddings
    target: Embeddings
    map: LinearMap
    lexicon: Lexicon
    history: tuple[Mapping[str, Any], ...]
    citation: str


def require_one_space(source: Embeddings, target: Embeddings) -> None:
    """Refuse vectors that cannot lie in one space because their dimensions differ."""
    if source.dimension != target.dimension:
        raise InputError(
            f"The source vectors have {source.dimension} dimensions and the target vectors "
            f"{target.dimension}",
            remedy="take two embeddings that were aligned into one space",
        )
