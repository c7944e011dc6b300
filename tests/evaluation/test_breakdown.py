import numpy as np
import pytest

from lexalign.errors import InputError, LexalignError
from lexalign.evaluation import by_category, by_frequency, by_spelling, evaluate, read_categories
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
    with pytest.raises(LexalignError, match="`bands` must be rising ranks"):
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
