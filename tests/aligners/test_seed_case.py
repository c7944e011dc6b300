"""Seeds whose case differs from that of the vectors."""

import numpy as np
import pytest

import lexalign
from lexalign.aligners import Procrustes, fit_to_pivot
from lexalign.errors import InputError, ParameterError
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import planted_pair


@pytest.fixture(scope="module")
def pair():
    source, target, _ = planted_pair(words=200, dimension=8)
    return source, target


def seeds(*, capitals):
    """Sixty pairs, so many of them in capitals."""
    return Lexicon(
        [
            (f"{'S' if i < capitals else 's'}{i}", f"{'T' if i < capitals else 't'}{i}")
            for i in range(60)
        ]
    )


def test_case_is_ignored_where_it_must_be(pair):
    expected = lexalign.align("procrustes", *pair, seeds(capitals=0))
    found = lexalign.align("procrustes", *pair, seeds(capitals=25))
    assert expected.warning is None
    assert found.warning == (
        '25 of 60 seed pairs were matched by ignoring case; use `case="as-is"` to require the '
        "same case."
    )
    assert found.lexicon.pairs == expected.lexicon.pairs
    np.testing.assert_array_equal(found.source.matrix, expected.source.matrix)


@pytest.mark.parametrize(("case", "known"), [("as-is", 35), ("lower-lexicon", 60)])
def test_case_is_treated_as_asked_without_a_word(pair, case, known):
    found = lexalign.align("procrustes", *pair, seeds(capitals=25), case=case)
    assert len(found.lexicon) == known
    assert found.warning is None


def test_a_pivot_gets_the_same_seeds(pair):
    languages = dict(zip(("s", "t"), pair, strict=True))
    found = fit_to_pivot(Procrustes(), languages, "t", {"s": seeds(capitals=60)})
    assert len(found["s"].lexicon) == 60


def test_seeds_of_another_case_alone_are_refused_where_case_counts(pair):
    with pytest.raises(InputError, match="none of the 60 pairs .* the case of the words"):
        lexalign.align("procrustes", *pair, seeds(capitals=60), case="as-is")
    with pytest.raises(ParameterError, match="`case` parameter of procrustes must be one of"):
        lexalign.align("procrustes", *pair, seeds(capitals=0), case="upper")


@pytest.mark.shared
def test_a_german_dictionary_with_capitals_is_found_in_lower_cased_vectors(data):
    sides = [
        Embeddings(words, np.zeros((len(words), 1)))
        for words in (
            (data / "vectors" / f"europarl.{name}.words")
            .read_text("utf-8")
            .rstrip("\n")
            .split("\n")
            for name in ("en", "de")
        )
    ]
    seeds = Lexicon.read(data / "dictionaries" / "xling" / "yacle.train.freq.1k.en-de.tsv")
    found = {case: seeds.indices(*sides, case=case) for case in ("as-is", "auto")}
    assert {case: (len(one), one.folded) for case, one in found.items()} == {
        "as-is": (293, 0),
        "auto": (846, 553),
    }
    lower = Lexicon.read(data / "dictionaries" / "muse" / "en-de.0-5000.txt")
    same = [lower.indices(*sides, case=case).pairs for case in ("as-is", "auto")]
    np.testing.assert_array_equal(*same)
