import numpy as np
import pytest

from lexalign.procrustes.losses import L1
from lexalign.procrustes.orthogonal import identity, rotate
from lexalign.procrustes.problem import Problem
from lexalign.procrustes.sign_field import SignField
from tests.conftest import random_rotation
from tests.procrustes.problems import planted


def agree(problem, field, rotation):
    loss, ascent = field.evaluate(rotation)
    expected_loss, expected_ascent = problem.evaluate(rotation)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    np.testing.assert_allclose(ascent, expected_ascent, atol=1e-3)


def test_small_steps_and_large_jumps_agree_with_the_dense_evaluation():
    a, b, _ = planted(pairs=800, noise=0.1)
    problem, generator = Problem(a, b, L1()), np.random.default_rng(0)
    field, rotation = SignField(problem), identity(a, a.shape[1])
    for _ in range(20):
        agree(problem, field, rotation)
        rotation = rotate(rotation, np.float32(1e-4) * problem.evaluate(rotation)[1])
    agree(problem, field, random_rotation(a.shape[1], generator).astype(np.float32))
    agree(problem, field, rotation)


def test_residuals_of_exactly_zero_pull_nowhere():
    a, _, _ = planted()
    loss, ascent = SignField(Problem(a, a.copy(), L1())).evaluate(identity(a, a.shape[1]))
    assert loss == 0.0
    assert not ascent.any()
