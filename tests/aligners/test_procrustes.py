import numpy as np
import pytest

from lexalign.aligners import Procrustes
from lexalign.errors import LexalignError
from lexalign.evaluation import evaluate
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import planted_pair, random_rotation


@pytest.fixture(scope="module")
def pair():
    source, target, _ = planted_pair(words=500, dimension=20, noise=0.05)
    rotation = random_rotation(20, np.random.default_rng(5)).astype(np.float32)
    return Embeddings(source.words, source.matrix @ rotation), target


def translations(numbers):
    return Lexicon([(f"s{i}", f"t{i}") for i in numbers])


def test_enough_seeds_align_the_rest(pair):
    alignment = Procrustes().fit(*pair, translations(range(100)))
    score = evaluate(alignment.source, alignment.target, translations(range(100, 500)))
    assert score.precision(1) > 0.95


def test_rounds_make_up_for_few_seeds(pair):
    few, test = translations(range(16)), translations(range(100, 500))
    accuracy = [
        evaluate(alignment.source, alignment.target, test).precision(1)
        for alignment in (Procrustes(rounds=rounds).fit(*pair, few) for rounds in (0, 4))
    ]
    assert accuracy[1] > accuracy[0]


def test_the_map_is_orthogonal_and_repeats_the_result(pair):
    alignment = Procrustes(rounds=1).fit(*pair, translations(range(50)))
    matrix = alignment.map.source.matrix
    assert matrix is not None
    np.testing.assert_allclose(matrix.T @ matrix, np.eye(20), atol=1e-6)
    np.testing.assert_allclose(
        alignment.map.apply(pair[0].matrix, "source"), alignment.source.matrix, atol=1e-5
    )


def test_bad_input_gets_one_sentence(pair):
    with pytest.raises(
        LexalignError,
        match="`rounds` parameter of procrustes must be a whole number, at least 0. Got -1",
    ):
        Procrustes(rounds=-1)
    with pytest.raises(LexalignError, match="swap source and target"):
        Procrustes().fit(*pair, Lexicon([("t1", "s1")]))
    narrow = Embeddings(pair[1].words, pair[1].matrix[:, :5])
    with pytest.raises(LexalignError, match="20 dimensions and the target vectors 5"):
        Procrustes().fit(pair[0], narrow, translations(range(9)))
