"""Spaces: normalisation, the linear map of a language pair, and the arrays they are made of."""

from lexalign.spaces.alignment import Alignment
from lexalign.spaces.linear_map import LinearMap, Side
from lexalign.spaces.normalise import Normalisation, normalise

__all__ = ["Alignment", "LinearMap", "Normalisation", "Side", "normalise"]
