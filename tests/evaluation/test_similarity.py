import numpy as np
import pytest

from lexalign.errors import InputError
from lexalign.evaluation import Judgement, read_judgements, word_similarity
from lexalign.vectors import Embeddings

ANGLES = np.deg2rad([0, 10, 30, 60, 90])
MATRIX = np.column_stack((np.cos(ANGLES), np.sin(ANGLES))).astype(np.float32)
SOURCE = Embeddings(["sun", "star", "moon", "ice_cream", "dog"], 3 * MATRIX)
TARGET = Embeddings(["soleil", "étoile", "lune", "glace", "chien"], MATRIX)


def test_spearman_compares_orders():
    """Cosines fall from soleil to glace, judgements also but for one exchange: 1 - 6·2/(4·15)."""
    scores = {"soleil": 4, "étoile": 2, "lune": 3, "glace": 1}
    judgements = [Judgement("sun", word, score) for word, score in scores.items()]
    result = word_similarity(SOURCE, TARGET, judgements)
    assert result.spearman == pytest.approx(0.8)
    assert 0 < result.pearson < 1
    harmonic = 2 * 0.8 * result.pearson / (0.8 + result.pearson)
    assert result.as_dict()["semeval"] == pytest.approx(harmonic)


def test_unknown_words_lower_the_coverage_and_terms_are_composed():
    judgements = [
        Judgement("sun", "étoile", 4),
        Judgement("Sun", "lune", 3),
        Judgement("ice cream", "étoile", 2.5),  # ice_cream, at 50°
        Judgement("sun dog", "chien", 1),  # the mean of both, at 45°
        Judgement("sun cat", "chien", 1),
        Judgement("sun", "chat", 0),
    ]
    result = word_similarity(SOURCE, TARGET, judgements, lowercase=True)
    assert (result.queries, result.pairs) == (4, 6)
    assert result.coverage == pytest.approx(4 / 6)
    assert result.spearman == pytest.approx(0.8)


def test_files(tmp_path):
    (tmp_path / "all.tsv").write_text("sun\tstar\t3.5\r\nice cream\tdog\t0\n", encoding="utf-8")
    (tmp_path / "data.txt").write_text("sun\tstar\nice cream\tdog\n", encoding="utf-8")
    (tmp_path / "gold.txt").write_text("3.5\n0\n", encoding="utf-8")
    judgements = read_judgements(tmp_path / "all.tsv")
    assert judgements == [("sun", "star", 3.5), ("ice cream", "dog", 0.0)]
    assert read_judgements(tmp_path / "data.txt", tmp_path / "gold.txt") == judgements
    with pytest.raises(InputError, match="data.txt, line 1: expected 2 words and a score"):
        read_judgements(tmp_path / "data.txt")
    (tmp_path / "gold.txt").write_text("3.5\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"gold.txt: it has 1 scores for the 2 pairs"):
        read_judgements(tmp_path / "data.txt", tmp_path / "gold.txt")
    (tmp_path / "gold.txt").write_text("3.5\nmuch\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"gold.txt, line 2: the score 'much'"):
        read_judgements(tmp_path / "data.txt", tmp_path / "gold.txt")


def test_too_little_to_correlate():
    with pytest.raises(InputError, match="only 1 of the 2 pairs have vectors"):
        word_similarity(SOURCE, TARGET, [Judgement("sun", "lune", 1), Judgement("x", "y", 2)])
    same = [Judgement("sun", word, 2) for word in ("soleil", "lune", "chien")]
    with pytest.raises(InputError, match="all scores or all cosines are equal"):
        word_similarity(SOURCE, TARGET, same)
