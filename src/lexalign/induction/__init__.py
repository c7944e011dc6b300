"""Induction: from two monolingual spaces to a dictionary with probabilities."""

from __future__ import annotations

from lexalign.induction.dictionary import Dictionary
from lexalign.induction.inducer import InducedTranslation, Inducer, induce

__all__ = ["Dictionary", "InducedTranslation", "Inducer", "induce"]
