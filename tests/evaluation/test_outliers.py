import numpy as np
import pytest

from lexalign.errors import InputError
from lexalign.evaluation import evaluate, find_outliers, refit
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import planted_pair, random_rotation


def test_the_fence_is_three_halves_of_the_quartiles_apart():
    """Distances 0.1 to 0.8 and 1.8: Q1 = 0.3, Q3 = 0.7, so the fence is 0.7 + 1.5 · 0.4 = 1.3."""
    distances = [1, 2, 3, 4, 5, 6, 7, 8, 18]
    angles = 2 * np.arcsin(np.array(distances) / 20)
    matrix = np.column_stack((np.cos(angles), np.sin(angles)))
    source = Embeddings([f"s{d}" for d in distances], 5 * matrix)
    target = Embeddings([f"t{d}" for d in distances], [[1.0, 0.0] for d in distances])
    lexicon = Lexicon([*((f"s{d}", f"t{d}") for d in distances), ("s1", "unknown")])
    found = find_outliers(source, target, lexicon)
    np.testing.assert_allclose(
        (found.lower_quartile, found.upper_quartile, found.threshold), (0.3, 0.7, 1.3), atol=1e-6
    )
    assert list(found.outliers) == [("s18", "t18")]
    assert found.distances.tolist() == pytest.approx([1.8])
    assert [pair[0] for pair in found.inliers] == [f"s{d}" for d in distances[:-1]]
    assert found.inliers.weights is None
    assert (len(found), found.unknown) == (1, 1)


def test_a_refit_without_outliers_recovers_what_they_bent():
    """An eighth of the pairs is scrambled; the fit without them translates better."""
    source, target, _ = planted_pair(words=300, dimension=30, noise=0.02, tilt=0.3)
    generator = np.random.default_rng(1)
    pairs = [(f"s{i}", f"t{i}") for i in range(80)]
    wrong = [(f"s{i}", f"t{generator.integers(200, 300)}") for i in range(80, 92)]
    lexicon, test = Lexicon(pairs + wrong), Lexicon([(f"s{i}", f"t{i}") for i in range(300)])
    found = find_outliers(source, target, lexicon)
    assert {pair[0] for pair in found.outliers} == {word for word, _ in wrong}
    distances = []
    for pairs_used in (lexicon, found.inliers):
        fitted = refit(source, target, pairs_used)
        distances.append(np.linalg.norm(fitted.matrix - target.matrix, axis=1).mean())
        assert evaluate(fitted, target, test).precision(1) == 1.0
    assert distances[1] < 0.7 * distances[0]


def test_bad_input():
    source, target, _ = planted_pair(words=20, dimension=4)
    with pytest.raises(InputError, match="none of the 1 pairs"):
        find_outliers(source, target, Lexicon([("t1", "s1")]))
    wide = Embeddings(
        source.words, source.matrix @ random_rotation(4, np.random.default_rng())[:3].T
    )
    with pytest.raises(InputError, match="3 dimensions and the target vectors 4"):
        find_outliers(wide, target, Lexicon([("s1", "t1")]))
