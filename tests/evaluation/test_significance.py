import numpy as np
import pytest

from lexalign.errors import LexalignError
from lexalign.evaluation import bootstrap, paired_t_test


def test_the_t_test_is_that_of_the_textbook():
    """Differences 1, 2, 3, 2: mean 2, s = 0.8165, t = 2 / (s / 2) = 4.899, p = 0.01628 (3 df)."""
    test = paired_t_test([10, 20, 30, 40], [11, 22, 33, 42], comparisons=3)
    assert test.statistic == pytest.approx(4.898979, abs=1e-6)
    assert test.p == pytest.approx(0.016278, abs=1e-5)
    assert test.corrected_p == pytest.approx(3 * test.p)
    assert test.runs == 4
    assert paired_t_test([1, 2, 3], [3, 1, 2.5], comparisons=50).corrected_p == 1.0


def test_runs_without_variance():
    assert paired_t_test([1, 2, 3], [1, 2, 3]) is None
    assert paired_t_test([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]) is None
    assert paired_t_test([1], [2]) is None
    with pytest.raises(
        LexalignError, match="the same number of runs for both systems. Got 2 and 1"
    ):
        paired_t_test([1, 2], [1])


def test_the_bootstrap_interval_is_about_two_standard_errors():
    values = np.repeat([0.0, 1.0], [600, 400])
    found = bootstrap([values])
    error = np.sqrt(0.4 * 0.6 / 1000)
    assert found.mean == pytest.approx(0.4)
    assert found.low == pytest.approx(0.4 - 1.96 * error, abs=0.003)
    assert found.high == pytest.approx(0.4 + 1.96 * error, abs=0.003)
    assert found.p == pytest.approx(2 / 10_001)
    assert bootstrap([values]) == found
    assert bootstrap([values], seed=1) != found


def test_several_groups_count_alike_whatever_their_size_or_by_their_weight():
    found = bootstrap([np.zeros(10), np.ones(1000)])
    assert (found.mean, found.low, found.high) == (0.5, 0.5, 0.5)
    found = bootstrap([np.zeros(10), np.ones(1000)], [3, 1])
    assert (found.mean, found.low, found.high) == (0.25, 0.25, 0.25)


def test_chance_gives_no_small_p():
    generator = np.random.default_rng(0)
    p = [bootstrap([generator.standard_normal(100)], resamples=1000).p for _ in range(600)]
    assert 0.02 <= np.mean(np.array(p) < 0.05) <= 0.09


def test_bad_parameters():
    with pytest.raises(LexalignError, match="at least one run with at least one query"):
        bootstrap([])
    with pytest.raises(LexalignError, match="`resamples` must be at least 100. Got 5"):
        bootstrap([np.ones(3)], resamples=5)
