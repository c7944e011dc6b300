from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexalign.errors import InputError, ParameterError
from lexalign.vectors import Block, Census, Policy
from lexalign.vectors.policy import apply_policy

PATH = Path("en.vec")


def run(policy, *blocks):
    census = Census()
    kept = list(apply_policy(blocks, policy, census, PATH))
    return [word for block in kept for word in block.words], census


def block(words, numbers=None, first=1, unit="row"):
    matrix = np.ones((len(words), 2)) if numbers is None else np.array(numbers)
    return Block(words, matrix, range(first, first + len(words)), unit)


@pytest.mark.parametrize(
    ("name", "value", "choices"),
    [
        ("duplicates", "last", "one of 'first', 'keep', 'error'"),
        ("zero_rows", "", "one of 'keep', 'drop', 'error'"),
        ("undecodable", None, "one of 'replace', 'error'"),
        ("lowercase", "yes", "True or False"),
    ],
)
def test_bad_choice_gets_the_uniform_sentence(name, value, choices):
    with pytest.raises(ParameterError) as caught:
        Policy(**{name: value})
    wanted = f"The `{name}` parameter of the policy must be {choices}. Got {value!r} instead."
    assert str(caught.value) == wanted


def test_default_keeps_zeros_and_the_first_of_equals():
    words, census = run(
        Policy(), block(["a", "b", "a"], [[1, 2], [0, 0], [3, 4]]), block(["B", "b"], first=4)
    )
    assert words == ["a", "b", "B"]
    assert census.as_dict() == {
        "rows_read": 5,
        "undecodable_replaced": 0,
        "lowercased": 0,
        "zero_rows_kept": 1,
        "zero_rows_dropped": 0,
        "duplicates_dropped": 2,
        "rows_kept": 3,
    }


def test_the_first_of_equals_keeps_its_vector():
    blocks = [block(["a", "b", "a"], [[1, 1], [2, 2], [3, 3]])]
    (kept,) = apply_policy(blocks, Policy(), Census(), PATH)
    assert kept.matrix.tolist() == [[1, 1], [2, 2]]
    assert list(kept.places) == [1, 2]


def test_repeated_words_can_be_kept():
    words, census = run(Policy(duplicates="keep"), block(["a", "b", "a"]), block(["b"], first=4))
    assert words == ["a", "b", "a", "b"]
    assert census.duplicates_dropped == 0


def test_lowercase_makes_duplicates():
    words, census = run(Policy(lowercase=True), block(["The", "the", "İ"]))
    assert words == ["the", "i̇"]
    assert (census.lowercased, census.duplicates_dropped) == (2, 1)


def test_zero_rows_are_dropped_before_duplicates():
    words, census = run(Policy(zero_rows="drop"), block(["a", "a"], [[0, -0.0], [1, 1]]))
    assert words == ["a"]
    assert (census.zero_rows_dropped, census.duplicates_dropped) == (1, 0)


def test_undecodable_bytes_are_replaced():
    words, census = run(Policy(), block(["caf\udce9", "a"]))
    assert words == ["caf\ufffd", "a"]
    assert census.undecodable_replaced == 1


@pytest.mark.parametrize(
    ("policy", "words", "numbers", "message"),
    [
        (Policy(duplicates="error"), ["a", "b", "a"], None, "'a' appears a second time"),
        (Policy(zero_rows="error"), ["a", "b", "c"], [[1], [1], [0]], "'c' is all zeros"),
        (Policy(undecodable="error"), ["a", "b", "\udce9"], None, "is not valid UTF-8"),
        (
            Policy(),
            ["a", "b", "c"],
            [[1], [1], [np.nan]],
            "'c' contains a number that is not finite",
        ),
        (Policy(), ["a", "b", ""], None, "the word is missing"),
    ],
)
@pytest.mark.parametrize(
    ("unit", "place"), [("line", "en.vec, line 9: "), ("row", "en.vec: row 9: ")]
)
def test_errors_say_where(policy, words, numbers, message, unit, place):
    with pytest.raises(InputError, match=message) as caught:
        run(policy, block(["z"], [[1]] if numbers else None), block(words, numbers, 7, unit))
    assert str(caught.value).startswith(place)
    assert caught.value.remedy


def test_census_in_words():
    _, census = run(Policy(), block(["a", "a"], [[0, 0], [1, 1]]))
    assert str(census) == (
        "Rows read: 2, kept: 1. Rows of zeros, kept: 1. "
        "Rows that repeat an earlier word, dropped: 1."
    )
    assert Census().sentences() == ["Rows read: 0, kept: 0."]


def test_block_must_be_even():
    with pytest.raises(InputError, match="2 words needs the same number of rows"):
        Block(["a", "b"], np.ones((1, 2)), [1])
