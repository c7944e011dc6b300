"""Evaluate an aligned pair: translation, word similarity, outliers, and comparison of systems."""

from lexalign.evaluation.accuracy import Accuracy, Coverage
from lexalign.evaluation.breakdown import (
    by_category,
    by_class,
    by_frequency,
    by_spelling,
    read_categories,
)
from lexalign.evaluation.evaluator import Evaluator, evaluate
from lexalign.evaluation.leakage import Leakage
from lexalign.evaluation.outliers import Outliers, find_outliers, refit
from lexalign.evaluation.protocols import PROTOCOLS, Protocol
from lexalign.evaluation.significance import Bootstrap, TTest, bootstrap, paired_t_test
from lexalign.evaluation.similarity import (
    Judgement,
    SimilarityResult,
    read_judgements,
    word_similarity,
)

__all__ = [
    "PROTOCOLS",
    "Accuracy",
    "Bootstrap",
    "Coverage",
    "Evaluator",
    "Judgement",
    "Leakage",
    "Outliers",
    "Protocol",
    "SimilarityResult",
    "TTest",
    "bootstrap",
    "by_category",
    "by_class",
    "by_frequency",
    "by_spelling",
    "evaluate",
    "find_outliers",
    "paired_t_test",
    "read_categories",
    "read_judgements",
    "refit",
    "word_similarity",
]
