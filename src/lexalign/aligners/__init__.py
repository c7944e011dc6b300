"""Aligners: from two monolingual spaces and a seed lexicon to one space."""

from lexalign.aligners.procrustes import Procrustes

__all__ = ["Procrustes"]
