"""The learned ranking of a run for one word at a time, loaded while the page already answers.

A ranking holds its views of both languages in memory, unlike everything else of the explorer.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from lexalign.errors import LexalignError
from lexalign.induction.learned_ranking import LearnedRanking, RankedCandidates, RankedWord
from lexalign.induction.reasons import reasons
from lexalign.runs import Run
from lexalign.vectors import Embeddings

DIRECTIONS = {"source": "forward", "target": "backward"}
REMEMBERED = 512


class RunRanking:
    """Ranks the translations of words of each side for which a ranking was trained.

    Parameters
    ----------
    rankings : mapping of str to LearnedRanking
        The rankings "forward" and perhaps "backward".
    words : mapping of str to int
        The number of words of the sides "source" and "target" that it knows, the most frequent.
    """

    def __init__(self, rankings: Mapping[str, LearnedRanking], words: Mapping[str, int]) -> None:
        self._rankings, self._words = rankings, words
        # A ranking keeps what it finds of neighbours, and is not made for several threads.
        self._lock = threading.Lock()
        self._remembered = lru_cache(maxsize=REMEMBERED)(self._ranked)

    def of_side(self, side: str) -> LearnedRanking | None:
        """The ranking that translates words of a side, None if there is none."""
        return self._rankings.get(DIRECTIONS[side])

    def is_learned(self, side: str) -> bool:
        """Whether a learned ranking orders the translations of a side, not CSLS."""
        ranking = self.of_side(side)
        return ranking is not None and ranking.ranker is not None

    def knows(self, side: str, rows: np.ndarray) -> bool:
        """Whether it can rank the translations of all these words."""
        return self.of_side(side) is not None and bool((rows < self._words[side]).all())

    def word(self, side: str, row: int) -> RankedWord | None:
        """A word with its candidates, best first; None if it cannot rank them."""
        return self._remembered(side, row) if self.knows(side, np.array([row])) else None

    def reasons(self, side: str, found: RankedWord, keys: np.ndarray) -> list[list[str]]:
        """What speaks for some of the candidates of a word."""
        ranking = self.of_side(side)
        assert ranking is not None
        with self._lock:
            return reasons(ranking, found, keys)

    def rank(self, side: str, rows: np.ndarray) -> RankedCandidates:
        """The candidates of several words that it knows."""
        ranking = self.of_side(side)
        assert ranking is not None
        with self._lock:
            return ranking.rank(rows)

    def _ranked(self, side: str, row: int) -> RankedWord:
        ranking = self.of_side(side)
        assert ranking is not None
        with self._lock:
            return ranking.rank_word(row)


class RankingLoader:
    """Loads the ranking of a run in a thread.

    ``ranking`` is None until it is there. ``problem`` is a sentence if it cannot be loaded.
    """

    def __init__(self, run: Run, source: Embeddings, target: Embeddings) -> None:
        self.ranking: RunRanking | None = None
        self.problem: str | None = None
        self._thread = threading.Thread(
            target=self._load, args=(run, source, target), name="ranking", daemon=True
        )
        self._thread.start()

    @property
    def state(self) -> str:
        """One of "loading", "ready" and "failed"."""
        if self.ranking is not None:
            return "ready"
        return "loading" if self._thread.is_alive() and self.problem is None else "failed"

    def wait(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def _load(self, run: Run, source: Embeddings, target: Embeddings) -> None:
        try:
            self.ranking = load_run_ranking(run, source, target)
        except LexalignError as error:
            self.problem = str(error)
        except MemoryError:
            self.problem = (
                "The learned ranking does not fit into memory; start the explorer with "
                "--ranking csls, or induce with a smaller --vocabulary."
            )


def load_run_ranking(run: Run, source: Embeddings, target: Embeddings) -> RunRanking:
    """Load the ranking of a run for the words that it was learned with.

    With other words the neighbourhoods of all of them would have to be found again, for minutes.

    Raises
    ------
    LexalignError
        If there are fewer words, or the files of the ranking are damaged.
    """
    counts = run.ranked_words
    if counts[0] > len(source) or counts[1] > len(target):
        raise LexalignError(
            f"The learned ranking needs all {max(counts):,} words that it was learned with; start "
            f"the explorer with --limit {max(counts)}."
        )
    sides = source.top(counts[0]), target.top(counts[1])
    return RunRanking(run.rankings(*sides), dict(zip(DIRECTIONS, counts, strict=True)))
