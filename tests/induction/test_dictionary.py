"""Dictionaries: parts of them, and their files."""

import numpy as np
import pytest

from lexalign.errors import InputError, OutputError
from lexalign.induction import Dictionary

HEAD = "source\ttarget\tprobability\trank\n"


@pytest.fixture
def found():
    return Dictionary(
        ("dog", "dog", "cat", "ice cream"),
        ("Hund", "Tier", "Katze", "Eis"),
        np.array([0.9, 0.3, 0.6, 0.12346]),
        np.array([1, 2, 1, 1]),
        {"seeds": 3},
    )


def test_parts_of_a_dictionary(found):
    assert found.top(1).pairs == [("dog", "Hund"), ("cat", "Katze"), ("ice cream", "Eis")]
    assert found.at_least(0.6).pairs == [("dog", "Hund"), ("cat", "Katze")]
    assert found.at_least(0.6).record == {"seeds": 3}
    assert len(found.top(0)) == 0
    assert found.top(0).expected_precision == 0


def test_translations_of_a_word(found):
    assert found.translate("dog") == [("Hund", 0.9), ("Tier", 0.3)]
    assert found.translate("bird") == []


def test_it_says_how_many_are_right(found):
    assert found.expected_precision == pytest.approx((0.9 + 0.6 + 0.12346) / 3)
    assert repr(found) == (
        "Dictionary(4 translations of 3 words, mean probability of the first 0.54)"
    )


def test_it_is_a_weighted_lexicon(found):
    assert found.lexicon.pairs[1] == ("dog", "Tier")
    assert found.lexicon.weights.tolist() == found.probability.tolist()


def test_it_is_a_table(found):
    table = found.to_polars()
    assert table.columns == ["source", "target", "probability", "rank"]
    assert table.rows()[1] == ("dog", "Tier", 0.3, 2)


def test_what_is_written_is_read(found, tmp_path):
    found.write(tmp_path / "d.tsv")
    text = (tmp_path / "d.tsv").read_text("utf-8")
    assert text.startswith(HEAD + "dog\tHund\t0.9000\t1\n")
    again = Dictionary.read(tmp_path / "d.tsv")
    assert again.pairs == found.pairs
    np.testing.assert_allclose(again.probability, found.probability, atol=5e-5)
    assert again.rank.tolist() == found.rank.tolist()


def test_line_ends_and_tabs_in_words_do_not_break_the_table(tmp_path):
    odd = Dictionary(("a\tb", "c"), ("d\n", "\u2028e\x85"), np.array([0.5, 0.5]), np.array([1, 1]))
    odd.write(tmp_path / "d.tsv")
    assert Dictionary.read(tmp_path / "d.tsv").pairs == [("ab", "d"), ("c", "\u2028e\x85")]


def test_a_file_is_not_replaced_unasked(found, tmp_path):
    (tmp_path / "d.tsv").write_text("old", encoding="utf-8")
    with pytest.raises(OutputError, match="already exists"):
        found.write(tmp_path / "d.tsv")
    assert (tmp_path / "d.tsv").read_text("utf-8") == "old"
    found.write(tmp_path / "d.tsv", overwrite=True)
    assert len(Dictionary.read(tmp_path / "d.tsv")) == 4


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("dog\tHund\n", 1),
        ("", 1),
        (HEAD + "dog\tHund\t0.5\t1\ndog\tHund\n", 3),
        (HEAD + "dog\tHund\thigh\t1\n", 2),
        (HEAD + "dog\tHund\t0.5\tfirst\n", 2),
        (HEAD + "dog\tHund\t0.5\t1\t2\n", 2),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, line):
    (tmp_path / "d.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"d.tsv, line {line}: .*lexalign induce wrote") as caught:
        Dictionary.read(tmp_path / "d.tsv")
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_get_a_sentence(tmp_path):
    with pytest.raises(InputError, match="none.tsv: it cannot be read \\(No such file"):
        Dictionary.read(tmp_path / "none.tsv")
    (tmp_path / "d.tsv").write_bytes(HEAD.encode() + b"\xff\xfe\t\x80\t0.5\t1\n")
    with pytest.raises(InputError, match="d.tsv: it is not UTF-8 text"):
        Dictionary.read(tmp_path / "d.tsv")
    with pytest.raises(InputError, match="cannot be read"):
        Dictionary.read(tmp_path)


def test_an_empty_dictionary_is_written_and_read(tmp_path):
    nothing = Dictionary((), (), np.empty(0), np.empty(0, dtype=int))
    nothing.write(tmp_path / "d.tsv")
    again = Dictionary.read(tmp_path / "d.tsv")
    assert len(again) == len(again.top(1)) == len(again.at_least(0.5)) == 0


def test_a_word_that_is_not_unicode_is_not_written(tmp_path):
    odd = Dictionary(("a",), ("b\udcff",), np.array([0.5]), np.array([1]))
    with pytest.raises(OutputError, match=r"'\\udcff' is not valid Unicode"):
        odd.write(tmp_path / "dictionary.tsv")
    assert not (tmp_path / "dictionary.tsv").exists()


@pytest.mark.parametrize(
    "numbers", ["nan\t1", "inf\t1", "-0.1\t1", "1.5\t1", "0.5\t0", "0.5\t99999999999999999999"]
)
def test_numbers_out_of_bounds_are_named_by_their_line(tmp_path, numbers):
    path = tmp_path / "dictionary.tsv"
    path.write_text(f"source\ttarget\tprobability\trank\na\tb\t{numbers}\n")
    with pytest.raises(InputError, match=r"dictionary\.tsv, line 2: expected two words, a prob"):
        Dictionary.read(path)


@pytest.mark.parametrize("words", ["\tb", "a\t", "\ra\tb"])
def test_words_that_are_never_written_are_named_by_their_line(tmp_path, words):
    path = tmp_path / "dictionary.tsv"
    path.write_bytes(f"source\ttarget\tprobability\trank\n{words}\t0.5\t1\n".encode())
    with pytest.raises(InputError, match="line 2: expected two words"):
        Dictionary.read(path)
