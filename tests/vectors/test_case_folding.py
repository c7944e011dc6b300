"""Words of a lexicon that the vectors spell with another case."""

import numpy as np
import pytest

from lexalign.errors import ParameterError
from lexalign.vectors import Embeddings, Lexicon
from lexalign.vectors.case_folding import CaseLookup, folding_sentence


def vocabulary(*words):
    return Embeddings(words, np.ones((len(words), 2)))


def found(pairs, source, target, case, weights=None):
    return Lexicon(pairs, weights).indices(vocabulary(*source), vocabulary(*target), case=case)


@pytest.mark.parametrize(
    ("case", "rows"),
    [
        # Of US and Us the first is more frequent.
        ("auto", {"Haus": 0, "haus": 2, "HAUS": 0, "us": 1, "Us": 3, "dog": None}),
        ("as-is", {"Haus": 0, "haus": 2, "HAUS": None, "us": None, "US": 1, "Us": 3}),
        ("lower-lexicon", {"Haus": 2, "haus": 2, "HAUS": 2, "us": None, "US": None}),
    ],
)
def test_how_a_word_is_looked_up(case, rows):
    words = ("Haus", "US", "haus", "Us")
    lookup = CaseLookup(words, {word: row for row, word in enumerate(words)}, case)
    assert {word: lookup.row(word) for word in rows} == rows
    assert {word: word in lookup for word in rows} == {
        word: row is not None for word, row in rows.items()
    }


def test_letters_that_only_full_folding_equates_stay_different():
    lookup = CaseLookup(["masse", "ὀδυσσεύς", "été"], {"masse": 0, "ὀδυσσεύς": 1, "été": 2})
    assert lookup.row("Maße") is None
    assert lookup.row("ὈΔΥΣΣΕΎΣ") == 1
    assert lookup.row("ÉTÉ") == 2


def test_pairs_are_found_in_either_case_and_counted():
    pairs = [("House", "Haus"), ("dog", "hund"), ("Ice", "Eis"), ("cat", "Katze")]
    sides = ("house", "dog", "ice"), ("haus", "hund", "katze")
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    auto = found(pairs, *sides, "auto", weights)
    assert auto.pairs.tolist() == [[0, 0], [1, 1]]
    assert auto.rows.tolist() == [0, 1]
    assert auto.weights.tolist() == [1.0, 2.0]
    assert (auto.missing_source, auto.missing_target) == (["cat"], ["Eis"])
    assert auto.folded == 1
    as_is = found(pairs, *sides, "as-is")
    assert as_is.pairs.tolist() == [[1, 1]]
    assert as_is.folded == 0
    assert as_is.missing_source == ["House", "Ice", "cat"]


def test_nothing_changes_where_the_case_matches():
    pairs = [("House", "Haus"), ("house", "Haus"), ("dog", "Hund"), ("dog", "Hund"), ("x", "y")]
    sides = ("dog", "house", "House"), ("Haus", "Hund", "haus")
    auto, as_is = (found(pairs, *sides, case) for case in ("auto", "as-is"))
    assert auto.pairs.tolist() == as_is.pairs.tolist() == [[2, 0], [1, 0], [0, 1], [0, 1]]
    assert auto.folded == 0


@pytest.mark.parametrize("case", ["auto", "lower-lexicon"])
def test_the_same_pair_in_another_case_counts_once(case):
    pairs = [("House", "Haus"), ("house", "haus"), ("DOG", "hund"), ("Dog", "hund")]
    result = found(pairs, ("house", "dog"), ("haus", "hund"), case)
    assert result.rows.tolist() == [1, 2]
    assert result.folded == 1


def test_an_unknown_case_is_refused():
    with pytest.raises(ParameterError, match="`case` parameter of the lexicon must be one of 'aut"):
        found([("a", "b")], "a", "b", "upper")


def test_the_sentence_names_the_way_out():
    assert folding_sentence(553, 1846) == (
        '553 of 1,846 seed pairs were matched by ignoring case; use `case="as-is"` to require '
        "the same case."
    )
