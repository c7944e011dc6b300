"""Methods: fitted to frequent words and all seeds, alone or with a refinement after them."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from lexalign.aligners.pairs import NO_SEEDS, Pairs
from lexalign.induction import methods as module
from lexalign.induction.methods import (
    GIVEN,
    METHOD_NAMES,
    FittingWords,
    maps_of,
    named_method,
    refined_methods,
)
from lexalign.induction.view import ViewMaps
from lexalign.progress import Progress
from lexalign.spaces import normalise
from tests.induction.samples import noisy_pair

CHEAP = ["procrustes", "vecmap", "procb --variant once", "procb --variant once --final vecmap"]


@pytest.fixture(scope="module")
def spaces():
    source, target, _ = noisy_pair(words=300, dimension=12, noise=0.3)
    return tuple(normalise(side, "unit,centre,unit") for side in (source, target))


@pytest.fixture
def matrices(spaces):
    return tuple(space.words.matrix for space in spaces)


@pytest.fixture
def few(monkeypatch):
    """Methods are fitted to a hundred words."""
    monkeypatch.setattr(module, "FITTED_WORDS", 100)


def same(first, last):
    return np.repeat(np.arange(first, last)[:, None], 2, axis=1)


def test_rare_seeds_are_kept_and_counted_anew(monkeypatch):
    monkeypatch.setattr(module, "FITTED_WORDS", 5)
    seeds = Pairs(np.array([[7, 2], [1, 9], [7, 8]]), weights=np.array([1.0, 2.0, 3.0]))
    words = FittingWords.of(seeds, 10, 20)
    assert words.source.tolist() == [0, 1, 2, 3, 4, 7]
    assert words.target.tolist() == [0, 1, 2, 3, 4, 8, 9]
    found = words.pairs(seeds)
    assert found.rows.tolist() == [[5, 2], [1, 6], [5, 5]]
    assert found.weights is seeds.weights


def test_small_vocabularies_are_fitted_to_wholly():
    words = FittingWords.of(NO_SEEDS, 3, 4)
    assert words.source.tolist() == [0, 1, 2]
    assert words.target.tolist() == [0, 1, 2, 3]
    assert words.pairs(NO_SEEDS).rows.shape == (0, 2)


@dataclass(frozen=True)
class Spy:
    """An aligner that keeps what it was given."""

    seen: list = field(default_factory=list)

    def learn(self, source, target, seeds, progress):
        """Nothing."""
        self.seen.append((source, target, seeds))
        return ViewMaps(None, None)


def test_an_aligner_gets_frequent_words_and_rare_seeds(few, matrices):
    spy, seeds = Spy(), Pairs(np.array([[0, 250], [299, 3]]))
    replace(named_method("procrustes", "cpu", 0), aligner=spy).fit(*matrices, seeds)
    ((source, target, known),) = spy.seen
    assert (len(source), len(target)) == (101, 101)
    np.testing.assert_array_equal(source[known.rows[:, 0]], matrices[0][[0, 299]])
    np.testing.assert_array_equal(target[known.rows[:, 1]], matrices[1][[250, 3]])


def test_seeds_beyond_the_frequent_words_are_fitted_to(few, matrices):
    seeds = Pairs(same(200, 290))
    found = named_method("procrustes", "cpu", 0).fit(*matrices, seeds)
    np.testing.assert_allclose(found.source, seeds.rotation(*matrices), atol=1e-5)


@pytest.mark.parametrize("name", CHEAP)
@pytest.mark.parametrize("refined", [False, True])
def test_an_alignment_has_the_fitted_maps_and_all_words(few, spaces, matrices, name, refined):
    method, seeds = named_method(name, "cpu", 0), Pairs(same(60, 260))
    if refined:
        method = refined_methods(method, "cpu")[1]
    aligned, fitted = method.align(*spaces, seeds, Progress()), method.fit(*matrices, seeds)
    maps = maps_of(aligned)
    assert len(aligned.source) == len(aligned.target) == 300
    for side, own, of_all in zip(("source", "target"), matrices, spaces, strict=True):
        one, other = getattr(fitted, side), getattr(maps, side)
        moved = own if one is None else own @ one
        np.testing.assert_allclose(own if other is None else own @ other, moved, atol=2e-4)
        written = getattr(aligned, side)
        assert written.words == of_all.words.words
        cosines = np.einsum("ij,ij->i", written.matrix, moved)
        lengths = np.linalg.norm(written.matrix, axis=1) * np.linalg.norm(moved, axis=1)
        np.testing.assert_allclose(cosines / lengths, 1, atol=1e-3)


def test_a_refinement_goes_on_from_given_maps(few, matrices):
    plain, seeds = named_method("procrustes", "cpu", 0), Pairs(same(0, 150))
    aligned = plain.fit(*matrices, seeds)
    assert plain.refine(*matrices, seeds, aligned) is aligned
    for method in refined_methods(plain, "cpu"):
        whole = method.fit(*matrices, seeds)
        step = method.refine(*matrices, seeds, aligned)
        np.testing.assert_allclose(step.source, whole.source, atol=1e-6)


def test_every_name_is_a_method():
    assert [named_method(name, "cpu", 3).name for name in METHOD_NAMES] == list(METHOD_NAMES)
    assert len(set(METHOD_NAMES)) == len(METHOD_NAMES)


def test_names_say_what_a_method_does():
    named = {name: named_method(name, "cpu", 3).aligner for name in METHOD_NAMES}
    assert named["contrastive --rounds 1"].rounds == 1
    assert named["contrastive"].rounds == 2
    assert named["vecmap --preset unsupervised"].preset == "unsupervised"
    assert named["vecmap --preset unsupervised"].seed == 3
    assert not named["vecmap --preset unsupervised"].needs_lexicon
    assert named[GIVEN] is None


def test_a_given_alignment_is_kept(spaces, matrices):
    method = named_method(GIVEN, "cpu", 0)
    assert method.fit(*matrices, Pairs(same(0, 9))) == ViewMaps(None, None)
    aligned = method.align(*spaces, NO_SEEDS, Progress())
    assert maps_of(aligned) == ViewMaps(None, None)
    np.testing.assert_allclose(aligned.source.matrix, matrices[0], atol=1e-6)
    np.testing.assert_allclose(aligned.target.matrix, matrices[1], atol=1e-6)
    assert aligned.health.mutual < 1
