"""Normalisation of a space: unit length and centring, as repeatable steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lexalign.errors import LexalignError
from lexalign.parameters import parameter
from lexalign.spaces.probes import Probe, probes_of
from lexalign.vectors import Embeddings

STEPS = ("unit", "centre")
FORM = "'none' or a list of 'unit' and 'centre' joined by commas"
ROWS_AT_ONCE = 16_384
UNIT_TO_ROUNDING = 1e-6
SHORTEST, LONGEST = 1e-30, 1e38


@dataclass(frozen=True)
class Normalisation:
    """The steps in order, with the mean that each "centre" subtracted.

    "unit" divides every row by its length (a zero row stays zero); "centre" subtracts the mean row.
    The stored means allow the same normalisation of other words.
    """

    steps: tuple[str, ...] = ()
    means: tuple[np.ndarray, ...] = ()

    def apply(self, matrix: np.ndarray) -> np.ndarray:
        """Return a normalised copy of rows of the same space, float32."""
        result, means = np.array(matrix, dtype=np.float32), iter(self.means)
        for step in self.steps:
            if step == "unit":
                _to_unit(result)
            else:
                _subtract(result, next(means))
        return result


def parse_steps(steps: str) -> tuple[str, ...]:
    """Parse "unit", "unit,centre,unit" and so on; "none" has no steps."""
    names = () if steps == "none" else tuple(steps.split(","))
    if not set(names) <= set(STEPS):
        raise LexalignError(f"The `steps` must be {FORM}. Got {steps!r} instead.")
    return names


def normalise_parameter(default: str) -> Any:
    """Declare the normalisation steps."""
    return parameter(
        default,
        form=FORM,
        has_form=lambda steps: steps == "none" or set(steps.split(",")) <= set(STEPS),
        metavar="STEPS",
        help="Normalisation steps: none, unit, or a list such as unit,centre,unit.",
    )


class NormalisedSpace(NamedTuple):
    """Normalised words, their normalisation, and probes of their original vectors."""

    words: Embeddings
    normalisation: Normalisation
    probes: tuple[Probe, ...]

    def normalised_again(self, steps: str) -> NormalisedSpace:
        """The words after further steps; the probes stay those of the original vectors."""
        words, more, _ = normalise(self.words, steps)
        whole = Normalisation(
            (*self.normalisation.steps, *more.steps), (*self.normalisation.means, *more.means)
        )
        return NormalisedSpace(words, whole, self.probes)

    def only(self, rows: np.ndarray) -> NormalisedSpace:
        """Some of the words, with unchanged normalisation and probes."""
        words = replace(
            self.words,
            words=tuple(self.words.words[row] for row in rows.tolist()),
            matrix=self.words.matrix[rows],
        )
        return self._replace(words=words)


def normalise(embeddings: Embeddings, steps: str) -> NormalisedSpace:
    """Normalise all words and keep the normalisation, to apply it to other words.

    "unit" divides each row by its length, and a row of zeros stays zero. "centre" subtracts the
    mean row.

    Parameters
    ----------
    embeddings : Embeddings, shape (n, d)
        The words to normalise; they do not change.
    steps : str
        "none", or a list of "unit" and "centre" joined by commas, such as "unit,centre,unit".

    Returns
    -------
    NormalisedSpace
        ``words`` with normalised vectors, and the ``normalisation`` with the subtracted means.

    Raises
    ------
    LexalignError
        If a step is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from lexalign.vectors import Embeddings
    >>> words, normalisation, _ = normalise(Embeddings(["dog", "cat"], [[4, 0], [0, 2]]), "unit")
    >>> words.matrix.tolist(), words.normalisation
    ([[1.0, 0.0], [0.0, 1.0]], ('unit',))
    >>> normalisation.apply(np.array([[0, 5]])).tolist()
    [[0.0, 1.0]]
    """
    names, probes = parse_steps(steps), probes_of(embeddings)
    if not names:
        return NormalisedSpace(embeddings, Normalisation(), probes)
    result, fitted = _normalised(embeddings.matrix, names)
    normalised = embeddings.with_matrix(result, normalisation=(*embeddings.normalisation, *names))
    return NormalisedSpace(normalised, fitted, probes)


def normalise_rows(matrix: np.ndarray, steps: str) -> np.ndarray:
    """The normalised copy of a matrix, float32."""
    return _normalised(matrix, parse_steps(steps))[0]


def _normalised(matrix: np.ndarray, names: tuple[str, ...]) -> tuple[np.ndarray, Normalisation]:
    result, means = np.array(matrix, dtype=np.float32), list[np.ndarray]()
    for name in names:
        if name == "unit":
            _to_unit(result)
        else:
            means.append(result.mean(axis=0, dtype=np.float64).astype(np.float32))
            _subtract(result, means[-1])
    return result, Normalisation(names, tuple(means))


def unit_length(embeddings: Embeddings) -> Embeddings:
    """The words with vectors of unit length; the same object if they already have it."""
    matrix = unit_rows(embeddings.matrix)
    if matrix is embeddings.matrix:
        return embeddings
    return embeddings.with_matrix(matrix, normalisation=(*embeddings.normalisation, "unit"))


def unit_rows(matrix: np.ndarray) -> np.ndarray:
    """The rows of ``matrix`` at unit length, or zero; the same object if they already are."""
    for rows in _row_blocks(matrix):
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        if (np.abs(lengths[lengths > 0] - 1) > UNIT_TO_ROUNDING).any():
            return Normalisation(("unit",)).apply(matrix)
    return matrix


def _to_unit(matrix: np.ndarray) -> None:
    for rows in _row_blocks(matrix):
        length = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        extreme = (length > LONGEST) | ((length < SHORTEST) & (length > 0))
        if extreme.any():  # float32 cannot hold such a length, or only a few digits of it
            rows[extreme] = rows[extreme].astype(np.float64) / length[extreme, None]
            length[extreme] = 1.0
        rows /= np.where(length > 0, length, 1.0)[:, None].astype(np.float32)


def _subtract(matrix: np.ndarray, mean: np.ndarray) -> None:
    for rows in _row_blocks(matrix):
        rows -= mean


def _row_blocks(matrix: np.ndarray) -> Iterator[np.ndarray]:
    """Views of blocks of rows, which keep temporary arrays small."""
    for start in range(0, len(matrix), ROWS_AT_ONCE):
        yield matrix[start : start + ROWS_AT_ONCE]
