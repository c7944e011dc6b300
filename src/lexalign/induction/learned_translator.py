"""Translations of words by a learned ranking, with probabilities as scores."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lexalign.errors import LexalignError, UnknownWordWarning
from lexalign.induction.learned_ranking import LearnedRanking
from lexalign.progress import Stage
from lexalign.retrieval.translator import Translation, unknown_words_sentence
from lexalign.vectors import Embeddings

OTHER_DIRECTION = {"forward": "backward", "backward": "forward"}


@dataclass(frozen=True, eq=False)
class LearnedTranslator:
    """Translate words of ``source`` into ``target``; ``reverse`` is the other direction.

    Parameters
    ----------
    source, target : Embeddings, shapes (n, d) and (m, d)
        Two vocabularies in one space.
    rankings : mapping of str to LearnedRanking
        The rankings "forward" and, if trained, "backward".
    direction : str
        The ranking from ``source`` to ``target``.
    """

    source: Embeddings
    target: Embeddings
    rankings: Mapping[str, LearnedRanking]
    direction: str = "forward"

    @cached_property
    def reverse(self) -> LearnedTranslator:
        """The translator from target to source."""
        direction = OTHER_DIRECTION[self.direction]
        return LearnedTranslator(self.target, self.source, self.rankings, direction)

    def translate(
        self, words: Sequence[str], k: int = 5, stage: Stage | None = None
    ) -> list[list[Translation] | None]:
        """Translate every word.

        Parameters
        ----------
        words : sequence of str
            Words of ``source``, possibly repeated.
        k : int
            Number of translations per word.
        stage : Stage, optional
            Receives the total number of words, and the number of translated words.

        Returns
        -------
        list of (list of Translation, or None)
            One entry per input word: its ``k`` best translations with probabilities, or None for an
            unknown word. One UnknownWordWarning names all unknown words.
        """
        if self.direction not in self.rankings:
            raise LexalignError(
                "This run has no learned ranking from target to source; use `ranking=csls`, or "
                "repeat the induction in both directions."
            )
        unknown = list(dict.fromkeys(word for word in words if word not in self.source))
        if unknown:
            sentence = unknown_words_sentence(unknown, self.source, self.target)
            warnings.warn(sentence, UnknownWordWarning, stacklevel=2)
        known = [self.source.index[word] for word in dict.fromkeys(words) if word in self.source]
        found: dict[str, list[Translation]] = {self.source.words[row]: [] for row in known}
        stage = stage or Stage("")
        stage.expect(stage.done + len(known))
        if known:
            ranked = self.rankings[self.direction].rank(np.array(known), k, stage)
            for row, key, chance in zip(
                ranked.rows.tolist(),
                ranked.keys.tolist(),
                ranked.probabilities.tolist(),
                strict=True,
            ):
                found[self.source.words[row]].append(Translation(self.target.words[key], chance))
        return [found.get(word) for word in words]
