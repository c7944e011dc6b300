"""The comparison of ratios with those that the documentation records, with made-up ratios."""

import pytest
from benchmarks.recorded_ratios import PAGE, complaints, recorded_ratios, row_of

SECTION = """# Speed

| name | ratio |
|---|---|
| elsewhere | 9 |

## Recorded ratios

Words before the table.

| name | ratio | date | machine |
|---|---|---|---|
| top_k / bare product | 1.06 | 2026-11-19 | a machine |
| reading / gensim | 0.043 | 2026-11-19 | another |

## Something else

| other | 3 |
"""


def test_the_table_is_read_back():
    assert recorded_ratios(SECTION) == {"top_k / bare product": 1.06, "reading / gensim": 0.043}


@pytest.mark.parametrize(("ratio", "fine"), [(0.5, True), (1.0, True), (1.19, True), (1.21, False)])
def test_a_fifth_more_is_allowed(ratio, fine):
    assert (complaints({"a": ratio}, {"a": 1.0}) == []) == fine


def test_what_is_worse_is_named_with_both_numbers():
    (sentence,) = complaints({"good": 0.9, "bad": 3.0}, {"good": 1.0, "bad": 2.0})
    assert sentence.startswith("'bad' is 3, 50% above the 2 recorded")


def test_no_number_is_no_success():
    assert len(complaints({"a": float("nan")}, {"a": 1.0})) == 1


def test_a_missing_name_says_how_to_record_it_and_the_row_can_be_read():
    (sentence,) = complaints({"new": 1.234}, {})
    assert "'new' is not recorded; add this row to performance.md: | new | 1.23 | 20" in sentence
    row = sentence.split(": ", 1)[1]
    assert row == row_of("new", 1.234)
    page = SECTION.replace("| reading", f"{row}\n| reading")
    assert recorded_ratios(page)["new"] == 1.23


def test_a_name_that_is_no_longer_measured_is_reported():
    (sentence,) = complaints({}, {"old": 1.0})
    assert sentence == "'old' is recorded but was not measured; remove its row from performance.md."


def test_no_section_and_a_name_twice_are_refused():
    with pytest.raises(ValueError, match=r"has no section '## Recorded ratios'"):
        recorded_ratios("# Speed\n")
    with pytest.raises(ValueError, match="records 'reading / gensim' twice"):
        recorded_ratios(SECTION.replace("top_k / bare product", "reading / gensim"))


def test_the_page_records_ratios():
    recorded = recorded_ratios(PAGE.read_text(encoding="utf-8"))
    assert len(recorded) > 5
    assert all(ratio > 0 for ratio in recorded.values())
