"""How much pairs count."""

import numpy as np
import pytest

import lexalign
from lexalign.errors import LexalignError
from lexalign.refinement import Refiner
from lexalign.refinement.weights import WEIGHTS, inlier_probabilities, pair_weights
from lexalign.retrieval import MutualPairs
from tests.conftest import planted_pair


def test_near_pairs_are_told_from_far_ones():
    generator = np.random.default_rng(0)
    near, far = generator.normal(0.5, 0.1, 800), generator.normal(1.2, 0.15, 200)
    found = inlier_probabilities(np.concatenate((near, far)))
    assert found[:800].mean() > 0.97
    assert found[800:].mean() < 0.05
    order = np.argsort(np.concatenate((near, far)))
    assert (np.diff(found[order]) <= 1e-9).all()  # the nearer, the more probable


@pytest.mark.parametrize(
    "distances", [[1.0, 1.0, 1.0], [0.0], [0.0, 0.0, 5.0], [1e-30, 2e-30, 1e-30]]
)
def test_odd_distances_give_probabilities(distances):
    found = inlier_probabilities(np.array(distances))
    assert found.shape == (len(distances),)
    assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("name", WEIGHTS)
def test_the_mean_weight_is_one(name):
    generator = np.random.default_rng(0)
    a, b = generator.standard_normal((2, 50, 4)).astype(np.float32)
    mutual = MutualPairs(np.zeros((50, 2), dtype=int), generator.random(50))
    weights = pair_weights(name, mutual, a, b)
    if name == "equal":
        assert weights is None
    else:
        assert weights.mean() == pytest.approx(1)
        assert weights.dtype == np.float32
    tied = MutualPairs(mutual.pairs, np.zeros(50))
    assert pair_weights("margin", tied, a, b) is None  # no pair is surer than another


@pytest.mark.parametrize("horizon", [5e-3, "auto"])
@pytest.mark.parametrize("loss", ["l1", "l2"])
def test_false_pairs_weigh_less(horizon, loss):
    source, target, rotation = planted_pair(words=900, dimension=16, noise=0.02, tilt=0.3)
    spoiled = target.matrix.copy()
    random = np.random.default_rng(1).standard_normal((150, 16))
    spoiled[:600:4] = random / np.linalg.norm(random, axis=1, keepdims=True)
    target = target.with_matrix(spoiled.astype(np.float32))
    found = {
        name: lexalign.refine(source, target, loss=loss, weights=name, horizon=horizon)
        for name in WEIGHTS
    }
    error = {name: np.linalg.norm(one.map.source.matrix - rotation) for name, one in found.items()}
    assert error["inlier"] <= error["equal"] + 1e-3
    assert found["inlier"].map.provenance["parameters"]["weights"] == "inlier"


def test_what_cannot_be_is_refused():
    with pytest.raises(LexalignError, match=r"'weights' must be one of .*'margin'.*Got 'heavy'"):
        Refiner(weights="heavy")
    with pytest.raises(LexalignError, match="equal weights"):
        Refiner(solver="vode", weights="margin")
