"""What a rival does to a choice, by hand."""

import numpy as np
import pytest

from lexalign.retrieval.penalties import Penalty
from lexalign.retrieval.spoilers import _peaks, unspoilt

QUERIES = np.array([[1, 0], [0, 1]], dtype=np.float32)


def survivors(keys, chosen, exact, known):
    """With these penalties; those of unknown keys are bounded by −1."""
    keys, exact = np.array(keys, dtype=np.float32), np.array(exact, dtype=np.float64)
    known = np.array(known)
    costs = Penalty(np.where(known, exact, -1.0), known.copy(), 2.0, lambda rows: exact[rows])
    chosen = np.array(chosen)
    first = np.einsum("ij,ij->i", QUERIES, keys[chosen]) - exact[chosen]
    alive = unspoilt(QUERIES, keys, chosen, first, ~known, costs, sample=QUERIES, neighbours=1)
    return alive.tolist(), costs


def test_a_better_rival_spoils_a_choice_and_a_worse_one_does_not():
    keys = [[0.8, 0], [0, 0.8], [0.9, 0], [0, 0.7]]
    alive, costs = survivors(keys, [0, 1], [0.4, 0.4, 0.45, 0.4], [True, True, False, False])
    assert alive == [False, True]
    assert costs.known[2]


@pytest.mark.parametrize(("better", "survives"), [(0.001, False), (-0.001, True)])
def test_only_the_exact_penalty_decides(better, survives):
    keys = [[0.8, 0], [0, 0.8], [0.9, 0]]
    exact = [0.4, 0.4, 0.5 - better]
    assert survivors(keys, [0, 1], exact, [True, True, False])[0] == [survives, True]


@pytest.mark.parametrize(("chosen", "rival", "survives"), [(0, 2, True), (2, 0, False)])
def test_of_equal_scores_the_lower_index_wins(chosen, rival, survives):
    keys = [[0.8, 0], [0, 0.8], [0.8, 0]]
    known = [True, True, True]
    known[rival] = False
    assert survivors(keys, [chosen, 1], [0.4] * 3, known)[0] == [survives, True]


def test_a_rival_far_away_is_bounded_only():
    keys = [[0.8, 0], [0, 0.8], [-0.9, -0.3]]
    alive, costs = survivors(keys, [0, 1], [0.4, 0.4, -0.15], [True, True, False])
    assert alive == [True, True]
    assert not costs.known[2]
    assert -1 < costs.values[2] <= -0.15


@pytest.mark.parametrize("width", [1, 7, 8, 16, 61, 200])
def test_peaks_are_different_numbers_of_the_row(width):
    row = np.random.default_rng(width).permutation(width).astype(np.float32)[None]
    peaks = _peaks(row, 8)[0]
    assert min(width, 8) <= len(peaks) <= max(8, min(width, 15))
    assert len(set(peaks.tolist())) == len(peaks)
    assert peaks.max() == width - 1
