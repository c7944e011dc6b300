"""Labels: seeds, or mutual pairs of an alignment where seeds are few."""

import numpy as np
import pytest

from lexalign.induction import labels as module
from lexalign.induction.labels import FEWEST_JUDGES, Labels
from lexalign.induction.view import ViewMaps
from tests.conftest import random_rotation
from tests.induction.samples import unit_rows

NO_ROWS = np.empty((0, 2), dtype=np.int64)


@pytest.fixture(scope="module")
def planted():
    """Row i is the only mutual partner of row i."""
    source = unit_rows(120, 12)
    rotation = random_rotation(12, np.random.default_rng(1))
    return source, (source @ rotation).astype(np.float32), ViewMaps(rotation, None)


def as_pairs(rows):
    return set(map(tuple, rows.tolist()))


def same(count):
    return np.repeat(np.arange(count)[:, None], 2, axis=1)


def test_seeds_are_labels_each_once_and_all_of_them_judge():
    labels = Labels.of_seeds(np.vstack((same(9), same(4))), 3, 0)
    assert as_pairs(labels.folds.seeds) == as_pairs(same(9))
    assert len(labels.folds.seeds) == 9
    assert not labels.weak
    assert labels.judging(np.arange(3), 0) is None


def test_mutual_pairs_are_weak_labels(planted):
    labels = Labels.weak_labels(*planted, NO_ROWS, 3, 0)
    assert labels.weak
    assert as_pairs(labels.folds.seeds) == as_pairs(same(120))
    assert labels.folds.count == 3


def test_weak_labels_share_no_word_with_a_seed(planted):
    """The seeds contradict the alignment, so that each takes two mutual pairs away."""
    seeds = np.array([[0, 1], [2, 2], [5, 50]])
    found = as_pairs(Labels.weak_labels(*planted, seeds, 3, 0).folds.seeds)
    assert as_pairs(seeds) <= found
    assert found - as_pairs(seeds) == {(row, row) for row in range(120)} - {
        (row, row) for row in (0, 1, 2, 5, 50)
    }


def test_weak_labels_are_capped_and_drawn_by_the_seed(planted, monkeypatch):
    monkeypatch.setattr(module, "MOST_WEAK", 40)
    seeds = np.array([[0, 0], [1, 1]])
    drawn = [Labels.weak_labels(*planted, seeds, 3, seed).folds for seed in (0, 0, 1)]
    assert [len(folds.seeds) for folds in drawn] == [42, 42, 42]
    assert as_pairs(seeds) <= as_pairs(drawn[0].seeds)
    np.testing.assert_array_equal(drawn[0].seeds, drawn[1].seeds)
    np.testing.assert_array_equal(drawn[0].folds, drawn[1].folds)
    assert as_pairs(drawn[0].seeds) != as_pairs(drawn[2].seeds)


def test_weak_labels_are_frequent_words(planted, monkeypatch):
    monkeypatch.setattr(module, "FREQUENT", 50)
    seeds = np.array([[100, 110]])
    found = as_pairs(Labels.weak_labels(*planted, seeds, 3, 0).folds.seeds)
    assert found == as_pairs(same(50)) | {(100, 110)}


@pytest.mark.parametrize("side", [0, 1])
def test_judging_needs_fifty_seed_words(planted, side):
    seeds = np.column_stack((np.arange(60), np.arange(60)[::-1]))
    labels = Labels.weak_labels(*planted, seeds, 3, 0)
    enough, too_few = np.arange(60 - FEWEST_JUDGES, 120), np.arange(61 - FEWEST_JUDGES, 120)
    np.testing.assert_array_equal(labels.judging(enough, side), enough < 60)
    assert not labels.judging(too_few, side).any()
    assert not Labels.weak_labels(*planted, NO_ROWS, 3, 0).judging(enough, side).any()
