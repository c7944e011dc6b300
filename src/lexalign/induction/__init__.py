"""Induction: from two monolingual spaces to a dictionary with probabilities."""

from __future__ import annotations

from lexalign.induction.dictionary import Dictionary
from lexalign.induction.induced_translation import InducedTranslation
from lexalign.induction.inducer import Inducer, induce

__all__ = ["Dictionary", "InducedTranslation", "Inducer", "induce"]
