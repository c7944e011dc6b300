"""``Alignment``: the result of every aligner and of the refiner."""

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
    """Two vocabularies in one space, the map, and how it was found.

    Parameters
    ----------
    source_of, target_of : callable
        Return the mapped words of a side. They are called when ``source`` or ``target`` is first
        used. If you need only the map, no vectors are mapped.
    map : LinearMap
        The map from the given vectors into the shared space.
    lexicon : Lexicon
        The pairs of the last fit; the weights of induced pairs are their margins.
    history : tuple of mappings
        One entry per round, in JSON types.
    citation : str
        The publication of the method.
    health : Health or None
        The health check, which needs no dictionary; None if it was not requested.
    attempts : tuple of mappings
        The result of each attempt, if there were several.
    warning : str or None
        A sentence if the input looks wrong, or if seeds were found only by ignoring case; otherwise
        None.
    seeds : Lexicon or None
        The seeds with vectors, as the vocabularies spell them. Empty without a seed lexicon; None
        for a refinement, which does not know the seeds.

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
        """The words of the target, normalised, and mapped if the method moves the target."""
        return self.target_of()

    def health_record(self) -> dict[str, Any]:
        """The health check and the attempts, in JSON types."""
        health = None if self.health is None else self.health.as_dict()
        attempts = {"attempts": self.attempts} if len(self.attempts) > 1 else {}
        return {"health": health, **attempts}

    def __repr__(self) -> str:
        return f"Alignment({len(self.lexicon)} pairs, {len(self.history)} rounds)"


def moved(words: Embeddings, matrix: np.ndarray | None) -> Embeddings:
    """Multiply normalised words by a matrix (None: the identity)."""
    return words if matrix is None else words.with_matrix(words.matrix @ matrix.astype(np.float32))
