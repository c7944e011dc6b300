"""How much pairs count."""

import numpy as np
import pytest

import lexalign
from lexalign.errors import LexalignError
from lexalign.progress import Progress
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


def test_the_farther_the_less_probable_whatever_the_shape():
    generator = np.random.default_rng(0)
    shapes = (
        generator.normal(0.7, 0.25, 300),
        generator.normal(1.1, 0.05, 690),
        np.full(10, 1.9),
    )
    distances = np.sort(np.concatenate(shapes))
    assert (np.diff(inlier_probabilities(distances)) <= 1e-12).all()


@pytest.mark.parametrize("loss", ["l1", "l2"])
@pytest.mark.parametrize("name", ["margin", "inlier"])
def test_false_pairs_weigh_less(loss, name):
    source, target, rotation = planted_pair(words=900, dimension=16, noise=0.02, tilt=0.3)
    x, z = source.matrix, target.matrix.copy()
    random = np.random.default_rng(1).standard_normal((300, 16))
    z[::3] = random / np.linalg.norm(random, axis=1, keepdims=True)
    pairs = np.column_stack((np.arange(900), np.arange(900)))
    mutual = MutualPairs(pairs, np.where(pairs[:, 0] % 3, 0.3, 0.05))
    equal, weighed = (
        Refiner(loss=loss, weights=one, solver="minimum").turn(x, z, mutual, Progress())
        for one in ("equal", name)
    )
    error = [np.linalg.norm(turn.rotation - rotation) for turn in (equal, weighed)]
    assert error[1] < (0.95 if loss == "l1" else 0.7) * error[0]  # ℓ1 hardly heeds them anyway


def test_a_whole_path_weighs_too():
    source, target, _ = planted_pair(words=900, dimension=16, noise=0.16, tilt=2.0)
    equal, weighed = (
        lexalign.refine(source, target, horizon="auto", weights=name)
        for name in ("equal", "inlier")
    )
    assert np.abs(equal.map.source.matrix - weighed.map.source.matrix).max() > 1e-3
    assert weighed.map.provenance["parameters"]["weights"] == "inlier"


def test_what_cannot_be_is_refused():
    with pytest.raises(
        LexalignError,
        match=r"`weights` parameter of refinement must be one of .*'margin'.*Got 'heavy'",
    ):
        Refiner(weights="heavy")
    with pytest.raises(LexalignError, match="equal weights"):
        Refiner(solver="vode", weights="margin")
