"""The result of an inducer: translations of words and of whole vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lexalign.aligners.alignment import Alignment
from lexalign.aligners.pairs import Pairs
from lexalign.errors import LexalignError
from lexalign.induction.dictionary import Dictionary
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.learned_ranking import LearnedRanking
from lexalign.induction.methods import maps_of
from lexalign.induction.ranking_model import RankingModel
from lexalign.induction.selection import Choice
from lexalign.induction.start import Start
from lexalign.induction.view import ViewMaps
from lexalign.progress import Progress
from lexalign.vectors import Embeddings, Lexicon

TRANSLATIONS = 5


@dataclass(frozen=True, eq=False)
class InducedTranslation:
    """Translate words with probabilities; the result of ``Inducer.fit``.

    Attributes
    ----------
    start : Start
        The initial alignment: the chosen method, and the other methods tried.
    seeds : Pairs
        The seeds, or the identical words used as seeds.
    alignment : Alignment
        The final alignment; it differs from ``start`` only if it was refitted to weak labels.
    model : RankingModel
        The rankers of both directions.
    """

    pair: LanguagePair
    start: Start
    seeds: Pairs
    alignment: Alignment
    model: RankingModel
    progress: Progress

    @property
    def choice(self) -> Choice:
        """The chosen method, and the other methods tried."""
        return self.start.choice

    @property
    def maps(self) -> ViewMaps:
        """The maps of the alignment, from normalised vectors."""
        return maps_of(self.alignment)

    @cached_property
    def rankings(self) -> dict[str, LearnedRanking]:
        """The ranking of each direction: "forward", and "backward" if it was trained."""
        return self.model.on(self.pair)

    def predict(self, words: Sequence[str]) -> list[str | None]:
        """Return the best translation of each word, None for an unknown word."""
        found = dict(self.translate(words, top=1).pairs)
        return [found.get(word) for word in words]

    def translate(
        self, words: Sequence[str], *, top: int = TRANSLATIONS, direction: str = "forward"
    ) -> Dictionary:
        """Return the translations of some words, without unknown words."""
        index = self._side(direction).index
        rows = [index[word] for word in dict.fromkeys(words) if word in index]
        return self._dictionary(np.array(rows, dtype=np.int64), top, direction)

    def dictionary(
        self,
        *,
        top: int = TRANSLATIONS,
        max_rank: int | None = None,
        direction: str = "forward",
        min_probability: float = 0.0,
    ) -> Dictionary:
        """Return the translations of all words, or of the ``max_rank`` most frequent ones.

        Parameters
        ----------
        top : int
            Number of translations per word.
        max_rank : int, optional
            Translate only this number of most frequent words.
        direction : {"forward", "backward"}
            From source to target, or back.
        min_probability : float
            Leave out translations with a lower probability.
        """
        count = len(self._side(direction))
        rows = np.arange(min(count, max_rank or count))
        found = self._dictionary(rows, top, direction)
        return found.at_least(min_probability) if min_probability > 0 else found

    def _dictionary(self, rows: np.ndarray, top: int, direction: str) -> Dictionary:
        with self.progress.stage("ranking", total=len(rows), unit="words") as advance:
            found = self.rankings[direction].rank(rows, top, advance)
        source, target = self.pair.source.words, self.pair.target.words
        one, other = (source, target) if direction == "forward" else (target, source)
        return Dictionary(
            tuple(one[row] for row in found.rows.tolist()),
            tuple(other[key] for key in found.keys.tolist()),
            found.probabilities,
            found.places,
            self.record,
        )

    def _side(self, direction: str) -> Embeddings:
        """The words to translate."""
        if direction not in self.model.directions:
            known = tuple(self.model.directions)
            raise LexalignError(
                f"The `direction` must be one of {known}. Got {direction!r} instead."
            )
        return self.pair.source if direction == "forward" else self.pair.target

    @property
    def seed_lexicon(self) -> Lexicon:
        """The seeds that have vectors, as the vocabularies spell them."""
        return self.seeds.lexicon(self.pair.source, self.pair.target)

    @property
    def lexicon(self) -> Lexicon:
        """The pairs of the alignment; for a given alignment, the pairs of the views."""
        if len(self.alignment.lexicon):
            return self.alignment.lexicon
        return Pairs(self.model.fitted.pairs).lexicon(self.pair.source, self.pair.target)

    @property
    def record(self) -> dict[str, Any]:
        """How the dictionary was made, in JSON types."""
        return {
            "start": self.start.kind,
            "seeds": len(self.seeds),
            "choice": self.choice.as_dict(),
            "ranking": {
                name: {"kind": model.kind, **model.record}
                for name, model in self.model.directions.items()
            },
        }
