"""The README is short, and its links lead somewhere."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")


def test_it_is_short():
    assert len(TEXT.split()) <= 900


def test_every_link_leads_to_a_file():
    links = re.findall(r"\]\(([^)#\s]+)", TEXT)
    assert len(links) > 20
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def test_every_make_target_exists():
    named = set(re.findall(r"^make (\w+)", TEXT, re.MULTILINE))
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {"test", "docs", "demo"} <= named <= targets
