"""The space that a run left behind, and the one before it, if the run refined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.progress import Progress
from lexalign.runs import Run
from lexalign.spaces import unit_length
from lexalign.vectors import FREQUENT_WORDS, Embeddings, Lexicon


@dataclass(frozen=True, eq=False)
class BeforeAfter:
    """A run with its words at unit length.

    ``before`` is the source before refinement, None if the run did not refine. Refinement turns the
    source by an orthogonal matrix M that is kept with the run, so turning it back by Mᵀ gives what
    was there before: no other file is needed.
    """

    run: Run
    source: Embeddings
    target: Embeddings
    before: Embeddings | None

    @classmethod
    def read(
        cls, folder: Path, *, limit: int = FREQUENT_WORDS, progress: Progress | None = None
    ) -> BeforeAfter:
        """Read the folder of a run over one pair; of the vectors the most frequent words."""
        progress, run = progress or Progress(), Run.open(folder, limit=limit)
        _ = run.files
        run.read_vectors(progress)
        source, target = unit_length(run.source), unit_length(run.target)
        before = None
        if run.rotation is not None:
            before = source.with_matrix(source.matrix @ run.rotation.T.astype(np.float32))
        return cls(run, source, target, before)

    @property
    def name(self) -> str:
        """What the folder is called."""
        return self.run.name

    @property
    def record(self) -> Mapping[str, Any]:
        """The record of the run."""
        return self.run.record

    @property
    def rotation(self) -> np.ndarray | None:
        """The rotation of the refinement; None for an alignment."""
        return self.run.rotation

    @property
    def lexicon(self) -> Lexicon:
        """The pairs of the last fit; empty if their file no longer exists."""
        return self.run.lexicon

    @property
    def method(self) -> str:
        """The method, with its loss if it refines."""
        if self.before is None:
            return self.run.method
        return f"{self.run.method}, {self.run.parameters['loss']}"

    @property
    def unrefined(self) -> Embeddings:
        """The source before refinement, or as it is."""
        return self.source if self.before is None else self.before
