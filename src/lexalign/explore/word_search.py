"""Finding the word that was typed: as it is spelled, or in another case."""

from __future__ import annotations

from lexalign.explore.explorer import Explorer
from lexalign.explore.space import Space
from lexalign.explore.suggestions import spellings


def find_word(
    explorer: Explorer, space: Space, word: str, sides: tuple[str, ...]
) -> tuple[str, int] | None:
    """The first language that knows a word, and its row there.

    A spelling as it was typed comes before one in another case.
    """
    for spelling in spellings(word):
        for side in sides:
            row = space.row(side, spelling)
            if row is not None:
                return side, row
    for side in sides:
        other = explorer.spelling[side].in_other_case(word.strip())
        row = None if other is None else space.row(side, other)
        if row is not None:
            return side, row
    return None
