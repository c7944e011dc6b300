"""Measuring an aligned pair: translation, similarity, outliers, and comparison of systems."""

from lexalign.evaluate.breakdown import by_category, by_frequency, by_spelling, read_categories
from lexalign.evaluate.induction import Coverage, Evaluator, Induction, bli
from lexalign.evaluate.outliers import Outliers, find_outliers, refit
from lexalign.evaluate.protocols import PROTOCOLS, Protocol
from lexalign.evaluate.significance import Bootstrap, TTest, bootstrap, paired_t_test
from lexalign.evaluate.similarity import (
    Judgement,
    SimilarityResult,
    read_judgements,
    word_similarity,
)
from lexalign.evaluate.translation import Translation, Translator

__all__ = [
    "PROTOCOLS",
    "Bootstrap",
    "Coverage",
    "Evaluator",
    "Induction",
    "Judgement",
    "Outliers",
    "Protocol",
    "SimilarityResult",
    "TTest",
    "Translation",
    "Translator",
    "bli",
    "bootstrap",
    "by_category",
    "by_frequency",
    "by_spelling",
    "find_outliers",
    "paired_t_test",
    "read_categories",
    "read_judgements",
    "refit",
    "word_similarity",
]
