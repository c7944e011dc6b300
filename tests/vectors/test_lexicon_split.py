"""A training and a test lexicon without a common source word."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.errors import InputError, ParameterError
from lexalign.vectors import Lexicon

PAIRS = [(f"s{number % 50}", f"t{number}") for number in range(120)]


def sources(lexicon):
    return {source.lower() for source, _ in lexicon}


def test_source_words_are_split_and_pairs_stay_in_order():
    lexicon = Lexicon(PAIRS, np.arange(1.0, 121.0), format="muse")
    train, test = lexicon.split(test_share=0.3, seed=1)
    assert (len(sources(train)), len(sources(test))) == (35, 15)
    assert not sources(train) & sources(test)
    for part in (train, test):
        assert part.format == "muse"
        assert [PAIRS[int(weight) - 1] for weight in part.weights] == list(part)
        assert sorted(part.weights.tolist()) == part.weights.tolist()
    assert sorted([*train, *test]) == sorted(PAIRS)


def test_a_seed_gives_the_same_split_and_another_seed_another():
    lexicon = Lexicon(PAIRS)
    splits = [lexicon.split(seed=seed)[1].pairs for seed in (0, 0, 1)]
    assert splits[0] == splits[1] != splits[2]


def test_words_that_differ_by_case_only_stay_together():
    lexicon = Lexicon([(f"{'WORD' if i % 2 else 'word'}{i // 2}", "x") for i in range(40)])
    train, test = lexicon.split(test_share=0.5)
    assert not sources(train) & sources(test)
    assert len(train) == len(test) == 20


@pytest.mark.parametrize(("share", "tested"), [(0.001, 1), (0.999, 49)])
def test_each_part_has_a_word(share, tested):
    train, test = Lexicon(PAIRS).split(test_share=share)
    assert (len(sources(train)), len(sources(test))) == (50 - tested, tested)


def test_one_word_cannot_be_split():
    with pytest.raises(InputError, match="has 1 source words, but each part needs at least one"):
        Lexicon([("Dog", "Hund"), ("dog", "Rüde")]).split()


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, float("nan"), "half"])
def test_a_share_out_of_bounds_is_refused(share):
    with pytest.raises(ParameterError, match="`test_share` parameter of the split must be a fin"):
        Lexicon(PAIRS).split(test_share=share)


@given(
    st.lists(st.tuples(st.sampled_from("abcdeABC"), st.sampled_from("xyz")), max_size=20),
    st.floats(0.01, 0.99),
    st.integers(0, 5),
)
def test_every_pair_goes_to_one_part(pairs, share, seed):
    if len({source.lower() for source, _ in pairs}) < 2:
        return
    train, test = Lexicon(pairs).split(test_share=share, seed=seed)
    assert sorted([*train, *test]) == sorted(pairs)
    assert sources(train)
    assert sources(test)
    assert not sources(train) & sources(test)
