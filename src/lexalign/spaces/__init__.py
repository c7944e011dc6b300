"""Spaces: normalisation, the linear map of a language pair, and the arrays they are made of."""

from lexalign.spaces.dimensions import UNEQUAL, level, require_one_space
from lexalign.spaces.linear_map import LinearMap, Side
from lexalign.spaces.normalise import Normalisation, normalise, unit_length

__all__ = [
    "UNEQUAL",
    "LinearMap",
    "Normalisation",
    "Side",
    "level",
    "normalise",
    "require_one_space",
    "unit_length",
]
