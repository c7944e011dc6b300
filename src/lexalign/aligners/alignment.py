"""``Alignment``: what every aligner and the refiner return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lexalign.aligners.health import Health
from lexalign.spaces import LinearMap
from lexalign.vectors import Embeddings, Lexicon


@dataclass(frozen=True, eq=False, repr=False)
class Alignment:
    """Two vocabularies in one space, the map that put them there, and how it was found.

    Parameters
    ----------
    source_of, target_of : callable
        Give the mapped words of either side. They are called when ``source`` or ``target`` is first
        used, so that whoever needs the map alone does not pay for mapped vectors.
    map : LinearMap
        From the vectors that were given into the space.
    lexicon : Lexicon
        The pairs that the map was last fitted on; weights are margins where pairs were induced.
    history : tuple of mappings
        One JSON-ready entry a round.
    citation : str
        The publication of the method.
    health : Health or None
        How the result looks without a dictionary; None where that was not asked.
    attempts : tuple of mappings
        How each attempt ended, if there were several.
    warning : str or None
        A sentence if the input looks wrong, or if seeds were found only by ignoring case.
    seeds : Lexicon or None
        The seeds as the two vocabularies spell them, without those that have no vectors. Empty if
        there was no seed lexicon; None of a refinement, which does not know it.

    Examples
    --------
    >>> import lexalign
    >>> words = ["one", "two", "three"]
    >>> source = lexalign.Embeddings(words, [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> target = lexalign.Embeddings(words, [[0.0, 1.0], [-1.0, 0.0], [-0.8, 0.6]])
    >>> lexicon = lexalign.Lexicon([(word, word) for word in words])
    >>> aligned = lexalign.align("procrustes", source, target, lexicon, normalise="unit")
    >>> aligned.source["one"].round(1).tolist(), aligned.target["one"].tolist()
    ([0.0, 1.0], [0.0, 1.0])
    """

    source_of: Callable[[], Embeddings]
    target_of: Callable[[], Embeddings]
    map: LinearMap
    lexicon: Lexicon
    history: tuple[Mapping[str, Any], ...]
    citation: str
    health: Health | None = None
    attempts: tuple[Mapping[str, Any], ...] = ()
    warning: str | None = None
    seeds: Lexicon | None = None

    @cached_property
    def source(self) -> Embeddings:
        """The words of the source, normalised and mapped."""
        return self.source_of()

    @cached_property
    def target(self) -> Embeddings:
        """The words of the target, normalised and, by methods that move it, mapped."""
        return self.target_of()

    def health_record(self) -> dict[str, Any]:
        """The health check and the attempts, JSON-ready."""
        health = None if self.health is None else self.health.as_dict()
        attempts = {"attempts": self.attempts} if len(self.attempts) > 1 else {}
        return {"health": health, **attempts}

    def __repr__(self) -> str:
        return f"Alignment({len(self.lexicon)} pairs, {len(self.history)} rounds)"


def moved(words: Embeddings, matrix: np.ndarray | None) -> Embeddings:
    """Normalised words times a matrix (None: the identity)."""
    return words if matrix is None else words.with_matrix(words.matrix @ matrix.astype(np.float32))
