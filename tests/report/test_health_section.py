"""The health check in the report: a verdict that is not praise, and a scale beside each figure."""

import pytest

from lexalign.aligners.health_scale import health_scale
from lexalign.report.health_section import health_content, health_tile

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


def test_every_figure_stands_beside_its_scale():
    content = health_content(FIGURES)
    assert "<td>0.7</td><td>0.67 to 0.85</td><td>0.1 to 0.19</td>" in content
    assert "<td>1.9 to 5.1</td><td>2.6 to 8.7</td>" in content
    assert "<td>0.1 to 9</td><td>the same</td>" in content
    assert "<td>40.0 % of 200</td><td>19 % to 63 %</td><td>0 %</td>" in content
    assert "0.39 to 0.85" in health_content({**FIGURES, "dimension": 50})
    assert health_content(None) == ""


def test_a_match_is_not_called_better():
    assert health_tile(FIGURES) == ("spaces match", "health check, not accuracy", "")
    assert health_tile({"matched": False})[0::2] == ("no match", "bad")
    assert "does not say how well words translate" in health_content(FIGURES)


@pytest.mark.parametrize("dimension", [50, 300])
def test_what_the_verdict_depends_on_tells_good_from_failed(dimension):
    for name in ("found_again", "identical"):
        known = health_scale(dimension)[name]
        assert known.failed[1] < known.good[0]
