"""Measuring an aligned pair."""

from lexalign.evaluate.induction import TranslationAccuracy, translation_accuracy

__all__ = ["TranslationAccuracy", "translation_accuracy"]
