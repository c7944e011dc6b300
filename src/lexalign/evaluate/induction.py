"""Bilingual lexicon induction: at which place the right translation of a word is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lexalign.errors import InputError
from lexalign.evaluate.protocols import Protocol, named
from lexalign.progress import Progress
from lexalign.retrieval import inverted_ranks, penalty, ranks
from lexalign.retrieval.search import similarities
from lexalign.spaces.arrays import Array, require_device, to_device
from lexalign.spaces.normalise import unit_rows
from lexalign.vectors import Embeddings, Lexicon

CUTOFFS = (1, 5, 10)


class Coverage(NamedTuple):
    """How many of how many could be asked."""

    known: int
    total: int

    @property
    def share(self) -> float:
        """As a fraction."""
        return self.known / self.total if self.total else 0.0


@dataclass(frozen=True, eq=False)
class Induction:
    """The outcome, question by question.

    Question i asks for the translations ``references[i]`` of ``words[i]``; the first of them was
    found at place ``ranks[i]``, from 1, where 0 stands for never. ``frequency_ranks[i]`` is the row
    of the source word, -1 if it has none. ``coverage_words`` and ``coverage_pairs`` tell how much
    of the lexicon is in the vocabularies, of ``vocabularies`` many words.
    """

    protocol: Protocol
    words: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    ranks: np.ndarray
    frequency_ranks: np.ndarray
    coverage_words: Coverage
    coverage_pairs: Coverage
    vocabularies: tuple[int, int]

    @property
    def queries(self) -> int:
        """The number of questions, the denominator of every score."""
        return len(self.words)

    @property
    def coverage(self) -> float:
        """The share of the lexicon that could be asked, in what the protocol counts."""
        counted = self.coverage_words if self.protocol.unit == "word" else self.coverage_pairs
        return counted.share

    def precision(self, k: int) -> float:
        """P@k: the share of questions with a right translation among the first k."""
        return float(self.hits(k).mean()) if self.queries else 0.0

    def hits(self, k: int) -> np.ndarray:
        """Which questions have a right translation among the first k."""
        return (self.ranks > 0) & (self.ranks <= k)

    @property
    def reciprocal_ranks(self) -> np.ndarray:
        """One over the place of the first right translation, 0 where there is none."""
        return np.where(self.ranks > 0, 1 / np.maximum(self.ranks, 1), 0.0)

    @property
    def mrr(self) -> float:
        """The mean reciprocal rank."""
        return float(self.reciprocal_ranks.mean()) if self.queries else 0.0

    def only(self, chosen: np.ndarray) -> Induction:
        """The questions at these places; the coverage stays that of the whole lexicon."""
        return replace(
            self,
            words=tuple(self.words[row] for row in chosen),
            references=tuple(self.references[row] for row in chosen),
            ranks=self.ranks[chosen],
            frequency_ranks=self.frequency_ranks[chosen],
        )

    def scores(self) -> dict[str, float]:
        """All scores by name, as fractions."""
        return {**{f"p@{k}": self.precision(k) for k in CUTOFFS}, "mrr": self.mrr}

    def summary(self) -> dict[str, float]:
        """The scores and the number of questions."""
        return {**self.scores(), "queries": self.queries}

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON, every question included."""
        return {
            "protocol": self.protocol.name,
            **self.scores(),
            "coverage": self.coverage,
            "queries": self.queries,
            "words": self.coverage_words._asdict(),
            "pairs": self.coverage_pairs._asdict(),
            "vocabularies": list(self.vocabularies),
            "rules": {
                rule: value for rule, value in asdict(self.protocol).items() if rule != "name"
            },
            "questions": [
                [word, list(references), int(rank)]
                for word, references, rank in zip(
                    self.words, self.references, self.ranks, strict=True
                )
            ],
        }


def bli(
    source: Embeddings,
    target: Embeddings,
    lexicon: Lexicon,
    *,
    protocol: str | Protocol = "muse",
    device: str = "cpu",
    progress: Progress | None = None,
    **rules: Any,
) -> Induction:
    """Evaluate two embeddings in one space on a lexicon, as ``protocol`` has it.

    Keyword arguments overrule single rules of it (see ``Protocol``): ``retrieval="nn"``. All words
    of ``target`` are candidates, and CSLS takes its neighbourhoods from all words of both sides, so
    cut them to what shall count (``source.top(200_000)``). On equal scores the more frequent
    candidate comes first.
    """
    agreed = named(protocol).but(**rules)
    return Evaluator(source, target, agreed, device=device, progress=progress).evaluate(lexicon)


class Evaluator:
    """Two embeddings in one space as a protocol sees them, ready for any number of lexicons.

    What depends on the vectors alone, above all the neighbourhoods of CSLS, is computed once.
    """

    def __init__(
        self,
        source: Embeddings,
        target: Embeddings,
        protocol: Protocol,
        *,
        device: str = "cpu",
        progress: Progress | None = None,
    ) -> None:
        require_device(device)
        if source.dimension != target.dimension:
            raise InputError(
                f"The source vectors have {source.dimension} dimensions and the target vectors "
                f"{target.dimension}",
                remedy="evaluate two embeddings that were aligned into one space",
            )
        self._protocol, self._device, self._progress = protocol, device, progress or Progress()
        self._left, self._right = _vocabulary(source, protocol), _vocabulary(target, protocol)

    def evaluate(self, lexicon: Lexicon) -> Induction:
        """Ask for every word of ``lexicon``."""
        left, right = self._left.index, self._right.index
        pairs = [_cased(pair, self._protocol) for pair in lexicon]
        _require_direction(pairs, left, right)
        asked = _questions(pairs, left, right, self._protocol)
        known = [word for word, reference in pairs if word in left and reference in right]
        return Induction(
            protocol=self._protocol,
            words=tuple(question.word for question in asked),
            references=tuple(question.references for question in asked),
            ranks=self._places(asked),
            frequency_ranks=np.array([question.row for question in asked], dtype=np.int64),
            coverage_words=Coverage(len(set(known)), len({word for word, _ in pairs})),
            coverage_pairs=Coverage(len(known), len(pairs)),
            vocabularies=(len(self._left.words), len(self._right.words)),
        )

    @cached_property
    def _matrices(self) -> tuple[Array, Array]:
        source, target = (
            to_device(side.matrix, self._device) for side in (self._left, self._right)
        )
        return source, target

    @cached_property
    def _costs(self) -> np.ndarray:
        """What every target word pays by the retrieval of the protocol."""
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

    def _places(self, questions: list[_Question]) -> np.ndarray:
        """Where the first reference is found; without vectors 0, or 1 by the rule of identity."""
        rules, (sources, targets) = self._protocol, self._matrices
        identical = rules.oov == "identical"
        places = np.array(
            [identical and question.word in question.references for question in questions],
            dtype=np.int64,
        )
        asking = [i for i, question in enumerate(questions) if question.can_be_asked]
        who = np.array([i for i in asking for _ in questions[i].keys], dtype=np.int64)
        queries = np.array([questions[i].row for i in who], dtype=np.int64)
        keys = np.array([key for i in asking for key in questions[i].keys], dtype=np.int64)
        if rules.retrieval == "invnn":
            with self._progress.stage("ranking all words both ways"):
                found = inverted_ranks(queries, sources, targets, keys)
        else:
            costs = self._costs
            with self._progress.stage("ranking translations"):
                best = _best_references(who, queries, keys, sources, targets, costs)
                who, queries, keys = who[best], queries[best], keys[best]
                found = ranks(sources[to_device(queries, self._device)], targets, keys, costs)
        places[asking] = np.iinfo(np.int64).max
        np.minimum.at(places, who, found)
        return places


@dataclass(frozen=True, eq=False)
class _Vocabulary:
    """One side as the protocol sees it."""

    words: tuple[str, ...]
    matrix: np.ndarray
    index: Mapping[str, int]


class _Question(NamedTuple):
    """A source word, the references that count, and where they are; -1 for nowhere."""

    word: str
    references: tuple[str, ...]
    row: int
    keys: tuple[int, ...]

    @property
    def can_be_asked(self) -> bool:
        """Whether the word and a translation of it have vectors."""
        return self.row >= 0 and bool(self.keys)


def _vocabulary(embeddings: Embeddings, rules: Protocol) -> _Vocabulary:
    words, matrix = tuple(embeddings.words), embeddings.matrix
    if rules.case == "lower":
        words = tuple(word.lower() for word in words)
    if rules.duplicates == "first":
        index: dict[str, int] = {}
        kept = [row for row, word in enumerate(words) if index.setdefault(word, row) == row]
        if len(kept) < len(words):
            words, matrix = tuple(words[row] for row in kept), matrix[kept]
            index = {word: row for row, word in enumerate(words)}
    else:
        index = {word: row for row, word in enumerate(words)}
    return _Vocabulary(words, _prepared(matrix, rules), index)


def _prepared(matrix: np.ndarray, rules: Protocol) -> np.ndarray:
    """Rows of unit length for the cosine, and zero rows as ruled."""
    if rules.similarity == "cosine":
        matrix = unit_rows(matrix)
    zero = ~matrix.any(axis=1)
    if zero.any() and rules.zero_vectors == "axis":
        matrix = np.array(matrix)
        matrix[zero, 0] = 1.0
    return matrix


def _cased(pair: tuple[str, str], rules: Protocol) -> tuple[str, str]:
    return pair if rules.case == "as-is" else (pair[0].lower(), pair[1].lower())


def _require_direction(
    pairs: list[tuple[str, str]], left: Mapping[str, int], right: Mapping[str, int]
) -> None:
    """Refuse a lexicon that has nothing to ask, or that is the wrong way round."""
    forward = sum(word in left and other in right for word, other in pairs)
    backward = sum(word in right and other in left for word, other in pairs)
    if backward > 2 * forward:
        raise InputError(
            f"the lexicon seems to be the other way round: source and target know {forward} of its "
            f"{len(pairs)} pairs as they are and {backward} with the words exchanged",
            remedy="exchange source and target, or take the lexicon of the other direction",
        )
    if not forward:
        raise InputError(
            f"source and target know none of the {len(pairs)} pairs of the lexicon",
            remedy="check the languages, the case of the words, and the limit of the vocabularies",
        )


def _questions(
    pairs: list[tuple[str, str]],
    left: Mapping[str, int],
    right: Mapping[str, int],
    rules: Protocol,
) -> list[_Question]:
    grouped: list[tuple[str, tuple[str, ...]]]
    if rules.unit == "pair":
        grouped = [(word, (reference,)) for word, reference in pairs]
    else:
        references: dict[str, dict[str, None]] = {}
        for word, reference in pairs:
            references.setdefault(word, {})[reference] = None
        grouped = [(word, tuple(found)) for word, found in references.items()]
    questions = [
        _Question(word, found, left.get(word, -1), tuple(right[y] for y in found if y in right))
        for word, found in grouped
    ]
    if rules.oov == "drop":
        return [question for question in questions if question.can_be_asked]
    return questions


def _best_references(
    who: np.ndarray,
    queries: np.ndarray,
    keys: np.ndarray,
    sources: Array,
    targets: Array,
    costs: np.ndarray,
) -> np.ndarray:
    """The places of those references that are found first of all of their question."""
    scores = similarities(sources[queries], targets, keys[:, None])[:, 0] - costs[keys]
    order = np.lexsort((keys, -scores, who))
    _, first = np.unique(who[order], return_index=True)
    return np.asarray(order[first])
