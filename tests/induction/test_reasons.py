"""What speaks for a translation, in words."""

import numpy as np
import pytest

from lexalign.induction import Inducer
from lexalign.induction.ranker import Boosting
from lexalign.induction.reasons import MOST_REASONS, ordinal, reasons
from tests.induction.samples import noisy_pair, some_of, with_identical


@pytest.fixture(scope="module")
def induced():
    source, target, lexicon = noisy_pair(words=400, dimension=20, noise=0.9)
    seeds, _ = some_of(lexicon, 4)
    source, target = with_identical(source, target, 40)
    inducer = Inducer(
        method="procrustes", ranking="learned", boosting=Boosting(trees=60, leaves=7), folds=2
    )
    return inducer.fit(source, target, seeds)


def ranked(induced, row):
    ranking = induced.rankings["forward"]
    found = ranking.rank_word(row)
    return found.best.keys, reasons(ranking, found, found.best.keys)


def test_facts_are_those_of_the_vectors(induced):
    """Of every word exactly one candidate is the first by CSLS, and mutual pairs are mutual."""
    ranking = induced.rankings["forward"]
    view = ranking.evidence.views[-1]
    for row in range(0, 100, 7):
        keys, listed = ranked(induced, row)
        csls = view.csls(np.full(len(keys), row), keys)
        (first,) = [key for key, why in zip(keys, listed, strict=True) if "1st by CSLS" in why]
        assert first == keys[np.argmax(csls)]
        for key, why in zip(keys.tolist(), listed, strict=True):
            others = np.arange(len(induced.pair.source))
            back = view.csls(others, np.full(len(others), key))
            assert ("mutual" in why) == (np.argmax(back) == row)
            assert len(why) <= MOST_REASONS


def test_words_spelled_alike_are_called_so_and_not_similar(induced):
    source, target = induced.pair.source.words, induced.pair.target.words
    keys, listed = ranked(induced, 40)
    for key, why in zip(keys.tolist(), listed, strict=True):
        assert ("spelled alike" in why) == (source[40] == target[key])
        assert not {"spelled alike", "similar spelling"} <= set(why)


def test_spelling_speaks_for_words_that_look_alike(induced):
    """Every third translation has one letter more, which the ranker learns."""
    said, words = 0, 0
    for row in range(3, 100, 12):
        keys, listed = ranked(induced, row)
        why = dict(zip(keys.tolist(), listed, strict=True))
        words += row in why
        said += bool({"similar spelling", "letters correspond"} & set(why.get(row, [])))
    assert words > 5
    assert said == words


def test_what_is_no_candidate_has_no_reasons(induced):
    ranking = induced.rankings["forward"]
    found = ranking.rank_word(5)
    (other,) = np.setdiff1d(np.arange(400), found.best.keys)[:1]
    assert reasons(ranking, found, np.array([other])) == [[]]


def test_a_ranking_by_csls_has_facts_alone():
    source, target, lexicon = noisy_pair(words=200, dimension=15, noise=0.2)
    inducer = Inducer(method="procrustes", ranking="csls", folds=2)
    ranking = inducer.fit(source, target, lexicon).rankings["forward"]
    found = ranking.rank_word(1)
    (why,) = reasons(ranking, found, found.best.keys[:1])
    assert set(why) <= {"spelled alike", "1st by CSLS", "mutual"}
    assert "1st by CSLS" in why


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (22, "22nd")]
)
def test_ordinals(number, text):
    assert ordinal(number) == text
