"""Coverage of the target words by labels: bands, smoothing, and which side was selected."""

import numpy as np
import pytest

from lexalign.induction.candidates import Candidates
from lexalign.induction.cross_fitting import TrainingTable
from lexalign.induction.features import FeatureTable
from lexalign.induction.label_coverage import BANDS, LabelCoverage, target_was_selected
from lexalign.induction.ranking_model import HEAVIEST, _coverage, word_weights


def test_bands_grow_with_the_rank_and_end_with_the_vocabulary():
    coverage = LabelCoverage.of(np.arange(10), 100_000)
    assert coverage.edges[[0, 1, -1]].tolist() == [0, 50, 100_000]
    assert len(coverage.shares) == len(coverage.edges) - 1 == BANDS
    assert (np.diff(np.diff(coverage.edges)[1:]) > 0).all()


def test_a_band_is_smoothed_by_five_words_of_the_mean_coverage():
    coverage = LabelCoverage.of(np.arange(0, 40, 2), 1000)
    mean = 20 / 1000
    assert coverage.shares[0] == pytest.approx((20 + 5 * mean) / (50 + 5))
    width = np.diff(coverage.edges)[-1]
    assert coverage.shares[-1] == pytest.approx(5 * mean / (width + 5))
    assert (coverage.shares > 0).all()


def test_a_rank_belongs_to_the_band_that_begins_with_it():
    coverage = LabelCoverage.of(np.arange(50), 1000)
    last = coverage.shares[-1]
    found = coverage.at(np.array([0, 49, 50, 999, 5000]))
    np.testing.assert_array_equal(found, [*coverage.shares[[0, 0, 1]], last, last])


def test_a_vocabulary_that_is_all_labels_is_covered_wholly():
    for size in (30, 50, 51, 700):
        np.testing.assert_allclose(LabelCoverage.of(np.arange(size), size).shares, 1)


def test_a_small_vocabulary_is_one_band():
    coverage = LabelCoverage.of(np.array([3, 4, 29]), 30)
    assert coverage.edges.tolist() == [0, 30]
    assert coverage.at(np.array([0, 29])) == pytest.approx(0.1)


def test_the_selected_side_has_the_more_frequent_words():
    frequent, spread = np.arange(100), np.arange(0, 1000, 10)
    assert target_was_selected(spread, frequent, 1000, 1000)
    assert not target_was_selected(frequent, spread, 1000, 1000)
    assert not target_was_selected(frequent, frequent, 1000, 1000)
    assert target_was_selected(frequent, frequent, 1000, 2000)


def test_a_word_of_many_labels_counts_once():
    rows, keys = np.array([5, 6, 90, 90, 90, 90]), np.array([50, 50, 50, 50, 51, 52])
    assert not target_was_selected(rows, keys, 100, 100)


def made_table(keys, right):
    """Two candidates a word: the labelled one and key 0."""
    keys = np.column_stack((keys, np.zeros_like(keys))).ravel()
    right = np.column_stack((right, np.zeros_like(right))).ravel()
    rows = np.repeat(np.arange(len(keys) // 2), 2)
    features = FeatureTable(("spelling: none",), np.zeros((len(keys), 1), dtype=np.float32))
    return TrainingTable(Candidates(rows, keys), features, right, np.zeros(len(keys)))


def test_words_count_one_over_the_coverage_of_their_translation():
    coverage = LabelCoverage(np.array([0, 50, 1000]), np.array([0.8, 0.4]))
    table = made_table(np.array([10, 20, 100, 200]), np.ones(4, dtype=bool))
    weights = word_weights(table, coverage)
    np.testing.assert_allclose(weights, np.array([1, 1, 2, 2]) / 1.5)
    np.testing.assert_array_equal(word_weights(table, None), np.ones(4))


def test_no_word_counts_much_more_than_the_median():
    coverage = LabelCoverage(np.array([0, 50, 1000]), np.array([1.0, 0.001]))
    weights = word_weights(
        made_table(np.array([1, 2, 3, 4, 900]), np.ones(5, dtype=bool)), coverage
    )
    assert weights[-1] / weights[0] == pytest.approx(HEAVIEST)


def test_a_word_without_its_translation_has_the_mean_weight():
    coverage = LabelCoverage(np.array([0, 50, 1000]), np.array([0.8, 0.4]))
    right = np.array([True, True, False])
    weights = word_weights(made_table(np.array([10, 100, 5]), right), coverage)
    assert weights[2] == pytest.approx(1)
    assert weights.mean() == pytest.approx(1)


def test_coverage_is_corrected_only_if_the_target_was_selected():
    words = np.arange(1, 101)
    frequent = made_table(words % 10 + 1, np.ones(100, dtype=bool))
    assert isinstance(_coverage(frequent, 100, 1000), LabelCoverage)
    spread = made_table(words * 9, np.ones(100, dtype=bool))
    assert _coverage(spread, 1000, 1000) is None
    assert _coverage(made_table(words, np.zeros(100, dtype=bool)), 100, 1000) is None
