"""Vectors that no map can be learned from: a result or one sentence, and no warning."""

import numpy as np
import pytest

from lexalign.errors import LexalignError
from lexalign.refinement import Refiner
from lexalign.vectors import Embeddings, Lexicon
from tests.aligners.test_contract import CASES, Case

RANDOM = np.random.default_rng(0).standard_normal((40, 6))
VECTORS = {
    "all equal": np.ones((40, 6)),
    "all zero": np.zeros((40, 6)),
    "one word": RANDOM[:1],
    "two words many times": np.repeat(RANDOM[:2], 20, axis=0),
    "one direction": np.outer(RANDOM[:, 0], RANDOM[0]),
    "half of them zero": RANDOM * (np.arange(40) % 2)[:, None],
    "as large as possible": np.full((40, 6), np.finfo(np.float32).max),
    "very small": RANDOM * 1e-42,
}


def words(matrix, prefix):
    return Embeddings([f"{prefix}{row}" for row in range(len(matrix))], matrix)


@pytest.fixture(params=VECTORS)
def pair(request):
    matrix = VECTORS[request.param]
    return words(matrix, "s"), words(matrix, "t")


def require_result_or_sentence(work):
    try:
        found, sentence = work(), None
    except LexalignError as error:
        found, sentence = None, str(error)
    if sentence is None:
        assert np.isfinite(found.source.matrix).all()
    else:
        assert sentence.endswith(".")


@pytest.mark.parametrize("name", CASES)
def test_aligners(name, pair):
    seeds = Lexicon([(f"s{row}", f"t{row}") for row in range(min(20, len(pair[0])))])
    require_result_or_sentence(lambda: Case(name).align(*pair, seeds))


@pytest.mark.parametrize(
    "parameters", [{}, {"solver": "minimum"}, {"weights": "inlier"}, {"rounds": 2}]
)
def test_refinement(parameters, pair):
    require_result_or_sentence(lambda: Refiner(**parameters).fit(*pair))


def test_the_integrator_says_by_its_outcome_that_it_failed():
    refiner = Refiner(solver="vode", horizon=5e-3)
    huge, normal = words(RANDOM * 1e37, "s"), words(RANDOM, "t")
    require_result_or_sentence(lambda: refiner.fit(huge, normal))
