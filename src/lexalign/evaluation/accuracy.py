"""Bilingual lexicon induction: at which place the right translation of a word is found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lexalign.arrays import Array, require_device, to_device
from lexalign.errors import LexalignError
from lexalign.evaluation.protocols import Protocol, named
from lexalign.evaluation.queries import Query, Vocabulary, cased, queries, vocabulary
from lexalign.progress import Progress
from lexalign.retrieval import inverted_ranks, penalty, ranks
from lexalign.retrieval.search import similarities
from lexalign.spaces import require_one_space
from lexalign.vectors import Embeddings, Lexicon
from lexalign.vectors.lexicon import require_direction, require_lexicon

CUTOFFS = (1, 5, 10)
METRICS = (*(f"p@{k}" for k in CUTOFFS), "mrr")


def contributions(ranks: np.ndarray, metric: str) -> np.ndarray:
    """What every query adds to the mean: for "p@k" 1 if its rank is at most k, for "mrr" 1/rank.

    Rank 0, which stands for never, adds nothing.
    """
    found = ranks > 0
    if metric == "mrr":
        return np.where(found, 1 / np.maximum(ranks, 1), 0.0)
    return (found & (ranks <= int(metric.removeprefix("p@")))).astype(np.float64)


class Coverage(NamedTuple):
    """How many of how many could be asked."""

    known: int
    total: int

    @property
    def share(self) -> float:
        """As a fraction."""
        return self.known / self.total if self.total else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Accuracy:
    """Hold the result of an evaluation, query by query.

    With rᵢ the rank of the best reference of query i among all target words, over n queries,

        P@k = |{i : 1 ≤ rᵢ ≤ k}| / n   and   MRR = (1/n) Σ 1/rᵢ

    where rᵢ = 0 stands for a translation that cannot be found and adds nothing.

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
        How many words and pairs of the lexicon both vocabularies contain.
    vocabularies : (int, int)
        Number of source words and of target words.

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
    """

    protocol: Protocol
    words: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    ranks: np.ndarray
    source_rows: np.ndarray
    coverage_words: Coverage
    coverage_pairs: Coverage
    vocabularies: tuple[int, int]

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
            references=tuple(
                tuple(dict.fromkeys(one for number in group for one in self.references[number]))
                for group in groups.values()
            ),
            ranks=np.array([min(ranks, default=0) for ranks in found], dtype=np.int64),
            source_rows=self.source_rows[[group[0] for group in groups.values()]],
        )

    def scores(self) -> dict[str, float]:
        """Return all scores by name, as fractions between 0 and 1."""
        return {metric: self.score(metric) for metric in METRICS}

    def summary(self) -> dict[str, float]:
        """Return the scores and the number of queries."""
        return {**self.scores(), "queries": self.queries}

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON.

        ``ranks`` lists every word with its references and its rank.
        """
        return {
            "protocol": self.protocol.name,
            **self.scores(),
            "coverage": self.coverage,
            "queries": self.queries,
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


def evaluate(
    source: Embeddings,
    target: Embeddings,
    lexicon: Lexicon,
    *,
    protocol: str | Protocol = "muse",
    device: str = "cpu",
    progress: Progress | None = None,
    **rules: Any,
) -> Accuracy:
    """Evaluate two embeddings in one space on a test lexicon.

    On equal scores the more frequent candidate comes first.

    Parameters
    ----------
    source, target : Embeddings, shapes (n, d) and (m, d)
        Two vocabularies in one space. All words of ``target`` are candidates, and CSLS takes its
        neighbourhoods from all words; to count fewer, cut both first (``source.top(200_000)``).
    lexicon : Lexicon
        Test pairs.
    protocol : str or Protocol
        The rules of counting, such as "muse" [1]_ or "vecmap" [2]_.
    device : {"cpu", "cuda"}
        Where to compute.
    progress : Progress, optional
        Receives the stages of the work.
    **rules
        Single rules that replace those of the protocol, such as ``retrieval="nn"``.

    Returns
    -------
    Accuracy
        Rank of the right translation for every query, with scores and coverage.

    Raises
    ------
    LexalignError
        If the protocol or a rule is unknown, or the two sides do not lie in one space.
    InputError
        If source and target know no pair of the lexicon.

    Examples
    --------
    >>> from lexalign.vectors import Embeddings, Lexicon
    >>> matrix = [[1, 0], [0, 1], [-1, 0], [0, -1]]
    >>> english = Embeddings(["dog", "cat", "sun", "ice"], matrix)
    >>> german = Embeddings(["hund", "katze", "sonne", "eis"], matrix)
    >>> lexicon = Lexicon([("dog", "hund"), ("cat", "sonne")])
    >>> evaluate(english, german, lexicon, retrieval="nn").precision(1)
    0.5

    References
    ----------
    .. [1] Conneau et al. 2018, "Word Translation Without Parallel Data".
    .. [2] Artetxe et al. 2018, "A robust self-learning method for fully unsupervised cross-lingual
       mappings of word embeddings".
    """
    agreed = named(protocol).but(**rules)
    return Evaluator(source, target, agreed, device=device, progress=progress).evaluate(lexicon)


class Evaluator:
    """Evaluate two embeddings in one space on any number of lexicons.

    The neighbourhoods of CSLS depend on the vectors alone and are computed once.

    Parameters
    ----------
    source, target : Embeddings or Vocabulary, shapes (n, d) and (m, d)
        Two vocabularies in one space. A ``Vocabulary`` is used without a copy.
    protocol : Protocol
        The rules of counting, such as ``PROTOCOLS["muse"]``.
    penalties : ndarray of float64, shape (m,), optional
        The penalties of all target words, if they are known (see ``retrieval.penalties``).
    device : {"cpu", "cuda"}
        Where to compute.
    progress : Progress, optional
        Receives the stages of the work.

    Raises
    ------
    InputError
        If the two sides have different dimensions.
    LexalignError
        If the device is not available, or the penalties have another shape.

    Examples
    --------
    >>> from lexalign import Embeddings, Lexicon
    >>> from lexalign.evaluation import PROTOCOLS
    >>> english = Embeddings(["dog", "cat"], [[1, 0], [0, 1]])
    >>> german = Embeddings(["hund", "katze"], [[1, 0], [0, 1]])
    >>> evaluator = Evaluator(english, german, PROTOCOLS["vecmap"])
    >>> for pair in [("dog", "hund"), ("cat", "hund")]:
    ...     evaluator.evaluate(Lexicon([pair])).precision(1)
    1.0
    0.0
    """

    def __init__(
        self,
        source: Embeddings | Vocabulary,
        target: Embeddings | Vocabulary,
        protocol: Protocol,
        *,
        penalties: np.ndarray | None = None,
        device: str = "cpu",
        progress: Progress | None = None,
    ) -> None:
        require_device(device)
        if not (isinstance(source, Vocabulary) or isinstance(target, Vocabulary)):
            require_one_space(source, target)
        self._protocol, self._device, self._progress = protocol, device, progress or Progress()
        self._source, self._target = (
            side if isinstance(side, Vocabulary) else vocabulary(side, protocol)
            for side in (source, target)
        )
        if penalties is not None and penalties.shape != (len(self._target.words),):
            raise LexalignError(
                f"The 'penalties' must be one number for each of the {len(self._target.words):,} "
                f"target words. Got shape {penalties.shape} instead."
            )
        self._penalties = penalties

    def evaluate(self, lexicon: Lexicon) -> Accuracy:
        """Evaluate on a test lexicon.

        Parameters
        ----------
        lexicon : Lexicon
            Test pairs.

        Returns
        -------
        Accuracy
            Rank of the right translation for every query, with scores and coverage.

        Raises
        ------
        InputError
            If source and target know no pair of the lexicon, or its direction is wrong.
        """
        require_lexicon(lexicon)
        source, target = self._source.index, self._target.index
        pairs = [cased(pair, self._protocol) for pair in lexicon]
        require_direction(pairs, source, target)
        asked = queries(pairs, source, target, self._protocol)
        known = [word for word, reference in pairs if word in source and reference in target]
        return Accuracy(
            protocol=self._protocol,
            words=tuple(query.word for query in asked),
            references=tuple(query.references for query in asked),
            ranks=self._places(asked),
            source_rows=np.array([query.row for query in asked], dtype=np.int64),
            coverage_words=Coverage(len(set(known)), len({word for word, _ in pairs})),
            coverage_pairs=Coverage(len(known), len(pairs)),
            vocabularies=(len(self._source.words), len(self._target.words)),
        )

    @cached_property
    def _matrices(self) -> tuple[Array, Array]:
        source, target = (
            to_device(side.matrix, self._device) for side in (self._source, self._target)
        )
        return source, target

    @cached_property
    def _costs(self) -> np.ndarray:
        """What every target word pays by the retrieval of the protocol."""
        if self._penalties is not None:
            return self._penalties
        rules = self._protocol
        sources, targets = self._matrices
        with self._progress.stage(f"preparing {rules.retrieval}"):
            return penalty(
                rules.retrieval,
                targets,
                sources,
                neighbours=rules.neighbours,
                beta=rules.beta,
            ).values

    def _places(self, asked: list[Query]) -> np.ndarray:
        """Where the first reference is found; without vectors 0, or 1 by the rule of identity."""
        rules, (sources, targets) = self._protocol, self._matrices
        identical = rules.oov == "identical"
        places = np.array(
            [identical and query.word in query.references for query in asked], dtype=np.int64
        )
        answerable = [number for number, query in enumerate(asked) if query.can_be_asked]
        who = np.array([i for i in answerable for _ in asked[i].keys], dtype=np.int64)
        rows = np.array([asked[i].row for i in who], dtype=np.int64)
        keys = np.array([key for i in answerable for key in asked[i].keys], dtype=np.int64)
        if rules.retrieval == "invnn":
            with self._progress.stage("ranking all words both ways"):
                found = inverted_ranks(rows, sources, targets, keys)
        else:
            costs = self._costs
            with self._progress.stage("ranking translations"):
                best = _best_references(who, rows, keys, sources, targets, costs)
                who, rows, keys = who[best], rows[best], keys[best]
                found = ranks(sources[to_device(rows, self._device)], targets, keys, costs)
        places[answerable] = np.iinfo(np.int64).max
        np.minimum.at(places, who, found)
        return places


def _best_references(
    who: np.ndarray,
    rows: np.ndarray,
    keys: np.ndarray,
    sources: Array,
    targets: Array,
    costs: np.ndarray,
) -> np.ndarray:
    """The places of those references that are found first of all of their query."""
    scores = similarities(sources[rows], targets, keys[:, None])[:, 0] - costs[keys]
    order = np.lexsort((keys, -scores, who))
    _, first = np.unique(who[order], return_index=True)
    return np.asarray(order[first])
