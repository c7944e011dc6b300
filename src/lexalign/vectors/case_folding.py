"""Words that differ from a vocabulary only in case: ``Haus`` in a lexicon, ``haus`` in vectors.

Two words differ only in case if their lower-case forms are equal. Unicode's full case folding would
also equate "Maße" with "Masse", which are different words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from lexalign.parameters import declaration, parameter

CASES = ("auto", "as-is", "lower-lexicon")


def case_parameter() -> Any:
    """Declare how the words of a lexicon are looked up."""
    return parameter(
        "auto",
        choices=CASES,
        help="How to look up the words of the lexicon: auto: as they are, then with case "
        "ignored; as-is: as they are; lower-lexicon: in lower case.",
    )


CASE = declaration(case_parameter())


class CaseLookup:
    """Look up words in a vocabulary, optionally with case ignored.

    Parameters
    ----------
    words : sequence of str
        The vocabulary, most frequent words first.
    index : mapping of str to int
        The row of every word.
    case : {"auto", "as-is", "lower-lexicon"}
        How to look up a word. "auto" looks up the word as it is, then the most frequent word that
        differs only in case.

    Raises
    ------
    ParameterError
        If ``case`` is not one of the choices.

    Examples
    --------
    >>> words = ["House", "house", "Haus"]
    >>> lookup = CaseLookup(words, {word: row for row, word in enumerate(words)})
    >>> lookup.row("house"), lookup.row("HOUSE"), lookup.row("haus"), lookup.row("dog")
    (1, 0, 2, None)
    """

    def __init__(
        self, words: Sequence[str], index: Mapping[str, int], case: str = CASE.default
    ) -> None:
        CASE.require("case", case, "the lexicon")
        self.words, self.index, self.case = words, index, case

    def row(self, word: str) -> int | None:
        """Return the row of a word; None if it is unknown."""
        if self.case == "lower-lexicon":
            return self.index.get(word.lower())
        row = self.index.get(word)
        if row is None and self.case == "auto":
            row = self._rows_ignoring_case.get(word.lower())
        return row

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.row(word) is not None

    @cached_property
    def _rows_ignoring_case(self) -> dict[str, int]:
        """The first row of each word with case ignored."""
        rows: dict[str, int] = {}
        for row, word in enumerate(self.words):
            rows.setdefault(word.lower(), row)
        return rows


def folding_sentence(folded: int, total: int) -> str:
    """Report how many seed pairs were found only by ignoring case."""
    return (
        f"{folded:,} of {total:,} seed pairs were matched by ignoring case; use "
        '`case="as-is"` to require the same case.'
    )
