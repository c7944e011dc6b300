"""Evaluate two embeddings in one space on a lexicon by a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from lexalign.arrays import Array, require_device, to_device
from lexalign.errors import LexalignError
from lexalign.evaluation.accuracy import Accuracy, Coverage
from lexalign.evaluation.protocols import Protocol, named
from lexalign.evaluation.queries import Query, Vocabulary, cased, queries, vocabulary
from lexalign.progress import Progress
from lexalign.retrieval import inverted_ranks, penalty, ranks
from lexalign.retrieval.penalties import comparisons
from lexalign.retrieval.search import similarities
from lexalign.spaces import require_one_space
from lexalign.vectors import Embeddings, Lexicon
from lexalign.vectors.case_folding import CaseLookup
from lexalign.vectors.lexicon import require_lexicon
from lexalign.vectors.lexicon_indices import require_direction


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
        Device to compute on.
    progress : Progress, optional
        Receives the stages of the work.
    **rules
        Rules that replace those of the protocol, such as ``retrieval="nn"``.

    Returns
    -------
    Accuracy
        Rank of the right translation for every query, with scores and coverage.

    Raises
    ------
    LexalignError
        If the protocol or a rule is unknown, or the two sides do not lie in one space.
    InputError
        If no pair of the lexicon has vectors on both sides.

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

    Data of a retrieval, such as the neighbourhoods of CSLS, are computed once.

    Parameters
    ----------
    source, target : Embeddings or Vocabulary, shapes (n, d) and (m, d)
        Two vocabularies in one space. A ``Vocabulary`` is used without a copy.
    protocol : Protocol
        The rules of counting, such as ``PROTOCOLS["muse"]``.
    penalties : ndarray of float64, shape (m,), optional
        The penalties of all target words by the retrieval of the protocol, if they are known (see
        ``retrieval.penalties``).
    device : {"cpu", "cuda"}
        Device to compute on.
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
    >>> evaluator.evaluate(Lexicon([("dog", "hund")]), retrieval="invnn").protocol.name
    'vecmap with invnn'
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
                f"The `penalties` must be one number for each of the {len(self._target.words):,} "
                f"target words. Got shape {penalties.shape} instead."
            )
        self._penalties = dict[str, np.ndarray]()
        if penalties is not None:
            self._penalties[protocol.retrieval] = penalties

    def evaluate(self, lexicon: Lexicon, *, retrieval: str | None = None) -> Accuracy:
        """Evaluate on a test lexicon.

        Parameters
        ----------
        lexicon : Lexicon
            Test pairs.
        retrieval : str, optional
            How translations are found, if not by the retrieval of the protocol.

        Returns
        -------
        Accuracy
            Rank of the right translation for every query, with scores and coverage.

        Raises
        ------
        InputError
            If no pair of the lexicon has vectors on both sides, or its direction is wrong.
        """
        require_lexicon(lexicon)
        rules = self._protocol.but(retrieval=retrieval)
        if rules.retrieval == "learned":
            raise LexalignError(
                'The `retrieval="learned"` needs the ranking of a run; evaluate the folder that '
                "lexalign induce wrote."
            )
        source, target = self._source.index, self._target.index
        pairs = [cased(pair, rules) for pair in lexicon]
        require_direction(pairs, source, target)
        asked = queries(pairs, source, target, rules)
        known = [word for word, reference in pairs if word in source and reference in target]
        return Accuracy(
            protocol=rules,
            words=tuple(query.word for query in asked),
            references=tuple(query.references for query in asked),
            ranks=self._places(asked, rules),
            source_rows=np.array([query.row for query in asked], dtype=np.int64),
            coverage_words=Coverage(len(set(known)), len({word for word, _ in pairs})),
            coverage_pairs=Coverage(len(known), len(pairs)),
            vocabularies=(len(self._source.words), len(self._target.words)),
            classes=_classes(asked, pairs, lexicon.classes),
        )

    def unknown_by_case(self, lexicon: Lexicon) -> int:
        """Return the number of pairs that are unknown only because of their case.

        The rule ``case="lower"`` would find them, and under it there are none.
        """
        if self._protocol.case == "lower":
            return 0
        source, target = (
            CaseLookup(side.words, side.index) for side in (self._source, self._target)
        )
        pairs = [cased(pair, self._protocol) for pair in lexicon]
        return sum(
            word in source and reference in target
            for word, reference in pairs
            if word not in source.index or reference not in target.index
        )

    @cached_property
    def _matrices(self) -> tuple[Array, Array]:
        source, target = (
            to_device(side.matrix, self._device) for side in (self._source, self._target)
        )
        return source, target

    def _costs(self, rules: Protocol) -> np.ndarray:
        """The penalty of each target word by the retrieval of these rules."""
        if rules.retrieval not in self._penalties:
            sources, targets = self._matrices
            total = comparisons(
                rules.retrieval, len(targets), len(sources), neighbours=rules.neighbours
            )
            with self._progress.stage(
                f"preparing {rules.retrieval}", total=total, unit="comparisons"
            ) as stage:
                self._penalties[rules.retrieval] = penalty(
                    rules.retrieval,
                    targets,
                    sources,
                    neighbours=rules.neighbours,
                    beta=rules.beta,
                    advance=stage,
                ).values
        return self._penalties[rules.retrieval]

    def _places(self, asked: list[Query], rules: Protocol) -> np.ndarray:
        """The rank of the first reference; without vectors 0, or 1 by the rule of identity."""
        sources, targets = self._matrices
        identical = rules.oov == "identical"
        places = np.array(
            [identical and query.word in query.references for query in asked], dtype=np.int64
        )
        answerable = [number for number, query in enumerate(asked) if query.can_be_asked]
        who = np.array([i for i in answerable for _ in asked[i].keys], dtype=np.int64)
        rows = np.array([asked[i].row for i in who], dtype=np.int64)
        keys = np.array([key for i in answerable for key in asked[i].keys], dtype=np.int64)
        if rules.retrieval == "invnn":
            with self._progress.stage(
                "ranking all words both ways",
                total=len(np.unique(keys)) + len(targets),
                unit="words",
            ) as stage:
                found = inverted_ranks(rows, sources, targets, keys, stage)
        else:
            costs = self._costs(rules)
            with self._progress.stage("ranking translations", unit="comparisons") as stage:
                best = _best_references(who, rows, keys, sources, targets, costs)
                who, rows, keys = who[best], rows[best], keys[best]
                stage.expect(len(rows) * len(targets))
                asked_rows = sources[to_device(rows, self._device)]
                found = ranks(asked_rows, targets, keys, costs, stage)
        places[answerable] = np.iinfo(np.int64).max
        np.minimum.at(places, who, found)
        return places


def _classes(
    asked: list[Query], pairs: list[tuple[str, str]], classes: Sequence[str] | None
) -> tuple[tuple[str, ...], ...] | None:
    """The classes of the pairs of every query, each once; None if the lexicon has no classes."""
    if classes is None:
        return None
    known = dict[tuple[str, str], dict[str, None]]()
    for pair, name in zip(pairs, classes, strict=True):
        known.setdefault(pair, {})[name] = None
    return tuple(
        tuple(dict.fromkeys(name for one in query.references for name in known[query.word, one]))
        for query in asked
    )


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
