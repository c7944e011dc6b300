"""Calibration: probabilities that come true."""

import numpy as np
import pytest

from lexalign.induction.calibration import (
    Calibration,
    ReliabilityBin,
    expected_calibration_error,
    reliability,
)

WORDS, CANDIDATES = 4000, 6
GROUPS = np.repeat(np.arange(WORDS), CANDIDATES)


@pytest.fixture(scope="module")
def drawn():
    """One candidate of a word is right, drawn by the softmax of the scores."""
    generator = np.random.default_rng(0)
    scores = 2 * generator.standard_normal((WORDS, CANDIDATES))
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    cumulated = chances.cumsum(axis=1)
    right = (generator.random((WORDS, 1)) > cumulated).sum(axis=1).clip(max=CANDIDATES - 1)
    labels = np.zeros(scores.shape, dtype=bool)
    labels[np.arange(WORDS), right] = True
    return scores.ravel(), chances.ravel(), labels.ravel()


def test_it_recovers_the_probabilities(drawn):
    scores, chances, labels = drawn
    found = Calibration.fit(scores, GROUPS, labels).probabilities(scores, GROUPS)
    assert np.abs(found - chances).mean() < 0.01
    assert np.abs(found - chances).max() < 0.1


def test_the_scale_of_the_scores_does_not_matter(drawn):
    scores, chances, labels = drawn
    sharp = Calibration.fit(scores / 3, GROUPS, labels).probabilities(scores / 3, GROUPS)
    bins = reliability(sharp, labels)
    assert expected_calibration_error(bins) < 0.02
    assert np.corrcoef(sharp, chances)[0, 1] > 0.97


def test_words_without_a_right_candidate_lower_the_probabilities(drawn):
    scores, _, labels = drawn
    half = labels & (GROUPS % 2 == 0)
    found = Calibration.fit(scores, GROUPS, half).probabilities(scores, GROUPS)
    first = scores == np.repeat(scores.reshape(WORDS, -1).max(axis=1), CANDIDATES)
    assert found[first].mean() == pytest.approx(half[first].mean(), abs=0.01)


def test_a_better_candidate_of_a_word_is_more_likely(drawn):
    scores, _, labels = drawn
    found = Calibration.fit(scores, GROUPS, labels).probabilities(scores, GROUPS)
    order = np.argsort(scores.reshape(WORDS, -1), axis=1)
    assert (np.diff(np.take_along_axis(found.reshape(WORDS, -1), order, axis=1)) >= 0).all()


def test_weights_move_the_mean_to_the_population_that_they_stand_for():
    """Two kinds of words with the same scores: of the first 90 % are right, of the second 30 %."""
    count = 400
    groups = np.repeat(np.arange(2 * count), 2)
    scores = np.tile([1.0, 0.0], 2 * count)
    labels = np.zeros(len(groups), dtype=bool)
    labels[: 2 * int(0.9 * count) : 2] = True
    labels[2 * count : 2 * count + 2 * int(0.3 * count) : 2] = True
    kinds = np.repeat([1.0, 3.0], 2 * count)
    for weights, expected in ((None, 0.6), (np.ones(len(kinds)), 0.6), (kinds, 0.45)):
        fitted = Calibration.fit(scores, groups, labels, weights)
        assert fitted.probabilities(scores, groups)[::2] == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("right", [True, False])
def test_weights_stay_finite_where_all_are_equal(right):
    scores, groups = np.arange(40.0) % 2, np.repeat(np.arange(20), 2)
    labels = (scores == 1) if right else np.zeros(40, dtype=bool)
    calibration = Calibration.fit(scores, groups, labels)
    found = calibration.probabilities(scores, groups)
    assert np.isfinite(calibration.weights).all()
    assert (found[scores == 1] > 0.9).all() == right
    assert found[scores == 0].max() < 0.1


def test_one_candidate_alone_has_a_probability():
    calibration = Calibration(np.array([0.0, 1.0, 0.0, 0.0]))
    assert np.isfinite(calibration.probabilities(np.array([3.0]), np.array([0]))).all()


def test_reliability_by_hand():
    probabilities = np.array([0.05, 0.02, 0.95, 1.0, 0.85])
    right = np.array([False, True, True, True, False])
    bins = reliability(probabilities, right)
    assert [one.words for one in bins] == [2, 1, 2]
    assert bins[0] == ReliabilityBin(2, pytest.approx(0.035), 0.5)
    assert bins[2] == ReliabilityBin(2, pytest.approx(0.975), 1.0)
    expected = (2 * 0.465 + 0.85 + 2 * 0.025) / 5
    assert expected_calibration_error(bins) == pytest.approx(expected)
    assert expected_calibration_error([]) == 0
