"""Spaces of different dimension."""

import numpy as np
import pytest

from lexalign.spaces import level

WIDE = np.random.default_rng(0).standard_normal((50, 6)).astype(np.float32) * [5, 4, 3, 2, 1, 0.1]
NARROW = np.random.default_rng(1).standard_normal((40, 4)).astype(np.float32)


def test_equal_dimensions_stay():
    levelled = level(NARROW, NARROW, "refuse")
    assert levelled.source is NARROW
    assert levelled.source_matrix(None) is None
    assert levelled.target_matrix(None) is None


@pytest.mark.parametrize("wide", ["source", "target"])
def test_pca_keeps_the_directions_that_matter(wide):
    levelled = level(WIDE, NARROW, "pca") if wide == "source" else level(NARROW, WIDE, "pca")
    reduced = getattr(levelled, wide)
    axes = getattr(levelled, f"{wide}_matrix")(None)
    assert reduced.shape == (50, 4)
    np.testing.assert_allclose(WIDE @ axes, reduced, atol=1e-5)
    np.testing.assert_allclose(axes.T @ axes, np.eye(4), atol=1e-5)
    best = np.linalg.svd(WIDE, compute_uv=False)[:4]
    np.testing.assert_allclose(np.linalg.svd(reduced, compute_uv=False), best, rtol=1e-4)
    other = "target" if wide == "source" else "source"
    assert getattr(levelled, f"{other}_matrix")(None) is None
    doubled = getattr(levelled, f"{wide}_matrix")(2 * np.eye(4))
    np.testing.assert_allclose(doubled, 2 * axes, atol=1e-6)


@pytest.mark.parametrize(("source", "target"), [(WIDE, NARROW), (NARROW, WIDE)])
def test_rectangular_maps_lead_from_one_to_the_other(source, target):
    levelled = level(source, target, "rectangular")
    assert levelled.source.shape == (len(source), 6)
    assert levelled.target.shape == (len(target), 6)
    rotation = np.linalg.qr(np.random.default_rng(2).standard_normal((6, 6)))[0]
    matrix = levelled.source_matrix(rotation)
    assert matrix.shape == (source.shape[1], target.shape[1])
    np.testing.assert_allclose(
        source @ matrix, (levelled.source @ rotation)[:, : target.shape[1]], atol=1e-5
    )
    small = matrix.T @ matrix if source.shape[1] > target.shape[1] else matrix @ matrix.T
    np.testing.assert_allclose(small, np.eye(4), atol=1e-12)
    assert levelled.target_matrix(None) is None
