import numpy as np
import pytest

from lexalign.errors import InputError, LexalignError
from lexalign.evaluation import (
    by_category,
    by_class,
    by_frequency,
    by_spelling,
    evaluate,
    read_categories,
)
from lexalign.evaluation.breakdown import breakdown
from lexalign.vectors import Embeddings, Lexicon

AXES = np.eye(4, dtype=np.float32)
SOURCE = Embeddings(["a", "b", "taxi", "d"], AXES)
TARGET = Embeddings(["A", "B", "taxi", "D"], AXES)
# Right, wrong, right, no vector.
LEXICON = Lexicon([("a", "A"), ("b", "D"), ("taxi", "taxi"), ("e", "D")])


@pytest.fixture
def result():
    return evaluate(SOURCE, TARGET, LEXICON, protocol="fasttext", retrieval="nn")


def precisions(groups):
    return {name: (group.queries, group.precision(1)) for name, group in groups.items()}


def test_bands_of_frequency(result):
    assert precisions(by_frequency(result, (1, 3))) == {
        "no vector": (1, 0.0),
        "1–1": (1, 1.0),
        "2–3": (2, 0.5),
    }
    assert "from 3" in by_frequency(result, (2,))
    with pytest.raises(LexalignError, match="`bands` must be increasing ranks"):
        by_frequency(result, (5, 3))


def test_same_spelling(result):
    assert precisions(by_spelling(result)) == {
        "same spelling": (1, 1.0),
        "other spelling": (3, 1 / 3),
    }


def test_categories(result, tmp_path):
    path = tmp_path / "pos.tsv"
    path.write_text("a\tDET\nB\tNOUN\ntaxi\tNOUN\n\n", encoding="utf-8")
    assert precisions(by_category(result, read_categories(path, lowercase=True))) == {
        "DET": (1, 1.0),
        "NOUN": (2, 0.5),
        "no category": (1, 0.0),
    }


def test_word_classes_of_the_lexicon(result):
    """The word a has pairs of two classes and counts in both."""
    assert by_class(result) == {}
    lexicon = Lexicon(
        [("a", "A"), ("b", "D"), ("a", "B"), ("e", "D")], classes=["noun", "verb", "verb", "noun"]
    )
    found = evaluate(SOURCE, TARGET, lexicon, protocol="fasttext", retrieval="nn")
    assert precisions(by_class(found)) == {"noun": (2, 0.5), "verb": (2, 0.5)}
    assert list(breakdown(found, "class")) == ["class noun", "class verb"]
    by_pair = evaluate(SOURCE, TARGET, lexicon, protocol="fasttext", retrieval="nn", unit="pair")
    assert precisions(by_class(by_pair)) == {"noun": (2, 0.5), "verb": (2, 0.0)}
    assert by_pair.by_word().classes == found.classes
    assert by_spelling(found)["other spelling"].classes == found.classes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a DET\n", "line 1: expected a word, a tab and its category"),
        (b"a\tDET\nb\t\n", "line 2: expected a word, a tab"),
        (b"\xff\t\xfe\n", "it is not UTF-8"),
        (b"\n\n", "the file is empty"),
    ],
)
def test_bad_files_of_categories(tmp_path, content, message):
    (tmp_path / "pos.tsv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_categories(tmp_path / "pos.tsv")
    with pytest.raises(InputError, match="cannot be read"):
        read_categories(tmp_path / "none.tsv")
