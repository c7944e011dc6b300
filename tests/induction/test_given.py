"""Dictionaries from two spaces that are already aligned."""

import numpy as np
import pytest

from lexalign.aligners import Procrustes
from lexalign.induction import Inducer
from lexalign.induction.methods import GIVEN, maps_of
from lexalign.induction.ranker import Boosting
from lexalign.induction.view import ViewMaps
from lexalign.vectors import Lexicon
from tests.induction.samples import noisy_pair

SMALL = {"boosting": Boosting(trees=10, leaves=7), "both_directions": False}
AS_THEY_ARE = ViewMaps(None, None)


@pytest.fixture(scope="module")
def pair():
    return noisy_pair(words=450, dimension=30, noise=0.5)


@pytest.fixture(scope="module")
def aligned(pair):
    """The same in one space, and the seeds that brought them there."""
    seeds = Lexicon(pair[2].pairs[:100])
    found = Procrustes().fit(*pair[:2], seeds)
    return found.source, found.target, seeds


def accuracy(induced, source, target):
    found = induced.predict(source.words)
    return np.mean([one == other for one, other in zip(found, target.words, strict=True)])


def given_views(aligned, seeds, fitted_to):
    induced = Inducer(**SMALL, method=GIVEN, ranking="csls").fit(
        *aligned[:2], seeds, fitted_to=fitted_to
    )
    assert induced.record["start"] == GIVEN
    assert maps_of(induced.alignment) == AS_THEY_ARE
    return induced.model.fitted.maps


@pytest.mark.parametrize(
    ("first", "last", "is_view"),
    [(0, 100, True), (100, 135, True), (100, 136, False), (100, 450, False)],
)
def test_an_alignment_by_other_seeds_is_a_view(pair, aligned, first, last, is_view):
    """It may know a tenth of the 350 labels."""
    lexicon = pair[2].pairs
    maps = given_views(aligned, Lexicon(lexicon[100:]), Lexicon(lexicon[first:last]))
    assert len(maps) == 2 + is_view
    assert any(one.equals(AS_THEY_ARE) for one in maps) == is_view


def test_an_alignment_by_unknown_seeds_is_a_view(pair, aligned):
    assert given_views(aligned, Lexicon(pair[2].pairs[100:]), None)[-1].equals(AS_THEY_ARE)


def test_an_alignment_that_finds_the_labels_is_no_view(aligned):
    for seeds in (None, aligned[2]):
        maps = given_views(aligned, seeds, None)
        assert len(maps) == 2
        assert not any(one.equals(AS_THEY_ARE) for one in maps)


def test_a_given_alignment_is_kept_and_records_all_seeds(pair, aligned):
    others = Lexicon(pair[2].pairs[90:150])
    induced = Inducer(**SMALL, method=GIVEN, ranking="csls").fit(
        *aligned[:2], others, fitted_to=aligned[2]
    )
    np.testing.assert_allclose(induced.alignment.source.matrix, aligned[0].matrix, atol=1e-6)
    assert set(induced.seed_lexicon.pairs) == set(pair[2].pairs[:150])
    assert induced.choice.reason == "The two embeddings already share one space."
    assert accuracy(induced, *aligned[:2]) > 0.8


def test_a_ranking_that_learned_from_the_seeds_of_an_alignment_does_not_see_it(pair, aligned):
    source, target, _ = aligned
    seeds = Lexicon(pair[2].pairs[:350])
    induced = Inducer(**SMALL, method=GIVEN, ranking="learned").fit(
        source, target, seeds, fitted_to=seeds
    )
    forward = induced.record["ranking"]["forward"]
    assert (forward["weak_labels"], forward["seed_words"]) == (False, 350)
    assert accuracy(induced, source, target) > 0.8
