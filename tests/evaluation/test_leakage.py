"""Test words that are seeds of the alignment, and what is said about a score."""

import json

import numpy as np
import pytest

from lexalign.errors import InputError
from lexalign.evaluation import Leakage, evaluate
from lexalign.evaluation.cautions import (
    coverage_caution,
    leakage_caution,
    relation_caution,
    score_cautions,
    spelling_caution,
)
from lexalign.vectors import Embeddings, Lexicon

WORDS = {
    "dog": "hund",
    "house": "haus",
    "houses": "häuser",
    "household": "haushalt",
    "hound": "jagdhund",
    "taxi": "taxi",
}
SOURCE = Embeddings(list(WORDS), np.eye(6))
TARGET = Embeddings(list(WORDS.values()), np.eye(6)[[1, 0, 2, 3, 4, 5]])
"""Everything is right but dog and house, whose vectors are exchanged."""
TEST = Lexicon([*WORDS.items(), ("hound", "hund")])
SEEDS = Lexicon([("House", "Haus"), ("dog", "köter"), ("wolfhound", "hund")])


def result(**rules):
    return evaluate(SOURCE, TARGET, TEST, retrieval="nn", **rules)


def words(flags, found):
    return [word for word, flag in zip(found.words, flags, strict=True) if flag]


def test_seeds_are_found_in_the_case_of_the_protocol():
    found = result()
    leakage = Leakage.of(found, SEEDS)
    assert words(leakage.is_seed, found) == ["house"]
    assert (leakage.seeds, leakage.queries, leakage.examples) == (3, 1, ("house",))
    assert Leakage.of(result(protocol="fasttext"), SEEDS).queries == 0


def test_words_that_share_a_target_or_a_stem_are_told_apart():
    """The lengths of house and household differ by 4, those of house and houses by 1."""
    found = result()
    leakage = Leakage.of(found, SEEDS)
    assert words(leakage.shares_target, found) == ["dog", "hound"]
    assert words(leakage.shares_stem, found) == ["dog", "houses"]


def test_a_word_is_left_out_with_all_its_translations():
    """Without hound–hund alone, hound would be asked for jagdhund only."""
    leakage = Leakage.of(result(), Lexicon([("hound", "hund")]))
    assert leakage.clean.words == ("dog", "house", "houses", "household", "taxi")
    by_pair = Leakage.of(result(protocol="xling"), Lexicon([("hound", "hund")]))
    assert by_pair.clean.queries == 6
    assert ("jagdhund",) in by_pair.clean.references


def test_the_score_without_seeds_is_that_of_the_other_queries():
    leakage = Leakage.of(result(), Lexicon([("taxi", "taxi"), ("houses", "häuser")]))
    assert leakage.whole.precision(1) == pytest.approx(4 / 6)
    assert leakage.clean.precision(1) == pytest.approx(2 / 4)
    as_json = json.loads(json.dumps(leakage.as_dict()))
    assert as_json["leaked"] == [2, 5]
    assert as_json["without_seeds"]["p@1"] == 0.5


def test_if_all_queries_are_seeds_nothing_is_left():
    leakage = Leakage.of(result(), TEST)
    assert leakage.as_dict()["without_seeds"] is None
    with pytest.raises(InputError, match="all 6 queries are seeds of the alignment; test on words"):
        _ = leakage.clean


def test_copying_and_words_spelled_alike():
    found = result()
    assert found.copying == pytest.approx(1 / 6)
    assert found.other_spelling.words == ("dog", "house", "houses", "household", "hound")
    assert found.other_spelling.precision(1) == pytest.approx(3 / 5)
    cased = Embeddings(["Taxi"], np.eye(1))
    pair = Lexicon([("Taxi", "taxi")])
    lower = evaluate(cased, cased, pair, retrieval="nn")
    assert (lower.copying, lower.other_spelling.queries) == (1.0, 0)
    as_is = evaluate(
        cased, Embeddings(["taxi"], np.eye(1)), pair, protocol="vecmap", retrieval="nn"
    )
    assert as_is.copying == 0.0


def test_sentences_have_the_figures():
    leakage = Leakage.of(result(), SEEDS)
    assert score_cautions(result(), leakage) == [
        "Copying the source word gives P@1 16.7 %. Without the queries that copying "
        "answers, P@1 is 60.0 % (5 queries).",
        "1 of 6 test words (16.7 %) are seeds of the alignment: house.",
        "Of the other test words, 2 have the same stem as a seed word and 2 have the same "
        "translation as a seed. Such words may be easier than others.",
        "Without the seeds, P@1 is 80.0 %.",
    ]
    assert score_cautions(result(), leakage, without_seeds=True)[-1] == (
        "The seeds are left out of the score."
    )
    nothing = Leakage.of(result(), Lexicon([("a", "b")]))
    assert leakage_caution(nothing) is relation_caution(nothing) is None
    assert len(score_cautions(result(), nothing)) == len(score_cautions(result())) == 1
    everything = leakage_caution(Leakage.of(result(), TEST))
    assert everything.endswith("are seeds of the alignment, such as dog, house, houses, household, "
                               "hound.")  # fmt: skip


def test_spelling_says_nothing_of_a_rest_that_is_none():
    rest = evaluate(SOURCE, TARGET, Lexicon([("dog", "hund")]), retrieval="nn")
    assert spelling_caution(rest) == "Copying the source word gives P@1 0.0 %."


def test_coverage_below_half_is_said():
    unknown = [(f"no{i}", f"nein{i}") for i in range(11)]
    assert coverage_caution(result()) is None
    low = Lexicon([*WORDS.items(), *unknown])
    assert coverage_caution(evaluate(SOURCE, TARGET, low, retrieval="nn")) == (
        "Low coverage: only 6 of 17 test words (35 %) are in both vocabularies, so the score "
        "describes only frequent words."
    )
    pairs = coverage_caution(evaluate(SOURCE, TARGET, low, protocol="xling"))
    assert "6 of 17 test pairs" in pairs
    wrong = coverage_caution(evaluate(SOURCE, TARGET, low, protocol="fasttext", retrieval="nn"))
    assert wrong.endswith("and the protocol counts the other words as wrong.")
