"""Each promise of ``docs/explanation/reliability.md`` names a test that exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "reliability.md"
FUNCTION = re.compile(r"^ *def (test_\w+)", re.MULTILINE)


def test_every_test_that_is_named_exists():
    files = list((ROOT / "tests").rglob("test_*.py"))
    known = {name for path in files for name in FUNCTION.findall(path.read_text("utf-8"))}
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text("utf-8")))
    assert len(named) > 20
    assert named <= known


def test_every_file_that_is_linked_exists():
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE.read_text("utf-8"))
    assert len(links) > 15
    assert [link for link in links if not (PAGE.parent / link).is_file()] == []


def test_a_name_stands_with_the_file_that_holds_it():
    """``[test_text](file): `test_one`, `test_two` `` names tests of this file."""
    text = " ".join(PAGE.read_text("utf-8").split())
    groups = re.findall(r"\]\(([^)]+)\): ((?:`test_\w+`(?:, )?)+)", text)
    assert groups
    for link, names in groups:
        known = FUNCTION.findall((PAGE.parent / link).read_text("utf-8"))
        assert set(re.findall(r"test_\w+", names)) <= set(known), link
