"""Closest points and optimal transport: what they find where the clouds have a shape."""

import subprocess
import sys

import numpy as np
import pytest

from lexalign.aligners import Gwa, Icp
from lexalign.aligners.gwa import anchors, objective
from lexalign.aligners.icp import closest_points, principal_components
from lexalign.errors import LexalignError
from lexalign.evaluation import evaluate
from tests.aligners.test_muse import clouds, translations
from tests.conftest import random_rotation

QUICK = {
    "icp": Icp(starts=8, components=6, words=400, start_words=300, rounds=3),
    "gwa": Gwa(words=200, stages=4, rounds=3),
}


@pytest.mark.parametrize("name", list(QUICK))
def test_it_finds_a_rotation_without_any_seed(name):
    source, target = clouds(words=500, dimension=8, noise=0.005)
    alignment = QUICK[name].fit(source, target)
    assert evaluate(alignment.source, alignment.target, translations(500)).precision(1) > 0.9
    matrix = alignment.map.source.matrix
    np.testing.assert_allclose(matrix.T @ matrix, np.eye(8), atol=1e-6)
    assert "criterion" in alignment.history[-1]


def test_closest_points_end_when_no_neighbour_changes():
    generator = np.random.default_rng(0)
    z = generator.standard_normal((200, 4)).astype(np.float32) * [4, 3, 2, 1]
    turned = random_rotation(4, generator)
    x = (z @ turned.T).astype(np.float32)
    fit = closest_points(x, z.astype(np.float32), turned.astype(np.float32), 50)
    assert fit.epochs == 2
    assert fit.reconstruction == pytest.approx(0, abs=1e-5)
    assert fit.forward.tolist() == list(range(200))


def test_principal_components_come_in_order_and_skewed_to_the_right():
    vectors = np.random.default_rng(1).gamma(1.0, size=(500, 3)) * [1, 5, 3]
    found = principal_components(vectors, 2)
    assert found.shape == (500, 2)
    assert found.var(axis=0)[0] > found.var(axis=0)[1]
    assert ((found**3).mean(axis=0) > 0).all()


def test_the_objective_is_zero_for_the_right_coupling_and_its_definition_for_any():
    generator = np.random.default_rng(2)
    x = generator.standard_normal((6, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    z, uniform = x @ random_rotation(3, generator), np.full(6, 1 / 6)
    assert objective(x, z, uniform, uniform, np.eye(6) / 6) == pytest.approx(0, abs=1e-12)
    plan = np.full((6, 6), 1 / 36)
    c, d = (1 - side @ side.T for side in (x, z))
    c, d = c / c.mean(), d / d.mean()
    expected = sum(
        (c[i, k] - d[j, m]) ** 2 * plan[i, j] * plan[k, m]
        for i in range(6) for j in range(6) for k in range(6) for m in range(6)
    )  # fmt: skip
    assert objective(x, z, uniform, uniform, plan) == pytest.approx(expected)


def test_anchors_choose_each_other():
    plan = np.array([[0.5, 0.1, 0.0], [0.4, 0.2, 0.1], [0.0, 0.1, 0.3]])
    assert anchors(plan).tolist() == [[0, 0], [2, 2]]


@pytest.mark.parametrize(
    ("aligner", "wrong", "sentence"),
    [
        (
            Icp,
            {"starts": 0},
            "`starts` parameter of icp must be a whole number, at least 1. Got 0 instead",
        ),
        (
            Icp,
            {"words": 5},
            "`words` parameter of icp must be at least 10, the number of `neighbours`",
        ),
        (Gwa, {"epsilon": 0.0}, "`epsilon` parameter of gwa must be a finite number, above 0"),
        (
            Gwa,
            {"start_epsilon": 1e-9},
            "`start_epsilon` parameter of gwa must be at least the `epsilon`",
        ),
        (Gwa, {"marginals": "even"}, "`marginals` parameter of gwa must be one of"),
    ],
)
def test_wrong_parameters_are_refused(aligner, wrong, sentence):
    with pytest.raises(LexalignError, match=sentence):
        aligner(**wrong)


def test_optimal_transport_does_not_load_what_would_reserve_a_gpu(tmp_path):
    for unused in ("jax", "tensorflow", "cupy"):
        (tmp_path / f"{unused}.py").write_text(f"raise SystemExit('loaded {unused}')")
    look_there = f"import sys; sys.path.insert(0, {str(tmp_path)!r})"
    code = f"{look_there}; from lexalign.aligners import gwa; gwa._pot()"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")
