"""What every aligner and the refiner return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexalign.errors import InputError
from lexalign.spaces.linear_map import LinearMap
from lexalign.vectors import Embeddings, Lexicon

if TYPE_CHECKING:
    from lexalign.aligners.health import Health


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


def require_embeddings(source: Embeddings, target: Embeddings) -> None:
    """Refuse what are no embeddings."""
    for name, side in (("source", source), ("target", target)):
        if not isinstance(side, Embeddings):
            raise InputError(
                f"The '{name}' must be Embeddings. Got {type(side).__name__} instead",
                remedy="read a file with lexalign.read, or make Embeddings(words, matrix)",
            )


def require_one_space(
    source: Embeddings,
    target: Embeddings,
    files: tuple[Path, Path] | None = None,
    remedy: str = "take two embeddings of equal dimension",
) -> None:
    """Refuse what are no embeddings, and those whose dimensions differ; ``files`` name them."""
    require_embeddings(source, target)
    if source.dimension != target.dimension:
        one, other = ("The source", "the target vectors")
        if files is not None:
            one, other = ("its", f"those of {files[1]}")
        raise InputError(
            f"{one} vectors have {source.dimension} dimensions and {other} {target.dimension}",
            path=files[0] if files else None,
            remedy=remedy,
        )
