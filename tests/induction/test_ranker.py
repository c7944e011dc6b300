"""Boosters: out of fold they see nothing, and they are the same each time."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from lexalign.errors import LexalignError, ParameterError
from lexalign.induction.ranker import Boosting, Ranker

WORDS, CANDIDATES = 240, 8
GROUPS = np.repeat(np.arange(WORDS), CANDIDATES)
FOLDS = np.repeat(np.arange(WORDS) % 3, CANDIDATES)
SMALL = Boosting(trees=20, leaves=7, seed=1)


@pytest.fixture(scope="module")
def table():
    """The right candidate of a word has the highest first feature, nearly always."""
    generator = np.random.default_rng(0)
    features = generator.standard_normal((WORDS * CANDIDATES, 4)).astype(np.float32)
    labels = np.zeros(len(GROUPS), dtype=bool)
    right = generator.integers(0, CANDIDATES, WORDS) + CANDIDATES * np.arange(WORDS)
    labels[right] = True
    features[right, 0] += 4
    return features, labels


@pytest.fixture(scope="module")
def trained(table):
    return SMALL.fit(*table, GROUPS, FOLDS)


def accuracy(scores, labels):
    first = scores.reshape(WORDS, CANDIDATES).argmax(axis=1)
    return labels.reshape(WORDS, CANDIDATES)[np.arange(WORDS), first].mean()


def test_it_learns_what_tells_right_from_wrong(table, trained):
    assert accuracy(trained[1], table[1]) > 0.9
    assert trained[0].importance()[0] > 0.9
    assert trained[0].importance().sum() == pytest.approx(1)


def test_random_labels_give_chance_out_of_fold(table):
    generator = np.random.default_rng(2)
    labels = np.zeros(len(GROUPS), dtype=bool)
    labels[generator.integers(0, CANDIDATES, WORDS) + CANDIDATES * np.arange(WORDS)] = True
    noise = generator.standard_normal(table[0].shape).astype(np.float32)
    ranker, scores = Boosting(trees=60).fit(noise, labels, GROUPS, FOLDS)
    assert accuracy(scores, labels) < 0.25
    assert accuracy(ranker.scores(noise), labels) > 0.4


def test_scores_out_of_fold_come_from_the_booster_of_the_fold(table, trained):
    ranker, scores = trained
    for fold, booster in enumerate(ranker.boosters):
        inside = fold == FOLDS
        np.testing.assert_array_equal(booster.predict(table[0][inside]), scores[inside])


def test_labels_of_a_fold_do_not_change_its_scores(table, trained):
    features, labels = table[0], table[1].copy()
    labels[FOLDS == 0] = np.roll(labels[FOLDS == 0], 3)
    _, scores = SMALL.fit(features, labels, GROUPS, FOLDS)
    np.testing.assert_array_equal(scores[FOLDS == 0], trained[1][FOLDS == 0])
    assert (scores[FOLDS == 1] != trained[1][FOLDS == 1]).any()


def test_a_booster_has_one_thread_and_blocks_change_nothing(table, trained, monkeypatch):
    """Threads that wait for each other crawl on a busy machine."""
    import lightgbm

    asked = []
    predict = lightgbm.Booster.predict

    def noted(self, features, **settings):
        asked.append((len(features), settings["num_threads"]))
        return predict(self, features, **settings)

    whole = trained[0].scores(table[0])
    monkeypatch.setattr(lightgbm.Booster, "predict", noted)
    monkeypatch.setattr("lexalign.induction.ranker.ROWS_AT_ONCE", 1000)
    np.testing.assert_array_equal(trained[0].scores(table[0]), whole)
    assert sorted(asked) == sorted([(1000, 1), (920, 1)] * 3)
    assert all("num_threads: 1" in text for text in trained[0].texts)


def test_all_boosters_stop_if_one_is_interrupted(table, monkeypatch):
    """An interrupted program ends only when its threads have ended."""
    began, ended, folds = Event(), Event(), iter(range(2))

    def endless(settings, data, trees, callbacks):
        if next(folds) == 0:
            began.wait(60)
            raise KeyboardInterrupt
        began.set()
        try:
            while True:
                callbacks[0](None)
        finally:
            ended.set()

    def two_threads(function, count, size):
        with_two = ThreadPoolExecutor(2)
        return list(with_two.map(function, [slice(0, 1), slice(1, 2)]))

    monkeypatch.setattr("lightgbm.train", endless)
    monkeypatch.setattr("lexalign.induction.ranker.spread", two_threads)
    with pytest.raises(KeyboardInterrupt):
        SMALL.fit(*table, GROUPS, FOLDS)
    assert ended.wait(60)


def test_the_same_seed_gives_the_same_ranker(table, trained):
    again = SMALL.fit(*table, GROUPS, FOLDS)
    np.testing.assert_array_equal(again[1], trained[1])
    assert again[0].texts == trained[0].texts
    other = Boosting(trees=20, leaves=7, seed=2).fit(*table, GROUPS, FOLDS)
    assert (other[1] != trained[1]).any()


def test_texts_keep_the_scores(table, trained):
    again = Ranker.from_texts(trained[0].texts)
    expected = trained[0].scores(table[0])
    np.testing.assert_array_equal(again.scores(table[0]), expected)


def test_words_without_a_right_candidate_are_left_out(table):
    features, labels = table[0], table[1].copy()
    labels[GROUPS >= 200] = False
    _, scores = SMALL.fit(features, labels, GROUPS, FOLDS)
    some = GROUPS < 200
    _, fewer = SMALL.fit(features[some], labels[some], GROUPS[some], FOLDS[some])
    np.testing.assert_array_equal(scores[some], fewer)


@pytest.fixture(scope="module")
def selected():
    """Half of all candidates are frequent, but nearly all that are labelled right.

    The first feature decides which candidate is right. The second one is frequency, which has
    nothing to do with it, but words with a rare right candidate were seldom labelled.
    """
    generator = np.random.default_rng(5)
    words, coverage = 6000, np.array([0.04, 1.0])
    signal = 2 * generator.standard_normal((words, CANDIDATES))
    frequent = generator.integers(0, 2, (words, CANDIDATES))
    right = (signal + generator.gumbel(size=signal.shape)).argmax(axis=1)
    kept = generator.random(words) < coverage[frequent[np.arange(words), right]]
    features = np.stack((signal, frequent), axis=2).astype(np.float32)
    labels = np.arange(CANDIDATES) == right[:, None]
    return features, labels, np.flatnonzero(kept[: words // 2]), np.log(coverage)


def test_offsets_take_away_the_bias_of_selected_labels(selected):
    features, labels, kept, logarithms = selected
    groups, table = np.repeat(kept, CANDIDATES), features[kept].reshape(-1, 2)
    folds, right = np.repeat(np.arange(len(kept)) % 3, CANDIDATES), labels[kept].ravel()
    assert table[right, 1].mean() > 0.9
    offsets = logarithms[table[:, 1].astype(int)]
    new = np.arange(len(features) // 2, len(features))
    effects, accuracies = [], []
    for added in (None, offsets):
        ranker, _ = Boosting(trees=40, leaves=7).fit(table, right, groups, folds, offsets=added)
        rare, frequent = (
            ranker.scores(np.column_stack((table[:, 0], np.full(len(table), value))))
            for value in (0, 1)
        )
        effects.append(abs((frequent - rare).mean()))
        scores = ranker.scores(features[new].reshape(-1, 2)).reshape(-1, CANDIDATES)
        accuracies.append(labels[new][np.arange(len(new)), scores.argmax(axis=1)].mean())
    assert effects[1] < 0.3 * effects[0]
    assert accuracies[1] > accuracies[0] + 0.1


def test_offsets_are_no_part_of_the_scores(table):
    offsets = np.linspace(-1, 1, len(GROUPS))
    ranker, scores = SMALL.fit(*table, GROUPS, FOLDS, offsets=offsets)
    for fold, booster in enumerate(ranker.boosters):
        inside = fold == FOLDS
        np.testing.assert_array_equal(booster.predict(table[0][inside]), scores[inside])
    equal = SMALL.fit(*table, GROUPS, FOLDS, offsets=np.zeros(len(GROUPS)))
    plain = SMALL.fit(*table, GROUPS, FOLDS)
    np.testing.assert_allclose(equal[1], plain[1], atol=1e-9)


def test_no_word_to_learn_from_is_a_sentence(table):
    with pytest.raises(LexalignError, match="no word to learn from; give more seeds"):
        SMALL.fit(table[0], np.zeros(len(GROUPS), dtype=bool), GROUPS, FOLDS)


def test_bad_parameters_get_the_uniform_sentence():
    with pytest.raises(ParameterError, match="`trees` parameter of ranking must be a whole"):
        Boosting(trees=0)
