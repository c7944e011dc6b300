"""The induced dictionary of a run as a table that can be sorted, filtered and reviewed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lexalign.explore.suggestions import folded
from lexalign.induction.dictionary import Dictionary
from lexalign.runs.review import RIGHT, Pair
from lexalign.vectors import Embeddings

UNSURE = (0.25, 0.75)
"""A word is unsure if the probability of its first translation lies here."""

SORTS = ("frequency", "probability", "word", "translation")
STATES = ("all", "open", "accepted", "rejected", "corrected", "unsure", "changed")
_OPEN, _REJECTED, _CORRECTED, _ACCEPTED = range(4)  # what is decided later in this list wins
STATE_NAMES = ("open", "rejected", "corrected", "accepted")


class Translation(NamedTuple):
    """A translation: its probability, None if a reader added it, and the verdict on it."""

    word: str
    probability: float | None
    verdict: str | None


class Entry(NamedTuple):
    """A word with its translations, the place of the word by frequency, and the review so far.

    ``csls`` is the first translation by CSLS, None as long as that is not known.
    """

    word: str
    rank: int
    translations: list[Translation]
    state: str
    csls: str | None


class Selection(NamedTuple):
    """Which entries, in which order."""

    sort: str = "frequency"
    descending: bool = False
    state: str = "all"
    text: str = ""
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, eq=False)
class RunDictionary:
    """The words of a dictionary, each with its translations.

    Parameters
    ----------
    dictionary : Dictionary
        As ``lexalign induce`` wrote it.
    source, target : Embeddings
        The vocabularies, most frequent words first.
    first_by_csls : int array, shape (words,), optional
        The row of the first translation by CSLS of the words of the source.
    """

    dictionary: Dictionary
    source: Embeddings
    target: Embeddings
    first_by_csls: np.ndarray | None = None

    @cached_property
    def starts(self) -> np.ndarray:
        """Where the translations of each word begin, and the end of all."""
        words = np.array(self.dictionary.source, dtype=object)
        changes = np.flatnonzero(words[1:] != words[:-1]) + 1
        return np.r_[0, changes, len(words)] if len(words) else np.zeros(1, dtype=np.int64)

    @cached_property
    def words(self) -> list[str]:
        """Every source word once."""
        return [self.dictionary.source[start] for start in self.starts[:-1].tolist()]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def ranks(self) -> np.ndarray:
        """The place of each word in its vocabulary, from 1; behind all others if it has none."""
        index, last = self.source.index, len(self.source)
        return np.array([index.get(word, last) + 1 for word in self.words], dtype=np.int64)

    @cached_property
    def _first(self) -> tuple[list[str], np.ndarray]:
        """The first translation of each word, and its probability."""
        starts = self.starts[:-1]
        return [self.dictionary.target[at] for at in starts.tolist()], self.dictionary.probability[
            starts
        ]

    @cached_property
    def _folded(self) -> tuple[list[str], list[str]]:
        return [folded(word) for word in self.words], [folded(word) for word in self._first[0]]

    @cached_property
    def _csls(self) -> list[str] | None:
        """The first translation by CSLS of each word."""
        if self.first_by_csls is None:
            return None
        words, first = self.target.words, self.first_by_csls
        return [words[first[rank - 1]] if rank <= len(first) else "" for rank in self.ranks]

    @cached_property
    def _changed(self) -> np.ndarray:
        if self._csls is None:
            return np.zeros(len(self), dtype=bool)
        pairs = zip(self._first[0], self._csls, strict=True)
        return np.array([bool(csls) and first != csls for first, csls in pairs], dtype=bool)

    def states(self, verdicts: Mapping[Pair, str]) -> np.ndarray:
        """The state of every word: a place in ``STATE_NAMES``.

        A word is accepted if its first translation is right, corrected if only another one is, and
        rejected if the first is wrong and none is right.
        """
        found = np.full(len(self), _OPEN, dtype=np.int8)
        for (source, target), verdict in verdicts.items():
            place = self._place.get(source)
            if place is None:
                continue
            if verdict == RIGHT:
                new = _ACCEPTED if self._first[0][place] == target else _CORRECTED
            else:
                new = _REJECTED if self._first[0][place] == target else _OPEN
            found[place] = max(found[place], new)
        return found

    def select(
        self, selection: Selection, verdicts: Mapping[Pair, str], offset: int, count: int
    ) -> tuple[int, list[Entry]]:
        """The number of entries of a selection, and some of them."""
        states = self.states(verdicts)
        probabilities = self._first[1]
        chosen = (probabilities >= selection.low) & (probabilities <= selection.high)
        chosen &= self._in_state(selection.state, states)
        if selection.text:
            wanted = folded(selection.text)
            chosen &= np.array(
                [wanted in one or wanted in other for one, other in zip(*self._folded, strict=True)]
            )
        places = np.flatnonzero(chosen)
        places = places[self._order(selection.sort, places, selection.descending)]
        some = places[offset : offset + count].tolist()
        return len(places), [self._entry(place, states, verdicts) for place in some]

    def entries(self, words: Iterable[str], verdicts: Mapping[Pair, str]) -> list[Entry]:
        """The entries of some words that the dictionary has."""
        states = self.states(verdicts)
        places = sorted(self._place[word] for word in words if word in self._place)
        return [self._entry(place, states, verdicts) for place in places]

    def _in_state(self, state: str, states: np.ndarray) -> np.ndarray:
        if state == "unsure":
            low, high = UNSURE
            return (self._first[1] >= low) & (self._first[1] < high)
        if state == "changed":
            return self._changed
        if state in STATE_NAMES:
            return np.asarray(states == STATE_NAMES.index(state))
        return np.ones(len(self), dtype=bool)

    def _order(self, sort: str, places: np.ndarray, descending: bool) -> np.ndarray:
        """The order of some places; equal ones by frequency."""
        keys: np.ndarray
        if sort == "probability":
            keys = self._first[1][places]
        elif sort in ("word", "translation"):
            spelled = self._folded[0 if sort == "word" else 1]
            keys = np.unique([spelled[place] for place in places], return_inverse=True)[1]
        else:
            keys = self.ranks[places]
        return np.lexsort((self.ranks[places], -keys if descending else keys))

    def _entry(self, place: int, states: np.ndarray, verdicts: Mapping[Pair, str]) -> Entry:
        word, (start, end) = self.words[place], self.starts[place : place + 2].tolist()
        listed = [
            Translation(
                self.dictionary.target[at],
                float(self.dictionary.probability[at]),
                verdicts.get((word, self.dictionary.target[at])),
            )
            for at in range(start, end)
        ]
        known = {translation.word for translation in listed}
        added = [
            Translation(target, None, verdict)
            for (source, target), verdict in verdicts.items()
            if source == word and target not in known
        ]
        csls = None if self._csls is None else self._csls[place] or None
        return Entry(word, int(self.ranks[place]), listed + added, STATE_NAMES[states[place]], csls)

    def progress(self, verdicts: Mapping[Pair, str]) -> dict[str, int]:
        """The number of words in each state."""
        counts = np.bincount(self.states(verdicts), minlength=len(STATE_NAMES))
        return dict(zip(STATE_NAMES, counts.tolist(), strict=True))
