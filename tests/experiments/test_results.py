"""What the tables of an experiment test."""

import csv
import io
import json

import numpy as np
import pytest
from scipy.stats import ttest_rel

from lexalign.errors import InputError
from lexalign.experiments.rendering import render
from lexalign.experiments.results import ResultCell, Results, RunScore, read_results
from tests.fuzz.valid_files import experiment

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


def test_no_cell_of_csv_is_a_formula():
    entries = {("=1+1", "", "x:@en-de"): ResultCell({}, ("-missing",))}
    found = Results(
        {"metric": "p@1", "name": "+grid", "vectors": "y"}, {"x": "=toys"}, entries, 0.0
    )
    (row,) = csv.DictReader(io.StringIO(render(found, "csv")))
    texts = [row[name] for name in ("grid", "vectors", "pair", "aligner", "reason")]
    assert texts == ["'+grid", "'=toys", "'@en-de", "'=1+1", "'-missing"]


LONELY_CELL = {
    "aligner": "Q", "refinement": "", "pair": "wiki:en-fr", "seed": 0, "job": [], "missing": "x"
}  # fmt: skip
"""Of a row and a column that have no other cell."""


def changed(content, *path, value):
    """The content of an experiment with another value at the end of this path."""
    content = json.loads(content)
    inner = content
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("grid",), []),
        (("grid", "metric"), None),
        (("grid", "published", "P"), 1),
        (("titles",), [1]),
        (("cells", 0, "aligner"), []),
        (("cells", 0, "job"), []),
        (("cells", 0, "job"), ["../" * 9]),
        (("cells", 0, "job"), ["x" * 5000]),
        (("cells", 0), LONELY_CELL),
        (("cells", 0, "seed"), "first"),
        (("cells", 0, "seed"), 10**400),
    ],
)
def test_a_plan_of_another_form_is_one_sentence(tmp_path, path, value):
    for name, content in experiment().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert read_results(tmp_path, "table").metric == "p@1"
    file = tmp_path / "table.experiment.json"
    file.write_bytes(changed(file.read_bytes(), *path, value=value))
    with pytest.raises(InputError, match=r"table\.experiment\.json: this is not an experiment of"):
        read_results(tmp_path, "table")
