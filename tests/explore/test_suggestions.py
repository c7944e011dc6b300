"""Words by their beginnings, and words that were meant."""

import pytest

from lexalign.explore.suggestions import Spelling, folded, slips, spellings

WORDS = ["the", "water", "Water", "watery", "München", "mund", "house", "mouse", "naïve", "水"]


@pytest.fixture(scope="module")
def spelling():
    return Spelling(WORDS)


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("Water", "water"),
        ("München", "munchen"),
        ("e\u0301te\u0301", "ete"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("ﬁn", "fin"),
        ("水", "水"),
        ("", ""),
    ],
)
def test_spelling_is_compared_without_case_and_accents(word, plain):
    assert folded(word) == plain


def test_words_that_are_plain_are_not_copied():
    word = "".join(["wa", "ter"])
    assert folded(word) is word


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("wat", ["water", "Water", "watery"]),
        ("Water", ["Water", "water", "watery"]),
        ("mun", ["München", "mund"]),
        ("mün", ["München", "mund"]),
        ("xyz", []),
        ("水", ["水"]),
    ],
)
def test_completions_are_the_frequent_words_first(spelling, prefix, found):
    assert spelling.beginning_with(prefix, 5) == found


def test_completions_are_few(spelling):
    assert spelling.beginning_with("wat", 1) == ["water"]
    many = Spelling([f"a{number}" for number in range(5_000)])
    assert many.beginning_with("a", 3) == ["a0", "a1", "a2"]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("WATER", ["water", "Water"]),
        ("munchen", ["München"]),
        ("watre", ["water", "Water"]),
        ("hose", ["house"]),
        ("huose", ["house"]),
        ("naive", ["naïve"]),
        ("qqqqqq", []),
        ("x" * 5_000, []),
        ("\u0301", []),
    ],
)
def test_words_that_were_meant_are_found(spelling, word, found):
    assert spelling.close_to(word, 3)[: len(found)] == found
    assert (spelling.close_to(word, 3) == []) == (found == [])


def test_letters_missing_added_wrong_or_exchanged_are_one_slip_each():
    assert slips("wassr", "Wasser") == slips("huose", "house") == slips("mouse", "house") == 1
    assert slips("München", "munchen") == 0


def test_a_word_in_another_case_is_found_but_not_without_its_accents(spelling):
    assert spelling.in_other_case("HOUSE") == "house"
    assert spelling.in_other_case("WATER") == "water"
    assert spelling.in_other_case("münchen") == "München"
    assert spelling.in_other_case("munchen") is None


def test_a_word_is_not_suggested_for_itself(spelling):
    assert "water" not in spelling.close_to("water", 5)


def test_composed_and_decomposed_words_are_both_tried():
    assert spellings(" e\u0301 ") == [" e\u0301 ", " é ", "e\u0301", "é"]
    assert spellings("a") == ["a"]
