"""The character model: a cipher it has to find, and what it must not find."""

import numpy as np
import pytest

from lexalign.induction.letters import KEPT, LONGEST, Alphabet, LetterModel
from tests.induction.samples import LETTERS, made_up_words

WORDS = 500


@pytest.fixture(scope="module")
def cipher():
    """Words and the same in a secret alphabet."""
    generator = np.random.default_rng(0)
    words = made_up_words(WORDS, generator)
    table = str.maketrans(LETTERS, "".join(generator.permutation(list(LETTERS))))
    return words, [word.translate(table) for word in words]


@pytest.fixture(scope="module")
def learned(cipher):
    """Learned from the first four hundred."""
    return LetterModel(*cipher).fit(np.arange(400), np.arange(400))


def test_it_learns_a_cipher(cipher, learned):
    held_out = np.arange(400, WORDS)
    right = learned.log_odds(held_out, held_out)
    wrong = learned.log_odds(held_out, np.roll(held_out, 1))
    assert np.mean(right > wrong) > 0.99
    assert right.min() > 0
    before = LetterModel(*cipher)
    assert (before.log_odds(held_out, held_out) > 0).mean() < 0.5
    assert learned.tables.related > 0.9


def test_operations_are_a_distribution(learned):
    tables = learned.tables
    assert tables.replace.sum() == pytest.approx(KEPT)
    assert tables.replace.sum() + tables.drop.sum() + tables.insert.sum() == pytest.approx(1)
    assert min(tables.replace.min(), tables.drop.min(), tables.insert.min()) >= 0


def test_letters_of_one_sound_go_together_before_learning():
    model = LetterModel(["москва", "дом"], ["moskva", "tree"])
    assert model.log_odds(np.array([0]), np.array([0])) > model.log_odds(
        np.array([0]), np.array([1])
    )


def test_a_swapped_model_gives_the_same_odds(learned):
    rows, keys = np.arange(60), np.r_[np.arange(30), np.arange(100, 130)]
    expected = learned.log_odds(rows, keys)
    np.testing.assert_allclose(learned.swapped.log_odds(keys, rows), expected, rtol=1e-5)


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_it_finds_the_share_of_related_pairs(share):
    generator = np.random.default_rng(1)
    words = made_up_words(2 * WORDS, generator)
    related = int(share * WORDS)
    source = words[:WORDS]
    target = source[:related] + words[WORDS + related :]
    model = LetterModel(source, target).fit(np.arange(WORDS), np.arange(WORDS))
    assert model.tables.related == pytest.approx(share, abs=0.1)


def test_the_odds_do_not_depend_on_the_block(learned, monkeypatch):
    rows, keys = np.arange(50), np.arange(50, 100)
    expected = learned.log_odds(rows, keys)
    monkeypatch.setattr("lexalign.induction.letters.PAIRS_AT_ONCE", 7)
    np.testing.assert_allclose(learned.log_odds(rows, keys), expected, rtol=1e-6)


def test_fitting_does_not_depend_on_the_block(cipher, learned, monkeypatch):
    monkeypatch.setattr("lexalign.induction.letters.PAIRS_AT_ONCE", 150)
    again = LetterModel(*cipher).fit(np.arange(400), np.arange(400))
    np.testing.assert_allclose(again.tables.replace, learned.tables.replace, atol=1e-9)


def test_learned_tables_serve_another_vocabulary(cipher, learned):
    some = [words[400:420] for words in cipher]
    other = LetterModel(*some, learned.tables)
    rows = np.arange(20)
    expected = learned.log_odds(rows + 400, rows + 400)
    np.testing.assert_allclose(other.log_odds(rows, rows), expected, rtol=1e-5)


def test_long_words_and_rare_letters_have_finite_odds():
    words = ["a" * 60, "b", "ß", ""]
    model = LetterModel(["a", "ab"], words)
    rows, keys = (axis.ravel() for axis in np.mgrid[:2, :4])
    assert np.isfinite(model.log_odds(rows, keys)).all()


def test_an_alphabet_numbers_letters_by_frequency(monkeypatch):
    monkeypatch.setattr("lexalign.induction.letters.LETTERS", 2)
    alphabet = Alphabet.of(["bab", "cab"])
    assert alphabet.numbers == {"b": 1, "a": 2}
    letters, lengths = alphabet.encoded(["cab"])
    assert letters[0, :4].tolist() == [0, 2, 1, 0]
    assert letters.shape == (1, LONGEST)
    assert lengths.tolist() == [3]
    assert alphabet.shares(["aab"]).sum() == pytest.approx(1)


def test_odds_are_single_precision(learned):
    assert learned.log_odds(np.array([0, 1]), np.array([1, 0])).dtype == np.float32
