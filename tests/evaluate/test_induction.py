import numpy as np
import pytest

from lexalign.errors import LexalignError
from lexalign.evaluate import translation_accuracy
from lexalign.vectors import Embeddings, Lexicon

ANGLES = np.deg2rad([0, 30, 60, 90])
MATRIX = np.column_stack((np.cos(ANGLES), np.sin(ANGLES))).astype(np.float32)
SOURCE = Embeddings(["a", "b", "c", "d"], MATRIX)
TARGET = Embeddings(["A", "B", "C", "D"], MATRIX)


def test_any_listed_translation_counts_and_unknown_words_do_not():
    lexicon = Lexicon([("a", "C"), ("a", "A"), ("b", "C"), ("c", "nowhere"), ("e", "A")])
    result = translation_accuracy(SOURCE, TARGET, lexicon, retrieval="nn")
    assert (result.precision, result.queries, result.asked) == (0.5, 2, 4)


def test_csls_needs_its_neighbours():
    result = translation_accuracy(SOURCE, TARGET, Lexicon([("b", "B")]), neighbours=2)
    assert result.precision == 1.0


def test_no_overlap_is_said():
    with pytest.raises(LexalignError, match="languages are in the right order"):
        translation_accuracy(SOURCE, TARGET, Lexicon([("A", "a")]))
