"""Dictionaries from few seeds, and from words spelled alike without any."""

import numpy as np
import pytest

from lexalign.errors import InputError, LexalignError
from lexalign.induction import Inducer, inducer
from lexalign.induction.methods import GIVEN, maps_of
from lexalign.induction.ranker import Boosting
from lexalign.vectors import Lexicon
from tests.induction.samples import noisy_pair, with_identical

SMALL = {"boosting": Boosting(trees=10, leaves=7), "both_directions": False}


@pytest.fixture(scope="module")
def pair():
    """Fifty dimensions, so that the health check has a say."""
    return noisy_pair(words=400, dimension=50, noise=0.6)


@pytest.fixture(scope="module")
def alike(pair):
    """The same with identical words."""
    return with_identical(*pair[:2], 6)


@pytest.fixture(scope="module")
def learned(alike):
    return Inducer(**SMALL, ranking="learned").fit(*alike)


def accuracy(induced, source, target):
    found = induced.predict(source.words)
    return np.mean([one == other for one, other in zip(found, target.words, strict=True)])


@pytest.mark.parametrize(("lexicon", "kind"), [(None, "identical"), ("numerals", "numerals")])
def test_words_spelled_alike_take_the_place_of_seeds(pair, lexicon, kind):
    source, target = with_identical(*pair[:2], 6, numerals=kind == "numerals")
    induced = Inducer(**SMALL).fit(source, target, lexicon)
    assert induced.record["start"] == kind
    assert induced.start.alignment.health.matched
    assert accuracy(induced, source, target) > 0.8
    shared = [word for word in source.words if word in target]
    assert sorted(induced.seed_lexicon.pairs) == sorted((word, word) for word in shared)
    assert induced.record["seeds"] == len(shared) == 67
    forward = induced.record["ranking"]["forward"]
    assert forward["weak_labels"]
    assert forward["seed_words"] == 0
    assert forward["label_words"] > 300
    assert {one["p@1"] for one in induced.record["choice"]["tried"]} == {None}


def test_without_seeds_a_method_may_be_named(alike):
    source, target = alike
    induced = Inducer(**SMALL, method="procrustes", ranking="csls").fit(source, target)
    assert [one["method"] for one in induced.record["choice"]["tried"]] == [
        "procrustes, from identical words"
    ]
    assert accuracy(induced, source, target) > 0.8


def test_few_seeds_learn_from_mutual_pairs_and_judge(pair):
    """The alignment is fitted anew to all labels, and frequency is no evidence."""
    source, target, lexicon = pair
    induced = Inducer(**SMALL, method="procrustes", ranking="learned").fit(
        source, target, Lexicon(lexicon.pairs[:60])
    )
    forward = induced.record["ranking"]["forward"]
    assert (forward["weak_labels"], forward["seed_words"]) == (True, 60)
    assert forward["label_words"] > 300
    assert sum(one["words"] for one in forward["reliability"]) == 60
    assert not [group for group in forward["learned"]["groups"] if "frequency" in group]
    assert induced.record["start"] == "seeds"
    assert len(induced.seed_lexicon) == 60
    assert accuracy(induced, source, target) > 0.8
    assert not maps_of(induced.alignment).equals(maps_of(induced.start.alignment))


def test_too_few_seeds_do_not_judge(pair):
    source, target, lexicon = pair
    induced = Inducer(**SMALL, method="procrustes", ranking="learned").fit(
        source, target, Lexicon(lexicon.pairs[:49])
    )
    forward = induced.record["ranking"]["forward"]
    assert (forward["weak_labels"], forward["seed_words"]) == (True, 0)


@pytest.mark.parametrize("words", [299, 300])
def test_three_hundred_seed_words_are_enough(pair, words):
    source, target, lexicon = pair
    two = (lexicon.pairs[0][0], lexicon.pairs[1][1])
    induced = Inducer(**SMALL, method="procrustes", ranking="csls").fit(
        source, target, Lexicon([*lexicon.pairs[:words], two])
    )
    forward = induced.record["ranking"]["forward"]
    assert forward["weak_labels"] == (words < 300)
    assert forward["seed_words"] == words


def test_a_dictionary_by_weak_labels_is_the_same_each_time(alike, learned):
    again = Inducer(**SMALL, ranking="learned").fit(*alike)
    one, other = (induced.dictionary(max_rank=100) for induced in (learned, again))
    assert one.pairs == other.pairs
    np.testing.assert_array_equal(one.probability, other.probability)


def test_unsupervised_vecmap_takes_no_words_spelled_alike(pair, monkeypatch):
    asked = []

    def spy(spaces, kinds, seeds):
        asked.append(tuple(kinds))
        return {}

    def stop(*arguments):
        raise LexalignError("It was asked.")

    monkeypatch.setattr(inducer, "spelled_alike", spy)
    monkeypatch.setattr(inducer, "start_by_health", stop)
    for method, kinds in (
        ("vecmap --preset unsupervised", []),
        ("auto", [("identical", "numerals")]),
    ):
        with pytest.raises(LexalignError, match="It was asked"):
            Inducer(method=method).fit(*pair[:2])
        assert asked == kinds


@pytest.mark.parametrize(
    ("lexicon", "parameters", "sentence"),
    [
        ("alike", {}, r"one of \('identical', 'numerals'\). Got 'alike' instead; read a file"),
        ("seeds.tsv", {"method": GIVEN}, "Got 'seeds.tsv' instead"),
        ([("a", "b")], {}, "`lexicon` must be a Lexicon. Got list instead"),
        ("identical", {"method": GIVEN}, "'given' cannot use 'identical' as seeds; give"),
    ],
)
def test_what_is_no_lexicon_gets_one_sentence(pair, lexicon, parameters, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        Inducer(**parameters).fit(*pair[:2], lexicon)
    assert "\n" not in str(caught.value)


@pytest.mark.gpu
def test_a_gpu_induces_alike(alike, learned):
    source, target = alike
    gpu = Inducer(**SMALL, ranking="learned", device="cuda").fit(source, target)
    assert gpu.record["start"] == learned.record["start"] == "identical"
    one, other = (induced.predict(source.words) for induced in (learned, gpu))
    assert np.mean([word == again for word, again in zip(one, other, strict=True)]) > 0.95
    assert accuracy(gpu, source, target) > 0.8
