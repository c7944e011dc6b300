"""The health check in the report: a verdict that is not praise, and a scale beside each figure."""

import pytest

from lexalign.aligners.health_scale import health_scale
from lexalign.report.blocks import Chart, Table, Text
from lexalign.report.health_section import health_blocks
from lexalign.report.verdict import health_tile

FIGURES = {
    "matched": True,
    "verdict": "The two spaces match.",
    "words": 5000,
    "dimension": 300,
    "found_again": 0.7,
    "mutual": 0.5,
    "hubness": 3.0,
    "singular_value_gap": 1.0,
    "identical": {"words": 200, "share": 0.4},
}


def table(**checks):
    """The rows of the table as plain text."""
    (found,) = [block for block in health_blocks(checks) if isinstance(block, Table)]
    rows = [[" ".join(cell.text.split()) for cell in row] for row in found.cells()]
    return {row[0]: row[1:] for row in rows}


def test_every_figure_stands_beside_its_scale():
    rows = table(run=FIGURES)
    again = "pairs found again by a rotation fitted to others of them"
    assert rows[again] == ["70.0 %", "67 to 85 %", "10 to 19 %"]
    assert rows["hubness, the skewness of N₁₀"] == ["3", "1.9 to 5.1", "2.6 to 8.7"]
    assert rows["difference of the spectra"] == ["1", "0.1 to 9", "the same range"]
    alike = "identical words that are each other's best match"
    assert rows[alike] == ["40.0 %", "19 to 63 %", "0 %"]
    assert table(run={**FIGURES, "dimension": 50})[again][1] == "39 to 85 %"


def test_several_runs_stand_in_one_table_and_one_chart():
    checks = {"one": FIGURES, "two": {**FIGURES, "found_again": 0.2}}
    blocks = health_blocks(checks)
    (chart,) = [block for block in blocks if isinstance(block, Chart)]
    for said in ("one: pairs found again 70", "two: pairs found again 20", "typical of failed"):
        assert said in chart.wide
    again = table(**checks)["pairs found again by a rotation fitted to others of them"]
    assert again[:2] == ["70.0 %", "20.0 %"]


def test_a_match_is_not_called_better():
    tile = health_tile(FIGURES)
    assert (tile.value, tile.label, tile.tone) == ("Spaces match", "health check, not accuracy", "")
    failed = health_tile({"matched": False})
    assert (failed.value, failed.tone) == ("No match", "bad")
    notes = [block.text for block in health_blocks({"run": FIGURES}) if isinstance(block, Text)]
    assert "does not measure accuracy" in notes[-1]


@pytest.mark.parametrize("dimension", [50, 300])
def test_what_the_verdict_depends_on_tells_good_from_failed(dimension):
    for name in ("found_again", "identical"):
        known = health_scale(dimension)[name]
        assert known.failed[1] < known.good[0]
