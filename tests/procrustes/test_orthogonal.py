import numpy as np
import pytest

from lexalign.procrustes.orthogonal import (
    identity,
    newton_schulz,
    orthogonality_error,
    polar,
    polish,
    procrustes,
    rotate,
    skew,
)
from tests.conftest import random_rotation


@pytest.fixture
def generator():
    return np.random.default_rng(0)


def test_skew_is_the_antisymmetric_part(generator):
    matrix = generator.standard_normal((5, 5))
    part = skew(matrix)
    np.testing.assert_allclose(part, -part.T)
    np.testing.assert_allclose(matrix - part, (matrix - part).T)


def test_rotate_agrees_with_the_exponential_to_second_order(generator):
    from scipy.linalg import expm

    rotation, direction = random_rotation(6, generator), skew(generator.standard_normal((6, 6)))
    gaps = [
        np.linalg.norm(rotate(rotation, h * direction) - rotation @ expm(-h * direction))
        for h in (1e-2, 5e-3)
    ]
    assert gaps[0] / gaps[1] == pytest.approx(8, rel=0.1)


def test_rotate_by_nothing_is_the_identity(generator):
    rotation = random_rotation(6, generator)
    np.testing.assert_allclose(rotate(rotation, np.zeros((6, 6))), rotation, atol=1e-14)


def test_newton_schulz_converges_quadratically(generator):
    matrix = random_rotation(8, generator) + 1e-2 * generator.standard_normal((8, 8))
    errors = [orthogonality_error(matrix)]
    for _ in range(3):
        matrix = newton_schulz(matrix)
        errors.append(orthogonality_error(matrix))
    assert errors[1] < 10 * errors[0] ** 2
    assert errors[3] < 1e-10


def test_polish_survives_the_rounding_to_float32(generator):
    matrix = random_rotation(300, generator) + 1e-4 * generator.standard_normal((300, 300))
    polished = polish(matrix)
    assert orthogonality_error(polished) < 1e-13
    assert orthogonality_error(polished.astype(np.float32)) <= 1e-6


def test_few_pairs_leave_a_rotation_that_rounding_does_not_decide(generator):
    a, b = (generator.standard_normal((20, 50)) for _ in range(2))
    found = procrustes(a, b)
    assert orthogonality_error(found) < 1e-12
    for noise in range(3):
        rounding = 1e-15 * np.random.default_rng(noise).standard_normal((50, 50))
        np.testing.assert_allclose(polar(a.T @ b + rounding), found, atol=1e-9)


def test_of_all_best_rotations_the_one_nearest_to_the_identity_is_taken(generator):
    a, b = (generator.standard_normal((6, 10)) for _ in range(2))
    found = procrustes(a, b)
    left, _, right = np.linalg.svd(a.T @ b)
    for _ in range(50):
        inner = random_rotation(4, generator)
        other = left[:, :6] @ right[:6] + left[:, 6:] @ inner @ right[6:]
        assert np.linalg.norm(a @ other - b) == pytest.approx(np.linalg.norm(a @ found - b))
        assert np.linalg.norm(found - np.eye(10)) <= np.linalg.norm(other - np.eye(10))


def test_pairs_that_are_where_they_belong_leave_everything_there(generator):
    a = generator.standard_normal((6, 10))
    np.testing.assert_allclose(procrustes(a, a), np.eye(10), atol=1e-12)


def test_identity_has_the_kind_of_its_model():
    import torch

    assert identity(np.zeros((2, 3), np.float32), 3).dtype == np.float32
    assert identity(torch.zeros(2, 3), 3).dtype == torch.float32
