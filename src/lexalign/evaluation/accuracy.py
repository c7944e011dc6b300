"""Accuracy of translation: the rank of the right translation of each word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lexalign.evaluation.protocols import Protocol

CUTOFFS = (1, 5, 10)
METRICS = (*(f"p@{k}" for k in CUTOFFS), "mrr")


def contributions(ranks: np.ndarray, metric: str) -> np.ndarray:
    """The contribution of each query to the mean: for "p@k" 1 if its rank is at most k, for "mrr"
    1/rank.

    Rank 0, which stands for never, adds nothing.
    """
    found = ranks > 0
    if metric == "mrr":
        return np.where(found, 1 / np.maximum(ranks, 1), 0.0)
    return (found & (ranks <= int(metric.removeprefix("p@")))).astype(np.float64)


class Coverage(NamedTuple):
    """The number of known items among all items."""

    known: int
    total: int

    @property
    def share(self) -> float:
        """As a fraction."""
        return self.known / self.total if self.total else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Accuracy:
    """The result of an evaluation, query by query.

    With rᵢ the rank of the best reference of query i among all target words, over n queries,

        P@k = |{i : 1 ≤ rᵢ ≤ k}| / n   and   MRR = (1/n) Σ 1/rᵢ

    where rᵢ = 0 means that no right translation can be found; it adds nothing.

    Parameters
    ----------
    protocol : Protocol
        The rules of counting.
    words : tuple of str, length n
        The source word of each query.
    references : tuple of tuples of str, length n
        The right translations of each query.
    ranks : ndarray of int64, shape (n,)
        The rank of the best reference, counted from 1; 0 if it cannot be found.
    source_rows : ndarray of int64, shape (n,)
        The row of the source word, counted from 0; -1 if it has no vector.
    coverage_words, coverage_pairs : Coverage
        The numbers of words and pairs of the lexicon that both vocabularies contain.
    vocabularies : (int, int)
        Number of source words and of target words.
    classes : tuple of tuples of str, length n, optional
        The word classes of each query, if the lexicon has classes.

    Examples
    --------
    >>> from lexalign import Embeddings, Lexicon, evaluate
    >>> matrix = [[1, 0], [0.6, 0.8], [0, 1]]
    >>> english = Embeddings(["dog", "cat", "sun"], matrix)
    >>> german = Embeddings(["hund", "katze", "sonne"], matrix)
    >>> test = Lexicon([("dog", "hund"), ("cat", "sonne"), ("ice", "eis")])
    >>> accuracy = evaluate(english, german, test, retrieval="nn")
    >>> accuracy.ranks.tolist(), accuracy.precision(1), accuracy.mrr
    ([1, 2], 0.5, 0.75)
    >>> accuracy.coverage_words
    Coverage(known=2, total=3)
    >>> accuracy.copying, accuracy.other_spelling.queries
    (0.0, 2)
    """

    protocol: Protocol
    words: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    ranks: np.ndarray
    source_rows: np.ndarray
    coverage_words: Coverage
    coverage_pairs: Coverage
    vocabularies: tuple[int, int]
    classes: tuple[tuple[str, ...], ...] | None = None

    def __repr__(self) -> str:
        scores = ", ".join(f"{metric} {score:.3f}" for metric, score in self.scores().items())
        return f"Accuracy({self.protocol.name}: {scores}, {self.queries} queries)"

    @property
    def queries(self) -> int:
        """Return the number of queries, the denominator of every score."""
        return len(self.words)

    @property
    def coverage(self) -> float:
        """Return the share of the words or pairs of the lexicon that have vectors."""
        counted = self.coverage_words if self.protocol.unit == "word" else self.coverage_pairs
        return counted.share

    def score(self, metric: str) -> float:
        """Return the mean of a metric over all queries, 0 if there are none.

        Parameters
        ----------
        metric : str
            "mrr", or "p@" and a number, such as "p@5".
        """
        return float(contributions(self.ranks, metric).mean()) if self.queries else 0.0

    def precision(self, k: int) -> float:
        """Return P@k, the share of queries with a right translation among the first k."""
        return self.score(f"p@{k}")

    @property
    def mrr(self) -> float:
        """Return the mean reciprocal rank of the best right translation."""
        return self.score("mrr")

    @property
    def spelled_alike(self) -> np.ndarray:
        """Return whether each query has a reference that is identical to the word, shape (n,)."""
        pairs = zip(self.words, self.references, strict=True)
        return np.array([word in references for word, references in pairs], dtype=np.bool_)

    @property
    def copying(self) -> float:
        """Return P@1 of a system that answers every query with the source word itself."""
        return float(self.spelled_alike.mean()) if self.queries else 0.0

    @property
    def other_spelling(self) -> Accuracy:
        """Return the result without the queries with a reference identical to the word."""
        return self.only(np.flatnonzero(~self.spelled_alike))

    def only(self, chosen: np.ndarray) -> Accuracy:
        """Return the result for some queries; the coverage stays that of the whole lexicon.

        Parameters
        ----------
        chosen : ndarray of int
            The numbers of the queries, counted from 0.
        """
        return replace(
            self,
            words=tuple(self.words[row] for row in chosen),
            references=tuple(self.references[row] for row in chosen),
            ranks=self.ranks[chosen],
            source_rows=self.source_rows[chosen],
            classes=None if self.classes is None else tuple(self.classes[row] for row in chosen),
        )

    def by_word(self) -> Accuracy:
        """Return the accuracy of source words from that of pairs: a word has its best rank."""
        groups = dict[str, list[int]]()
        for number, word in enumerate(self.words):
            groups.setdefault(word, []).append(number)
        found = [[rank for rank in self.ranks[group] if rank > 0] for group in groups.values()]
        return replace(
            self,
            protocol=self.protocol.but(unit="word"),
            words=tuple(groups),
            references=_merged(self.references, groups.values()),
            ranks=np.array([min(ranks, default=0) for ranks in found], dtype=np.int64),
            source_rows=self.source_rows[[group[0] for group in groups.values()]],
            classes=None if self.classes is None else _merged(self.classes, groups.values()),
        )

    def scores(self) -> dict[str, float]:
        """Return all scores by name, as fractions between 0 and 1."""
        return {metric: self.score(metric) for metric in METRICS}

    def summary(self) -> dict[str, float]:
        """Return the scores and the number of queries."""
        return {**self.scores(), "queries": self.queries}

    def as_dict(self) -> dict[str, Any]:
        """Return everything in JSON types.

        ``ranks`` lists every word with its references and its rank.
        """
        return {
            "protocol": self.protocol.name,
            **self.scores(),
            "coverage": self.coverage,
            "queries": self.queries,
            "copying": self.copying,
            "other_spelling": self.other_spelling.summary(),
            "coverage_words": self.coverage_words._asdict(),
            "coverage_pairs": self.coverage_pairs._asdict(),
            "vocabularies": list(self.vocabularies),
            "rules": self.protocol.rules,
            "ranks": [
                [word, list(references), int(rank)]
                for word, references, rank in zip(
                    self.words, self.references, self.ranks, strict=True
                )
            ],
        }


def _merged(
    listed: Sequence[tuple[str, ...]], groups: Iterable[Sequence[int]]
) -> tuple[tuple[str, ...], ...]:
    """What the members of each group list, each text once."""
    return tuple(
        tuple(dict.fromkeys(one for number in group for one in listed[number])) for group in groups
    )
