"""Several languages in the space of one."""

import numpy as np
import pytest

from lexalign.aligners import ALIGNERS, Procrustes, VecMap, fit_to_pivot
from lexalign.errors import InputError, LexalignError
from lexalign.evaluation import evaluate
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import planted_pair, random_rotation


@pytest.fixture(scope="module")
def languages():
    _, pivot, _ = planted_pair(words=300, dimension=10)
    generator = np.random.default_rng(2)
    spaces = {"en": Embeddings([f"en{i}" for i in range(300)], pivot.matrix)}
    for name in ("de", "fr"):
        noise = 0.02 * generator.standard_normal((300, 10))
        turned = (pivot.matrix + noise) @ random_rotation(10, generator)
        spaces[name] = Embeddings([f"{name}{i}" for i in range(300)], turned.astype(np.float32))
    return spaces


def pairs(one, other, numbers):
    return Lexicon([(f"{one}{i}", f"{other}{i}") for i in numbers])


def test_any_two_languages_meet_in_the_space_of_the_pivot(languages):
    lexicons = {name: pairs(name, "en", range(50)) for name in ("de", "fr")}
    found = fit_to_pivot(Procrustes(), languages, "en", lexicons)
    assert set(found) == {"de", "fr"}
    np.testing.assert_array_equal(found["de"].target.matrix, found["fr"].target.matrix)
    unseen = pairs("de", "fr", range(100, 300))
    assert evaluate(found["de"].source, found["fr"].source, unseen).precision(1) > 0.97


def test_a_pivot_stays_where_it_is(languages):
    lexicons = {name: pairs(name, "en", range(50)) for name in ("de", "fr")}
    with pytest.raises(LexalignError, match='a pivot must not move; set `final="rot'):
        fit_to_pivot(VecMap(), languages, "en", lexicons)
    narrow = {**languages, "de": Embeddings(languages["de"].words, languages["de"].matrix[:, :8])}
    with pytest.raises(LexalignError, match="more dimensions than de and would lose some by pca"):
        fit_to_pivot(Procrustes(unequal="pca"), narrow, "en", lexicons)
    fit_to_pivot(Procrustes(unequal="rectangular"), narrow, "en", lexicons)


def test_what_is_no_pivot_is_refused(languages):
    with pytest.raises(LexalignError, match="`pivot` must be one of at least two languages. Got"):
        fit_to_pivot(Procrustes(), languages, "it")
    with pytest.raises(LexalignError, match="needs a seed lexicon"):
        fit_to_pivot(Procrustes(), languages, "en", {"de": pairs("de", "en", range(50))})


@pytest.mark.parametrize("name", ALIGNERS)
def test_the_remedy_for_a_pivot_that_would_move_is_one_that_the_method_has(languages, name):
    kind = ALIGNERS[name]
    moving = [kind()] if kind().moves_target else []
    moving += [kind(final="vecmap", variant="once")] if name == "procb" else []
    for aligner in moving:
        with pytest.raises(LexalignError, match="a pivot must not move") as refused:
            fit_to_pivot(aligner, languages, "en")
        assert ("final" in str(refused.value)) == ("final" in aligner.parameters)


def test_lexicons_that_list_the_pivot_first_can_be_swapped(languages):
    exchanged = {"de": pairs("en", "de", range(50)), "fr": pairs("fr", "en", range(50))}
    with pytest.raises(InputError, match="0 of its 50 pairs") as refused:
        fit_to_pivot(Procrustes(), languages, "en", exchanged)
    assert "give the lexicon of 'de' as lexicon.swapped()" in str(refused.value)
    exchanged["de"] = exchanged["de"].swapped()
    assert set(fit_to_pivot(Procrustes(), languages, "en", exchanged)) == {"de", "fr"}
