"""What the tables of an experiment test."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from lexalign.experiments.results import ResultCell, Results, RunScore

BEFORE = {"x:en-de": (0.40, 0.42, 0.44), "x:en-fr": (0.50, 0.50, 0.53), "x:en-it": (0.30, 0.33)}
GAINS = {"x:en-de": 0.01, "x:en-fr": 0.03, "x:en-it": 0.015}


def cell(scores, failed=False):
    runs = {seed: RunScore({"p@1": score}, 100, failed, 1.0) for seed, score in enumerate(scores)}
    return ResultCell(runs, ())


@pytest.fixture
def results():
    entries = {("a", "", pair): cell(scores) for pair, scores in BEFORE.items()}
    for pair, scores in BEFORE.items():
        entries["a", "l1", pair] = cell([score + GAINS[pair] for score in scores])
        entries["a", "l2", pair] = cell(scores)
    return Results({"metric": "p@1"}, {}, entries, 0.0)


def test_a_pair_counts_once_however_many_seeds_it_has(results):
    test = results.test("a", "l1", "p@1")
    before = [np.mean(scores) for scores in BEFORE.values()]
    expected = ttest_rel(np.add(before, list(GAINS.values())), before)
    assert test.runs == 3
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.p == pytest.approx(expected.pvalue)


def test_p_is_corrected_for_all_refined_rows(results):
    test = results.test("a", "l1", "p@1")
    assert test.corrected_p == pytest.approx(2 * test.p)
    assert results.test("a", "l2", "p@1") is None


def test_failed_runs_are_left_out(results):
    entries = dict(results.entries)
    entries["a", "l1", "x:en-de"] = cell([0.01, 0.01, 0.01], failed=True)
    test = Results(results.grid, {}, entries, 0.0).test("a", "l1", "p@1")
    assert test.runs == 2
