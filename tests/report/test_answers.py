"""Word by word: five groups, by all accepted translations."""

from pathlib import Path

import pytest

from lexalign import Lexicon
from lexalign.evaluation.protocols import named
from lexalign.report.analysis import analyse
from lexalign.report.answers import Answer, Answers
from lexalign.report.before_after import BeforeAfter
from lexalign.report.blocks import Disclosure
from lexalign.report.changes_section import changes_section
from tests.report.runs import make_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return make_runs(tmp_path_factory.mktemp("runs"))


@pytest.mark.parametrize(
    ("before", "after", "group"),
    [
        ("b", "c", "gained"),
        ("c", "b", "lost"),
        ("c", "d", "both right"),
        ("b", "x", "both wrong"),
        ("b", "b", "both wrong"),
    ],
)
def test_groups_by_all_accepted_translations(before, after, group):
    assert Answer("a", before, after, ("c", "d"), testable=True).group == group


def test_what_no_method_can_know_is_not_testable():
    assert Answer("a", "b", "c", ("d",), testable=False).group == "not testable"
    assert Answer("a", None, None, ("d",)).group == "not testable"


def test_another_run_takes_the_place_of_before():
    first = Answers((Answer("a", None, "b", ("c",), True), Answer("z", None, "z")), True, False)
    other = Answers((Answer("a", None, "c", ("c",), True),), True, False)
    assert other.against(first).counts()["gained"] == 1
    assert first.against(other).counts()["lost"] == 1
    assert len(first.against(other).listed) == 1


def test_words_without_vectors_are_counted_apart(runs):
    pairs = [("s5", "t5"), ("s6", "elsewhere"), ("nowhere", "t7"), ("s8", "no"), ("s8", "t8")]
    found = analyse(BeforeAfter.read(runs / "refined"), {Path("x"): Lexicon(pairs)}, named("muse"))
    groups = {answer.word: answer.group for answer in found.answers.listed}
    assert groups["s6"] == groups["nowhere"] == "not testable"
    assert groups["s5"] != "not testable" != groups["s8"]
    assert found.answers.counts()["not testable"] == 2


def test_seeds_that_are_left_out_are_not_listed(runs):
    lexicon = {Path("x"): Lexicon([("s199", "t199"), ("s200", "t200")])}
    run, rules = BeforeAfter.read(runs / "refined"), named("muse")
    for excluded, words in ((False, {"s199", "s200"}), (True, {"s199"})):
        found = analyse(run, lexicon, rules, exclude_seeds=excluded)
        assert {answer.word for answer in found.answers.listed} == words


def test_right_and_wrong_translations_are_marked(runs):
    lexicon = {Path("x"): Lexicon([(f"s{i}", f"t{i if i % 3 else i + 1}") for i in range(5, 60)])}
    found = analyse(BeforeAfter.read(runs / "aligned"), lexicon, named("muse"))
    section = changes_section({"aligned": found})
    assert section.title == "Right and wrong translations"
    tables = {
        block.summary.split(",")[0]: block.blocks[0].cells()
        for block in section.blocks
        if isinstance(block, Disclosure)
    }
    assert {row[1].mark for row in tables["Right"]} == {"right"}
    assert {row[1].mark for row in tables["Wrong"]} == {"wrong"}
    assert all(row[1].text == row[2].text for row in tables["Right"])
