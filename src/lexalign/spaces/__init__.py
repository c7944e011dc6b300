"""Spaces: normalisation, the linear map of a language pair, and the arrays they are made of."""

from lexalign.spaces.alignment import Alignment, require_embeddings, require_one_space
from lexalign.spaces.dimensions import UNEQUAL, level
from lexalign.spaces.linear_map import LinearMap, Side
from lexalign.spaces.normalise import Normalisation, normalise, unit_length

__all__ = [
    "UNEQUAL",
    "Alignment",
    "LinearMap",
    "Normalisation",
    "Side",
    "level",
    "normalise",
    "require_embeddings",
    "require_one_space",
    "unit_length",
]
