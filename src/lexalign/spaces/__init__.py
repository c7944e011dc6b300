"""Spaces: normalisation, dimensions, and the map of a language pair into one space."""

from lexalign.spaces.dimensions import UNEQUAL, level, require_one_space
from lexalign.spaces.linear_map import LinearMap
from lexalign.spaces.normalise import Normalisation, NormalisedSpace, normalise, unit_length
from lexalign.spaces.side import Side, Stage

__all__ = [
    "UNEQUAL",
    "LinearMap",
    "Normalisation",
    "NormalisedSpace",
    "Side",
    "Stage",
    "level",
    "normalise",
    "require_one_space",
    "unit_length",
]
