import csv
import io

import pytest

from lexalign.table import Column, Table, decimals, percent

TABLE = Table(
    [Column("name"), Column("P@1", percent, is_number=True), Column("r", decimals, is_number=True)],
    [["a_b & 50 %|x", 0.12345, None], ["c", 1.0, 0.5]],
)


def test_markdown():
    assert TABLE.render("markdown") == (
        "| name | P@1 | r |\n| --- | ---: | ---: |\n| a_b & 50 %\\|x | 12.3 |  |\n"
        "| c | 100.0 | 0.500 |\n"
    )


def test_latex_escapes_what_latex_would_read():
    assert TABLE.render("latex").splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\hline",
        r"name & P@1 & r \\",
        r"\hline",
        r"a\_b \& 50 \%|x & 12.3 &  \\",
        r"c & 100.0 & 0.500 \\",
        r"\hline",
        r"\end{tabular}",
    ]


def test_a_title_stands_above_and_what_all_rows_share_goes_into_it():
    table = Table([Column("a"), Column("b", is_number=True)], [["x", 1], ["x", 1]], title="T")
    assert table.render("markdown").startswith("T\n\n| a | b |")
    assert table.render("latex").startswith("% T\n\\begin")
    assert table.compact() == Table(table.columns[1:], [[1], [1]], title="T; a: x")
    assert table.without("b").columns == table.columns[:1]
    context = Column("share", percent, is_number=True, is_context=True)
    known = Table([Column("b", is_number=True), context], [[1, 0.5], [1, 0.5]])
    assert known.compact() == Table(known.columns[:1], [[1], [1]], title="share: 50.0 %")
    assert Table(known.columns, [[1, 0.5], [1, None]]).compact().columns == known.columns


def test_csv_keeps_the_bare_values():
    rows = list(csv.reader(TABLE.render("csv").splitlines()))
    assert rows == [["name", "P@1", "r"], ["a_b & 50 %|x", "0.12345", ""], ["c", "1.0", "0.5"]]


@pytest.mark.parametrize("word", ["=1+1", "+1", "-x", "@name", "\t=1", "\r=1", "\n=1"])
def test_no_cell_of_csv_is_a_formula(word):
    table = Table([Column("word"), Column("gain", is_number=True)], [[word, -0.5], ["a=b", None]])
    rows = list(csv.reader(io.StringIO(table.render("csv"), newline="")))
    assert rows == [["word", "gain"], [f"'{word}", "-0.5"], ["a=b", ""]]
