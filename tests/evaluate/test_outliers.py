import numpy as np
import pytest

from lexalign.errors import InputError
from lexalign.evaluate import bli, find_outliers, refit
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import planted_pair, random_rotation


def test_the_fence_is_three_halves_of_the_quartiles_apart():
    """Distances 1 to 8 and 20: Q1 = 3, Q3 = 7, so the fence is 7 + 1.5 · 4 = 13."""
    distances = [1, 2, 3, 4, 5, 6, 7, 8, 20]
    source = Embeddings([f"s{d}" for d in distances], [[d, 0.0] for d in distances])
    target = Embeddings([f"t{d}" for d in distances], [[0.0, 0.0] for d in distances])
    lexicon = Lexicon([*((f"s{d}", f"t{d}") for d in distances), ("s1", "unknown")])
    found = find_outliers(source, target, lexicon)
    assert (found.lower_quartile, found.upper_quartile, found.threshold) == (3, 7, 13)
    assert list(found.outliers) == [("s20", "t20")]
    assert found.outliers.weights.tolist() == [20]
    assert [pair[0] for pair in found.inliers][:2] == ["s8", "s7"]
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
        assert bli(fitted, target, test).precision(1) == 1.0
    assert distances[1] < 0.7 * distances[0]


def test_bad_input():
    source, target, _ = planted_pair(words=20, dimension=4)
    with pytest.raises(InputError, match="know none of the 1 pairs"):
        find_outliers(source, target, Lexicon([("t1", "s1")]))
    wide = Embeddings(
        source.words, source.matrix @ random_rotation(4, np.random.default_rng())[:3].T
    )
    with pytest.raises(InputError, match="3 dimensions and the target vectors 4"):
        find_outliers(wide, target, Lexicon([("s1", "t1")]))
