"""``Dictionary``: translations with the probability that they are right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lexalign.atomic import atomic_file
from lexalign.errors import InputError, OutputError
from lexalign.vectors import Lexicon

if TYPE_CHECKING:
    import polars

COLUMNS = ("source", "target", "probability", "rank")
HIGHEST_RANK = 1 << 31
_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAKS = str.maketrans("", "", "\t\n\r")


@dataclass(frozen=True, eq=False, repr=False)
class Dictionary:
    """Translations of words, best first, each with the probability that it is right.

    Parameters
    ----------
    source, target : tuples of str, length n
        The words of each translation; the translations of a source word are adjacent.
    probability : ndarray of float64, shape (n,)
        The probability that the translation is right, calibrated on held-out words.
    rank : ndarray of int64, shape (n,)
        The rank among the translations of the source word, counted from 1.
    record : mapping
        How the dictionary was made, in JSON types.

    Examples
    --------
    >>> import numpy as np
    >>> found = Dictionary(
    ...     ("dog", "dog", "cat"),
    ...     ("Hund", "Tier", "Katze"),
    ...     np.array([0.9, 0.3, 0.6]),
    ...     np.array([1, 2, 1]),
    ... )
    >>> found
    Dictionary(3 translations of 2 words, mean probability of the first 0.75)
    >>> found.at_least(0.8).pairs
    [('dog', 'Hund')]
    >>> found.top(1).pairs
    [('dog', 'Hund'), ('cat', 'Katze')]
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    probability: np.ndarray
    rank: np.ndarray
    record: Mapping[str, Any] | None = None

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return (
            f"Dictionary({len(self):,} translations of {len(set(self.source)):,} words, "
            f"mean probability of the first {self.expected_precision:.2f})"
        )

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The translations as pairs of words."""
        return list(zip(self.source, self.target, strict=True))

    @property
    def expected_precision(self) -> float:
        """The mean probability of the first translations, which is their expected accuracy."""
        first = self.probability[self.rank == 1]
        return float(first.mean()) if len(first) else 0.0

    @property
    def lexicon(self) -> Lexicon:
        """The translations as a lexicon, weighted by their probabilities."""
        return Lexicon(self.pairs, self.probability)

    def top(self, count: int) -> Dictionary:
        """Return the first translations of every word."""
        return self._only(self.rank <= count)

    def at_least(self, probability: float) -> Dictionary:
        """Return the translations that are right with at least this probability."""
        return self._only(self.probability >= probability)

    def translate(self, word: str) -> list[tuple[str, float]]:
        """Return the translations of a word with their probabilities, best first."""
        return [
            (target, float(probability))
            for source, target, probability in zip(
                self.source, self.target, self.probability, strict=True
            )
            if source == word
        ]

    def to_polars(self) -> polars.DataFrame:
        """Return a table with the columns source, target, probability and rank."""
        import polars

        columns = (self.source, self.target, self.probability, self.rank)
        return polars.DataFrame(dict(zip(COLUMNS, columns, strict=True)))

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write a tab-separated table with a header, atomically.

        Raises
        ------
        OutputError
            If the file already exists or cannot be written, or if a word is not valid Unicode.
        """
        words = "".join((*self.source, *self.target))
        if not words.isascii() and (found := _SURROGATE.search(words)):
            raise OutputError(
                f"A word with {found[0]!a} is not valid Unicode and cannot be written; rename it."
            )
        with (
            atomic_file(Path(path), overwrite=overwrite) as temporary,
            temporary.open("w", encoding="utf-8", newline="\n") as file,
        ):
            file.write("\t".join(COLUMNS) + "\n")
            for source, target, probability, rank in zip(
                self.source, self.target, self.probability.tolist(), self.rank.tolist(), strict=True
            ):
                one, other = source.translate(_BREAKS), target.translate(_BREAKS)
                file.write(f"{one}\t{other}\t{probability:.4f}\t{rank}\n")

    @classmethod
    def read(cls, path: str | Path) -> Dictionary:
        """Read a table that ``write`` wrote."""
        source, target, probability, rank = [], [], [], []
        try:
            with Path(path).open(encoding="utf-8", newline="\n") as file:
                if file.readline().rstrip("\n").split("\t") != list(COLUMNS):
                    raise InputError(
                        f"the first line does not name the columns {', '.join(COLUMNS)}",
                        path=path,
                        line=1,
                        remedy="name a dictionary.tsv that lexalign induce wrote",
                    )
                for number, line in enumerate(file, start=2):
                    try:
                        one, other, chance, place = line.rstrip("\n").split("\t")
                        probability.append(float(chance))
                        rank.append(int(place))
                        if not 0 <= probability[-1] <= 1 or not 1 <= rank[-1] <= HIGHEST_RANK:
                            raise ValueError("out of bounds")
                        if not one or not other or "\r" in one + other:
                            raise ValueError("a word that Lexalign never writes")
                    except ValueError as error:
                        raise InputError(
                            "expected two words, a probability from 0 to 1 and a rank from 1",
                            path=path,
                            line=number,
                            remedy="name a dictionary.tsv that lexalign induce wrote",
                        ) from error
                    source.append(one)
                    target.append(other)
        except OSError as error:
            raise InputError(
                f"it cannot be read ({error.strerror})", path=path, remedy="check the name"
            ) from error
        except UnicodeDecodeError as error:
            raise InputError(
                "it is not UTF-8 text",
                path=path,
                remedy="name a dictionary.tsv that lexalign induce wrote",
            ) from error
        return cls(tuple(source), tuple(target), np.array(probability), np.array(rank))

    def _only(self, chosen: np.ndarray) -> Dictionary:
        rows = np.flatnonzero(chosen).tolist()
        return Dictionary(
            tuple(self.source[row] for row in rows),
            tuple(self.target[row] for row in rows),
            self.probability[rows],
            self.rank[rows],
            self.record,
        )
