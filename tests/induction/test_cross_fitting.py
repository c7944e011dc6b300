"""Folds of seeds: nothing of a fold is known to its maps."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.induction.cross_fitting import SeedFolds, training_tables, views_of_folds
from lexalign.induction.features import GROUPS
from lexalign.induction.language_pair import LanguagePair
from lexalign.progress import Progress
from lexalign.spaces import normalise
from tests.induction.samples import noisy_pair

SEEDS = st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=4).map(sorted)


@given(SEEDS, st.integers(2, 4), st.integers(0, 5))
def test_a_fold_shares_no_word_with_what_is_known_to_it(seeds, count, seed):
    folds = SeedFolds.drawn(np.array(seeds), count, seed)
    words = list[int]()
    for fold in range(folds.count):
        known, held_out = folds.known(fold), folds.held_out(fold)
        assert not np.isin(known[:, 0], held_out[:, 0]).any()
        assert not np.isin(known[:, 1], held_out[:, 1]).any()
        words += np.unique(held_out[:, 0]).tolist()
    assert sorted(words) == sorted({source for source, _ in seeds})


@given(SEEDS, st.integers(2, 4), st.integers(0, 5))
def test_target_words_are_held_out_once_with_all_their_translations(seeds, count, seed):
    folds = SeedFolds.drawn(np.array(seeds), count, seed)
    turned = [folds.held_out_backward(fold) for fold in range(folds.count)]
    for fold, pairs in enumerate(turned):
        assert not np.isin(folds.known(fold)[:, 1], pairs[:, 0]).any()
    assert sorted(map(tuple, np.vstack(turned)[:, ::-1].tolist())) == sorted(seeds)


def test_folds_have_as_many_words_as_each_other_and_depend_on_the_seed():
    seeds = np.repeat(np.arange(90)[:, None], 2, axis=1)
    drawn = [SeedFolds.drawn(seeds, 3, seed).folds for seed in (0, 0, 1)]
    assert np.bincount(drawn[0]).tolist() == [30, 30, 30]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()


@pytest.fixture(scope="module")
def pair():
    source, target, _ = noisy_pair(words=200, dimension=10)
    return LanguagePair(*(normalise(side, "unit").words for side in (source, target)))


@pytest.fixture(scope="module")
def folds():
    """Some source words have two translations, and some target words are two translations."""
    seeds = [(row, row) for row in range(60)]
    seeds += [(row, row + 1) for row in range(0, 20, 2)]
    return SeedFolds.drawn(np.array(sorted(seeds)), 3, 0)


@pytest.fixture(scope="module")
def tables(pair, folds):
    return training_tables(pair, folds, views_of_folds(pair, folds))


def test_every_seed_word_is_in_one_fold_in_both_directions(folds, tables):
    for table, column in zip(tables, (0, 1), strict=True):
        found = table.candidates
        assert sorted(found.words.tolist()) == np.unique(folds.seeds[:, column]).tolist()
        for start, count in zip(found.starts, found.counts, strict=True):
            assert len(set(table.folds[start : start + count].tolist())) == 1


def test_a_word_is_ranked_in_the_fold_that_does_not_know_it(folds, tables):
    for table, column in zip(tables, (0, 1), strict=True):
        for word, start in zip(table.candidates.words, table.candidates.starts, strict=True):
            assert word not in folds.known(int(table.folds[start]))[:, column]


def test_right_candidates_are_those_of_all_seeds(folds, tables):
    seeds = set(map(tuple, folds.seeds.tolist()))
    for table, step in zip(tables, (1, -1), strict=True):
        pairs = zip(table.candidates.rows.tolist(), table.candidates.keys.tolist(), strict=True)
        assert table.right.tolist() == [pair[::step] in seeds for pair in pairs]
        assert table.right.any()


def test_tables_have_one_row_of_features_a_candidate(tables):
    for table in tables:
        features = table.features
        assert features.values.shape == (len(table.candidates), len(features.names))
        assert features.values.dtype == np.float32
        assert len(set(features.names)) == len(features.names)
        assert {name.partition(":")[0] for name in features.names} == set(GROUPS)
        some = features.only(("spelling", "endings"))
        assert {name.partition(":")[0] for name in some.names} == {"spelling", "endings"}
        assert some.values.shape[1] == len(some.names)


def test_features_of_both_directions_have_the_same_names(tables):
    assert tables[0].features.names == tables[1].features.names


def test_one_direction_is_half_the_work(pair, folds):
    views = views_of_folds(pair, folds)
    assert len(training_tables(pair, folds, views, both=False)) == 1


def test_the_chosen_method_is_asked_for_every_fold(pair, folds):
    asked = []

    def chosen(fold):
        asked.append(fold)
        return pair.fit_views(folds.seeds if fold is None else folds.known(fold)).maps[0]

    views = views_of_folds(pair, folds, chosen)
    (table,) = training_tables(pair, folds, views, both=False)
    assert asked == [0, 1, 2, None]
    assert "vectors: csls 2" in table.features.names
    assert "vectors: csls 3" not in table.features.names


def test_every_fold_is_told(pair, folds):
    class Listener(Progress):
        def __init__(self):
            super().__init__()
            self.told = []

        @contextmanager
        def shown(self, stage):
            stage.listener = self.told.append
            yield

    listener = Listener()
    views = views_of_folds(pair, folds, progress=listener)
    training_tables(pair, folds, views, both=False, progress=listener)
    assert listener.told == [1] * (folds.count + 1 + folds.count)


def test_the_rarest_words_are_one_fold():
    """By the rarer of the two languages, of the most frequent translation."""
    seeds = np.array([(0, 0), (1, 50), (2, 2), (2, 90), (3, 40), (70, 5), (71, 2)])
    folds = SeedFolds.rarest(seeds, 0.5)
    assert folds.count == 1
    assert folds.held_out(0).tolist() == [[1, 50], [70, 5], [71, 2]]
    assert folds.held_out_backward(0).tolist() == [[50, 1], [5, 70]]
    assert folds.known(0).tolist() == [[0, 0], [2, 90], [3, 40]]
