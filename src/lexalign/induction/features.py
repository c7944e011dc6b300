"""Features: what vectors, frequency and spelling say about a candidate.

vectors     in every view: cosine, CSLS, distance to the best, place, the view backwards
frequency   ranks of both words in their vocabularies, and their difference apart from them
spelling    similarity of the words in Latin letters
letters     log-odds of a character model learned from pairs
endings     association of the endings, learned from pairs
neighbours  whether the neighbours of both words are translations too
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lexalign.induction import agreement, spelling
from lexalign.induction.agreement import OwnNeighbours
from lexalign.induction.candidates import Candidates
from lexalign.induction.endings import SIZES, Endings
from lexalign.induction.letters import LetterModel
from lexalign.induction.spelling import SpellingIndex
from lexalign.induction.view import AlignedView

CLOSE = 12
"""Number of candidates per word whose neighbourhoods are compared in full."""

GROUPS = (
    "vectors",
    "frequency",
    "relative frequency",
    "spelling",
    "letters",
    "endings",
    "neighbours",
)
OF_A_VIEW = (
    "cosine",
    "csls",
    "csls below best",
    "csls lead",
    "place",
    "cosine below best",
    "backward place",
    "csls below backward best",
    "source density",
    "target density",
)


@dataclass(frozen=True)
class FeatureTable:
    """The features of candidates: names as "group: feature", and values, (n, f) float32."""

    names: tuple[str, ...]
    values: np.ndarray

    @property
    def views(self) -> int:
        """The number of views; the last one is the alignment."""
        return sum(name.startswith("vectors: csls below best ") for name in self.names)

    def only(self, groups: Sequence[str]) -> FeatureTable:
        """The features of some groups."""
        columns = [at for at, name in enumerate(self.names) if name.partition(":")[0] in groups]
        return FeatureTable(tuple(self.names[at] for at in columns), self.values[:, columns])


@dataclass(frozen=True)
class Evidence:
    """The sources of the features: the views, and models fitted to pairs."""

    views: tuple[AlignedView, ...]
    spelling: SpellingIndex
    neighbourhoods: OwnNeighbours
    letters: LetterModel
    endings: Endings

    @property
    def swapped(self) -> Evidence:
        """The evidence from target to source."""
        return Evidence(
            tuple(view.swapped for view in self.views),
            self.spelling.swapped,
            self.neighbourhoods.swapped,
            self.letters.swapped,
            self.endings.swapped,
        )

    def candidates(self, words: np.ndarray) -> Candidates:
        """The candidates of some source words."""
        return Candidates.of(self.views, self.spelling, words)

    def features(self, found: Candidates) -> FeatureTable:
        """The features of candidates."""
        names, columns = list[str](), list[np.ndarray]()

        def add(group: str, features: Sequence[str], values: Iterable[np.ndarray]) -> None:
            names.extend(f"{group}: {feature}" for feature in features)
            columns.extend(np.asarray(value, dtype=np.float32) for value in values)

        below = np.zeros(len(found))
        for number, view in enumerate(self.views, start=1):
            values = _of_view(view, found)
            below += values[OF_A_VIEW.index("csls below best")]
            add("vectors", [f"{name} {number}" for name in OF_A_VIEW], values)
        add("vectors", ("below best", "place"), (below, np.log1p(found.places(-below))))
        ranks = np.log1p(found.rows), np.log1p(found.keys)
        add("frequency", ("source", "target"), ranks)
        add("relative frequency", ("difference",), (ranks[1] - ranks[0],))
        add("spelling", spelling.FEATURES, self.spelling.features(found.rows, found.keys).T)
        odds = self.letters.log_odds(found.rows, found.keys)
        add(
            "letters",
            ("odds", "below best", "place"),
            (odds, found.highest(odds) - odds, np.log1p(found.places(odds))),
        )
        associated = self.endings.association(found.rows, found.keys)
        add("endings", [f"last {size}" for size in SIZES], associated.T)
        near = agreement.agreement(
            self.views[-1],
            self.neighbourhoods,
            found.rows,
            found.keys,
            close=found.places(-below) < CLOSE,
        )
        add("neighbours", agreement.FEATURES, near.T)
        highest = found.highest(np.nan_to_num(near[:, 0], nan=-1.0))
        add("neighbours", ("below best",), (highest - near[:, 0],))
        return FeatureTable(tuple(names), np.column_stack(columns))


def _of_view(view: AlignedView, found: Candidates) -> list[np.ndarray]:
    """The features of one view, in the order of ``OF_A_VIEW``."""
    rows, keys = found.rows, found.keys
    cosine = view.cosines(rows, keys)
    densities = view.source_density[rows], view.target_density[keys]
    csls = 2 * cosine - densities[0] - densities[1]
    places, first = view.backward(rows, keys)
    return [
        cosine,
        csls,
        found.highest(csls) - csls,
        found.lead(csls),
        np.log1p(found.places(csls)),
        found.highest(cosine) - cosine,
        np.log1p(places),
        first - csls,
        *densities,
    ]
