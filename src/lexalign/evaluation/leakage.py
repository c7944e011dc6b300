"""Leakage: test queries that are seeds of the alignment, or close to a seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.errors import InputError
from lexalign.evaluation.accuracy import Accuracy
from lexalign.evaluation.queries import cased
from lexalign.vectors import Lexicon
from lexalign.vectors.lexicon import require_lexicon

STEM = 5
MOST_LETTERS_MORE = 3
EXAMPLES = 5


@dataclass(frozen=True, eq=False)
class Leakage:
    """The test queries that are seeds of the alignment, or close to a seed.

    - A query *is a seed* if one of its pairs of word and reference is a seed. Its score measures
      memory, not generalisation.
    - Another query *shares a target* with a seed if one of its references is the target word of a
      seed.
    - It *shares a stem* with a seed if both have the same source word. It also does if both source
      words begin with the same 5 letters and their lengths differ by at most 3.

    Words are compared in the case that the protocol sets.

    Parameters
    ----------
    whole : Accuracy
        The result over all n queries.
    seeds : int
        Number of seeds.
    is_seed, shares_target, shares_stem : ndarray of bool, shape (n,)
        The flags of each query. The last two are False where the first is True.

    Examples
    --------
    >>> from lexalign import Embeddings, Lexicon, evaluate
    >>> english = Embeddings(["house", "houses", "dog"], [[1, 0], [0, 1], [0.6, 0.8]])
    >>> german = Embeddings(["haus", "häuser", "hund"], [[1, 0], [0, 1], [0.6, 0.8]])
    >>> test = Lexicon([("house", "haus"), ("houses", "häuser"), ("dog", "hund")])
    >>> result = evaluate(english, german, test, retrieval="nn")
    >>> leakage = Leakage.of(result, Lexicon([("house", "haus")]))
    >>> leakage.queries, leakage.shares_stem.tolist(), leakage.clean.words
    (1, [False, True, False], ('houses', 'dog'))
    """

    whole: Accuracy
    seeds: int
    is_seed: np.ndarray
    shares_target: np.ndarray
    shares_stem: np.ndarray

    @classmethod
    def of(cls, result: Accuracy, seeds: Lexicon) -> Leakage:
        """Find the queries of a result among the seeds.

        Parameters
        ----------
        result : Accuracy
            The result of an evaluation.
        seeds : Lexicon
            The seed lexicon of the alignment, such as ``Run.open(folder).seeds``.
        """
        require_lexicon(seeds)
        pairs = {cased(pair, result.protocol) for pair in seeds}
        targets = {target for _, target in pairs}
        stems = _Stems(word for word, _ in pairs)
        queries = list(zip(result.words, result.references, strict=True))
        is_seed = _flags(any((word, one) in pairs for one in listed) for word, listed in queries)
        return cls(
            result,
            len(seeds),
            is_seed,
            _flags(not targets.isdisjoint(listed) for _, listed in queries) & ~is_seed,
            _flags(word in stems for word, _ in queries) & ~is_seed,
        )

    @property
    def queries(self) -> int:
        """Return the number of queries that are seeds."""
        return int(self.is_seed.sum())

    @property
    def examples(self) -> tuple[str, ...]:
        """Return the source words of the first queries that are seeds, each once."""
        words = dict.fromkeys(self.whole.words[row] for row in np.flatnonzero(self.is_seed))
        return tuple(words)[:EXAMPLES]

    @property
    def clean(self) -> Accuracy:
        """Return the result without the queries that are seeds."""
        return self.without_seeds(self.whole)

    def without_seeds(self, result: Accuracy) -> Accuracy:
        """Return a result for the same queries, without those that are seeds.

        Raises
        ------
        InputError
            If no query is left.
        """
        if self.is_seed.all():
            raise InputError(
                f"all {len(self.is_seed):,} queries are seeds of the alignment",
                remedy="test on words that are not seeds",
            )
        return result.only(np.flatnonzero(~self.is_seed))

    def as_dict(self) -> dict[str, Any]:
        """Return everything in JSON types; ``leaked`` lists the queries that are seeds."""
        return {
            "seeds": self.seeds,
            "queries": self.queries,
            "examples": list(self.examples),
            "shares_target": int(self.shares_target.sum()),
            "shares_stem": int(self.shares_stem.sum()),
            "without_seeds": None if self.is_seed.all() else self.clean.summary(),
            "leaked": np.flatnonzero(self.is_seed).tolist(),
        }


class _Stems:
    """The source words of the seeds, and their first letters."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = set(words)
        self._lengths = dict[str, set[int]]()
        for word in self._words:
            if len(word) >= STEM:
                self._lengths.setdefault(word[:STEM], set()).add(len(word))

    def __contains__(self, word: str) -> bool:
        lengths = self._lengths.get(word[:STEM], ())
        return word in self._words or any(
            abs(len(word) - length) <= MOST_LETTERS_MORE for length in lengths
        )


def _flags(values: Iterable[bool]) -> np.ndarray:
    return np.array(list(values), dtype=np.bool_)
