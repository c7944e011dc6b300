"""Translations of words, and whole dictionaries, from two embeddings in one space."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from lexalign.arrays import Array, device_parameter, to_device
from lexalign.errors import LexalignError, UnknownWordWarning
from lexalign.parameters import Parameter
from lexalign.progress import Stage
from lexalign.retrieval.mutual import mutual_pairs
from lexalign.retrieval.penalties import (
    Penalty,
    beta_parameter,
    neighbourhood,
    neighbours_parameter,
    penalty,
    retrieval_parameter,
)
from lexalign.retrieval.search import Neighbours
from lexalign.retrieval.settled import SPARE_CANDIDATES, settled_top_k
from lexalign.spaces import require_one_space, unit_length
from lexalign.vectors import Embeddings, Lexicon

EXACT_AT_FIRST = 2_000
WORDS_AT_ONCE = 10_000
LISTED_WORDS = 20
K = Parameter(default=5, kind=int, at_least=1, help="Number of translations per word.")
SUGGESTED_FOR_AT_MOST = 3


class Translation(NamedTuple):
    """A candidate and its score."""

    word: str
    score: float


@attrs.frozen(kw_only=True, eq=False, slots=False)
class Translator:
    """Translate words of ``source`` into ``target``; ``reverse`` is the other direction.

    For a few words, CSLS needs the neighbourhoods of few candidates. The others have lower bounds,
    and are computed only if the bound does not decide the order.

    Parameters
    ----------
    source, target : Embeddings, shapes (n, d) and (m, d)
        Two vocabularies in one space.
    retrieval : {"csls", "nn", "invsoftmax"}
        Score of a candidate: CSLS, cosine, or inverted softmax.
    neighbours : int
        The k of CSLS.
    beta : float
        Inverse temperature of the inverted softmax.
    device : {"cpu", "cuda"}
        Device to compute on.

    Raises
    ------
    LexalignError
        If ``retrieval`` is unknown or the two sides do not lie in one space.

    Examples
    --------
    >>> from lexalign.vectors import Embeddings
    >>> matrix = [[1, 0], [0, 1], [-1, 0], [0, -1]]
    >>> english = Embeddings(["dog", "cat", "sun", "ice"], matrix)
    >>> german = Embeddings(["Hund", "Katze", "Sonne", "Eis"], matrix)
    >>> translator = Translator(source=english, target=german, retrieval="nn")
    >>> translator.translate(["cat", "dog"], k=1)
    [[Translation(word='Katze', score=1.0)], [Translation(word='Hund', score=1.0)]]
    """

    role: ClassVar[str] = "translation"

    source: Embeddings
    target: Embeddings
    retrieval: str = retrieval_parameter("How candidates are scored.")
    neighbours: int = neighbours_parameter()
    beta: float = beta_parameter()
    device: str = device_parameter()

    def __attrs_post_init__(self) -> None:
        """Scale both sides to unit length."""
        require_one_space(self.source, self.target)
        for name in ("source", "target"):
            object.__setattr__(self, name, unit_length(getattr(self, name)))

    @cached_property
    def reverse(self) -> Translator:
        """The translator from target to source."""
        other = attrs.evolve(self, source=self.target, target=self.source)
        other.__dict__["reverse"], other.__dict__["_matrices"] = self, self._matrices[::-1]
        return other

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
            One entry per input word: its ``k`` best translations, best first, or None for an
            unknown word. One UnknownWordWarning names all unknown words.
        """
        if isinstance(words, str):
            raise LexalignError("The `words` must be a list of words. Got one text instead.")
        K.require("k", k, "translation")
        known = list(dict.fromkeys(word for word in words if word in self.source))
        unknown = list(dict.fromkeys(word for word in words if word not in self.source))
        if unknown:
            sentence = unknown_words_sentence(unknown, self.source, self.target)
            warnings.warn(sentence, UnknownWordWarning, stacklevel=2)
        stage = stage or Stage("")
        stage.expect(stage.done + len(known))
        if len(known) * (k + SPARE_CANDIDATES) > len(self.target):
            self._costs.resolve(np.flatnonzero(~self._costs.known))
        found: dict[str, list[Translation]] = {}
        for start in range(0, len(known), WORDS_AT_ONCE):
            some = known[start : start + WORDS_AT_ONCE]
            rows = np.array([self.source.index[word] for word in some])
            best = self._search(rows, min(k, len(self.target)))
            for word, scores, keys in zip(some, best.scores, best.indices, strict=True):
                found[word] = [
                    Translation(self.target.words[key], float(score))
                    for key, score in zip(keys, scores, strict=True)
                ]
            stage(len(some))
        return [found.get(word) for word in words]

    def mutual(
        self,
        *,
        max_rank: int | None = None,
        min_margin: float | None = None,
        stage: Stage | None = None,
    ) -> Lexicon:
        """The pairs of words that are each other's best translation, with their margins.

        ``max_rank`` limits the search to the most frequent words of each side. ``min_margin``
        leaves out pairs with a smaller margin over the second choice. A ``stage`` counts
        comparisons.
        """
        found = mutual_pairs(
            *self._matrices,
            retrieval=self.retrieval,
            neighbours=self.neighbours,
            beta=self.beta,
            max_rank=len(self.source) + len(self.target) if max_rank is None else max_rank,
            min_margin=min_margin,
            stage=stage,
        )
        pairs = [(self.source.words[i], self.target.words[j]) for i, j in found.pairs.tolist()]
        return Lexicon(pairs, found.margins)

    def _search(self, rows: np.ndarray, k: int) -> Neighbours:
        """The k best of each row, with the scores of the criterion."""
        sources, targets = self._matrices
        queries, costs = sources[to_device(rows, self.device)], self._costs
        found = settled_top_k(queries, targets, k, costs)
        if self.retrieval == "invsoftmax":
            return Neighbours(np.exp(costs.factor * found.scores), found.indices)
        scores = costs.factor * found.scores
        if self.retrieval == "csls":
            scores = scores - neighbourhood(queries, targets, self.neighbours)[:, None]
        return Neighbours(scores, found.indices)

    @cached_property
    def _matrices(self) -> tuple[Array, Array]:
        return (
            to_device(self.source.matrix, self.device),
            to_device(self.target.matrix, self.device),
        )

    @cached_property
    def _costs(self) -> Penalty:
        sources, targets = self._matrices
        head = EXACT_AT_FIRST if self.retrieval == "csls" else None
        return penalty(
            self.retrieval,
            targets,
            sources,
            neighbours=self.neighbours,
            beta=self.beta,
            head=head,
        )


def translate(
    source: Embeddings,
    target: Embeddings,
    words: Sequence[str],
    *,
    k: int = 5,
    retrieval: str = "csls",
    neighbours: int = 10,
    beta: float = 30.0,
    device: str = "cpu",
) -> list[list[Translation] | None]:
    """Translate words of ``source`` into ``target``, two embeddings in one space.

    Parameters
    ----------
    source, target : Embeddings, shapes (n, d) and (m, d)
        Two vocabularies in one space.
    words : sequence of str
        Words of ``source``, possibly repeated.
    k : int
        Number of translations per word.
    retrieval : {"csls", "nn", "invsoftmax"}
        Score of a candidate: CSLS [1]_, cosine, or inverted softmax [2]_.
    neighbours : int
        The k of CSLS.
    beta : float
        Inverse temperature of the inverted softmax.
    device : {"cpu", "cuda"}
        Device to compute on.

    Returns
    -------
    list of (list of Translation, or None)
        One entry per input word: its translations, best first, or None for an unknown word. One
        UnknownWordWarning names all unknown words.

    Raises
    ------
    LexalignError
        If ``retrieval`` is unknown or the two sides do not lie in one space.

    Examples
    --------
    >>> from lexalign.vectors import Embeddings
    >>> matrix = [[1, 0], [0, 1], [-1, 0], [0, -1]]
    >>> english = Embeddings(["dog", "cat", "sun", "ice"], matrix)
    >>> german = Embeddings(["Hund", "Katze", "Sonne", "Eis"], matrix)
    >>> translate(english, german, ["cat"], k=1, retrieval="nn")
    [[Translation(word='Katze', score=1.0)]]

    References
    ----------
    .. [1] Conneau et al. 2018, "Word Translation Without Parallel Data".
    .. [2] Smith et al. 2017, "Offline Bilingual Word Vectors, Orthogonal Transformations and the
       Inverted Softmax".
    """
    translator = Translator(
        source=source,
        target=target,
        retrieval=retrieval,
        neighbours=neighbours,
        beta=beta,
        device=device,
    )
    return translator.translate(words, k)


def unknown_words_sentence(unknown: Sequence[str], source: Embeddings, target: Embeddings) -> str:
    """Name unknown words, the first of them with suggestions."""
    different = list(dict.fromkeys(unknown))
    named = [
        repr(word) + (_suggestion(word, source, target) if place < SUGGESTED_FOR_AT_MOST else "")
        for place, word in enumerate(different[:LISTED_WORDS])
    ]
    more = f" and {len(different) - len(named):,} more" if len(different) > len(named) else ""
    kind = "1 unknown word" if len(different) == 1 else f"{len(different):,} unknown words"
    return (
        f"{kind}: {', '.join(named)}{more}; check spelling and case, or read more words (`limit`)."
    )


def _suggestion(word: str, source: Embeddings, target: Embeddings) -> str:
    if word in target:
        return " (a word of the other language: translate in the other direction)"
    close = get_close_matches(word, source.words, n=3, cutoff=0.75)
    return f" (perhaps {' or '.join(map(repr, close))})" if close else ""
