"""Two normalised vocabularies, and the evidence that seeds add."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lexalign.arrays import to_device
from lexalign.induction.agreement import OwnNeighbours
from lexalign.induction.endings import Endings
from lexalign.induction.features import Evidence
from lexalign.induction.letters import LetterModel, LetterTables
from lexalign.induction.spelling import SpellingIndex
from lexalign.induction.view import AlignedView
from lexalign.induction.views import FittedViews, fitted_views
from lexalign.spaces.normalise import unit_rows
from lexalign.vectors import Embeddings


class LanguagePair:
    """Two vocabularies with normalised vectors, most frequent words first.

    Spelling and monolingual neighbours do not depend on seeds and are prepared once.
    """

    def __init__(self, source: Embeddings, target: Embeddings, device: str = "cpu") -> None:
        self.source, self.target, self.device = source, target, device

    @cached_property
    def spelling(self) -> SpellingIndex:
        """Both vocabularies in Latin letters."""
        return SpellingIndex(self.source.words, self.target.words)

    @cached_property
    def neighbourhoods(self) -> OwnNeighbours:
        """The nearest words of every word in its own language."""
        sides = (
            to_device(unit_rows(side.matrix), self.device) for side in (self.source, self.target)
        )
        return OwnNeighbours(*sides)

    @cached_property
    def _letters(self) -> LetterModel:
        return LetterModel(self.source.words, self.target.words)

    @cached_property
    def _endings(self) -> Endings:
        return Endings(self.source.words, self.target.words)

    def fit_views(self, seeds: np.ndarray) -> FittedViews:
        """The views fitted to these seeds, (n, 2) rows."""
        return fitted_views(self.source.matrix, self.target.matrix, seeds, self.device)

    def evidence(
        self,
        fitted: FittedViews,
        letters: LetterTables | None = None,
        densities: Sequence[tuple[np.ndarray, np.ndarray]] | None = None,
    ) -> Evidence:
        """The evidence of fitted views and their dictionary.

        ``letters`` and the ``densities`` of the views are computed if they are not given.
        """
        rows, keys = fitted.pairs.T
        words = self.source.words, self.target.words
        return Evidence(
            views=tuple(
                AlignedView(
                    self.source.matrix,
                    self.target.matrix,
                    maps,
                    None if densities is None else densities[number],
                    self.device,
                )
                for number, maps in enumerate(fitted.maps)
            ),
            spelling=self.spelling,
            neighbourhoods=self.neighbourhoods,
            letters=LetterModel(*words, letters) if letters else self._letters.fit(rows, keys),
            endings=self._endings.fit(rows, keys),
        )
