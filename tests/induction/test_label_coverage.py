"""Coverage of the target words by labels: bands, smoothing, and which side was selected."""

import numpy as np
import pytest

from lexalign.induction.label_coverage import (
    BANDS,
    HEAVIEST,
    LabelCoverage,
    target_was_selected,
)


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


def pairs(sources, targets):
    return np.column_stack((sources, targets))


def test_the_selected_side_has_the_more_frequent_words():
    frequent, spread = np.arange(100), np.arange(0, 1000, 10)
    assert target_was_selected(pairs(spread, frequent), 1000, 1000)
    assert not target_was_selected(pairs(frequent, spread), 1000, 1000)
    assert not target_was_selected(pairs(frequent, frequent), 1000, 1000)
    assert target_was_selected(pairs(frequent, frequent), 1000, 2000)
    assert not target_was_selected(pairs(frequent, frequent), 1000, 1200)


def test_a_word_of_many_labels_counts_once():
    labels = pairs([5, 6, 90, 90, 90, 90], [50, 50, 50, 50, 51, 52])
    assert not target_was_selected(labels, 100, 100)


def test_words_count_one_over_the_coverage_of_their_most_frequent_translation():
    coverage = LabelCoverage(np.array([0, 50, 1000]), np.array([0.8, 0.4]))
    labels = pairs([3, 3, 5, 7, 9], [900, 10, 20, 100, 200])
    weights = coverage.weights(np.array([3, 5, 7, 9]), labels)
    np.testing.assert_allclose(weights, np.array([1, 1, 2, 2]) / 1.5)


def test_no_word_counts_much_more_than_the_median():
    coverage = LabelCoverage(np.array([0, 50, 1000]), np.array([1.0, 0.001]))
    labels = pairs(range(5), [1, 2, 3, 4, 900])
    for heaviest in (HEAVIEST, 3.0):
        weights = coverage.weights(np.arange(5), labels, heaviest)
        assert weights[-1] / weights[0] == pytest.approx(heaviest)
        assert weights.mean() == pytest.approx(1)
