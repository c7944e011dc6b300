"""``Embeddings``: words and their vectors, most frequent first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy.typing as npt

from lexalign.errors import InputError
from lexalign.libraries import load
from lexalign.vectors.block import Matrix, as_matrix, first_non_finite_row


@dataclass(frozen=True, eq=False)
class Embeddings:
    """A vocabulary and its vectors, row i for word i; immutable.

    Parameters
    ----------
    words : sequence of str, length n
        Different words, by convention the most frequent first.
    matrix : array-like, shape (n, d)
        Finite numbers. They become a read-only, C-contiguous float32 array; an array that is
        C-contiguous and float32 already is not copied.
    language : str, optional
        A tag such as "en".
    normalisation : tuple of str
        The normalisation steps applied so far, such as ``("unit", "centre")``.
    repeats : bool
        Whether a word may have several rows. If so, ``index`` gives the first.

    Raises
    ------
    InputError
        If words and rows differ in number, a number is not finite, or a word repeats.

    Examples
    --------
    >>> from lexalign import Embeddings
    >>> english = Embeddings(["dog", "cat", "sun"], [[1, 0], [0.6, 0.8], [0, 1]], language="en")
    >>> english
    Embeddings(3 words x 2, language='en')
    >>> "cat" in english, english["dog"].tolist()
    (True, [1.0, 0.0])
    >>> english.top(2).words
    ('dog', 'cat')
    """

    words: Sequence[str]
    matrix: Matrix
    language: str | None = None
    normalisation: tuple[str, ...] = ()
    repeats: bool = False

    def __post_init__(self) -> None:
        words = tuple(self.words)
        # A view, so that the array of the caller stays writeable.
        matrix = as_matrix(self.matrix).view()
        matrix.flags.writeable = False
        if len(words) != len(matrix):
            raise InputError(
                f"{len(words)} words do not fit {len(matrix)} vectors; give one vector per word"
            )
        if 0 in matrix.shape:
            raise InputError(
                f"embeddings need at least one word and one dimension, found {matrix.shape}"
            )
        if (row := first_non_finite_row(matrix)) is not None:
            raise InputError(
                f"the vector of {words[row]!r} in row {row} holds a NaN or an infinity",
                remedy="remove the word or correct its vector",
            )
        if not self.repeats and len(set(words)) < len(words):
            word, count = Counter(words).most_common(1)[0]
            raise InputError(f"the word {word!r} appears {count} times", remedy="keep one of them")
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "normalisation", tuple(self.normalisation))

    @cached_property
    def index(self) -> dict[str, int]:
        """Return the row of every word, the first row if it has several."""
        last = len(self.words) - 1
        return {word: last - row for row, word in enumerate(reversed(self.words))}

    @property
    def dimension(self) -> int:
        """Return the number of columns, d."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __getitem__(self, word: str) -> Matrix:
        """Return the vector of ``word``, a read-only view of shape (d,).

        Raises
        ------
        InputError
            If the word has no vector.
        """
        row = self.index.get(word)
        if row is None:
            raise InputError(
                f"the word {word!r} is not among the {len(self)} words"
                + (f" of language {self.language!r}" if self.language else ""),
                remedy="check its spelling and its case, or read more rows",
            )
        vector: Matrix = self.matrix[row]
        return vector

    def __repr__(self) -> str:
        language = f", language={self.language!r}" if self.language else ""
        return f"Embeddings({len(self)} words x {self.dimension}{language})"

    def top(self, count: int) -> Embeddings:
        """Return the first ``count`` words, or all if there are fewer; the matrix is a view.

        Raises
        ------
        InputError
            If ``count`` is below 1.
        """
        if count < 1:
            raise InputError(f"The `count` of top must be at least 1. Got {count} instead")
        return replace(self, words=self.words[:count], matrix=self.matrix[:count])

    def with_matrix(
        self, matrix: npt.ArrayLike, *, normalisation: Sequence[str] | None = None
    ) -> Embeddings:
        """Return the same words with other vectors.

        Parameters
        ----------
        matrix : array-like, shape (n, k)
            One row per word; the dimension may differ.
        normalisation : sequence of str, optional
            The steps of the new vectors. Without it the steps stay the same.

        Examples
        --------
        >>> english = Embeddings(["dog", "cat"], [[1, 0], [0, 1]])
        >>> english.with_matrix(2 * english.matrix)["cat"].tolist()
        [0.0, 2.0]
        """
        steps = self.normalisation if normalisation is None else tuple(normalisation)
        return replace(self, matrix=as_matrix(matrix), normalisation=steps)

    @classmethod
    def from_gensim(cls, keyed_vectors: Any, *, language: str | None = None) -> Embeddings:
        """Create Embeddings from gensim ``KeyedVectors``, without a copy of the numbers.

        Parameters
        ----------
        keyed_vectors : gensim.models.KeyedVectors
            Vectors whose keys are strings.
        language : str, optional
            A tag such as "en".

        Raises
        ------
        InputError
            If a key is not a string.
        """
        words = keyed_vectors.index_to_key
        if not all(isinstance(word, str) for word in words):
            raise InputError("these KeyedVectors have keys that are not strings")
        return cls(words, keyed_vectors.vectors, language=language)

    def to_gensim(self) -> Any:
        """Return gensim ``KeyedVectors`` with a copy of the numbers.

        Raises
        ------
        MissingExtraError
            If gensim is not installed.
        """
        models = load("gensim.models", feature="The conversion to gensim", extra="train")
        keyed_vectors = models.KeyedVectors(vector_size=self.dimension)
        keyed_vectors.add_vectors(list(self.words), self.matrix)
        return keyed_vectors


def require_embeddings(source: Embeddings, target: Embeddings) -> None:
    """Raise if either argument is not Embeddings."""
    for name, side in (("source", source), ("target", target)):
        if not isinstance(side, Embeddings):
            raise InputError(
                f"The `{name}` must be Embeddings. Got {type(side).__name__} instead",
                remedy="read a file with lexalign.read, or create Embeddings(words, matrix)",
            )
