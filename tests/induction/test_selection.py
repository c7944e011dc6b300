"""Choosing a method: paired tests, level methods and the clock, with methods made for it."""

from dataclasses import dataclass

import numpy as np
import pytest

from lexalign.errors import LexalignError
from lexalign.induction import selection
from lexalign.induction.cross_fitting import SeedFolds
from lexalign.induction.methods import methods_to_try, named_method
from lexalign.induction.selection import Selection, Trial
from lexalign.induction.view import ViewMaps
from tests.induction.samples import unit_rows


@dataclass(frozen=True)
class Fake:
    """A method that turns the source by a fixed amount of noise, or fails."""

    name: str
    noise: float
    products: float = 0
    refiner: None = None

    def fit(self, source, target, seeds, progress=None):
        """The identity with noise."""
        if self.noise < 0:
            raise LexalignError("It cannot be fitted.")
        noise = np.random.default_rng(0).standard_normal((source.shape[1],) * 2)
        return ViewMaps(np.eye(source.shape[1]) + self.noise * noise, None)


@pytest.fixture
def choose(monkeypatch):
    def made(*methods, budget=60.0, both=True):
        monkeypatch.setattr(selection, "methods_to_try", lambda device, seed: list(methods))
        monkeypatch.setattr(selection, "refined_methods", lambda method, device: [])
        words = unit_rows(300, 10)
        folds = SeedFolds.drawn(np.repeat(np.arange(150)[:, None], 2, axis=1), 3, 0)
        return Selection(budget=budget).choose(words, words, folds, both=both)

    return made


def trial(rows, right, seconds=1.0):
    found = Trial(Fake("fake", 0), seconds=0.0)
    found.add(np.array(rows), np.array(right, dtype=bool), seconds)
    return found


def test_the_lead_is_that_of_mcnemar():
    one = trial([5, 1, 2, 3, 4, 9], [1, 1, 1, 1, 0, 1])
    other = trial([1, 2, 3, 4, 5], [0, 0, 1, 1, 0])
    assert one.lead_over(other) == pytest.approx((3 - 1) / np.sqrt(4))
    assert other.lead_over(one) == -one.lead_over(other)
    assert one.lead_over(one) == 0


def test_the_interval_is_that_of_wilson():
    low, high = trial(range(10), [1] * 8 + [0] * 2).interval
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert Trial(Fake("fake", 0)).interval == (0.0, 1.0)


def test_a_clearly_worse_method_is_dropped(choose):
    choice = choose(Fake("bad", 5.0), Fake("good", 0.0))
    assert choice.method.name == "good"
    bad, good = choice.trials
    assert (bad.folds, good.folds) == (1, 3)
    assert bad.remark == "dropped after fold 1"
    assert good.accuracy == 1
    assert len(choice.fold_maps()) == 3
    assert choice.as_dict()["tried"][0]["words"] == 100


def test_a_tie_goes_to_the_first_in_the_list_whatever_the_clock_says():
    first, second = trial(range(9), [1] * 9, 5.0), trial(range(9), [1] * 9, 2.0)
    for one in (first, second):
        one.maps.append(ViewMaps(None, None))
    assert selection._chosen([first, second]) is first


def test_the_budget_is_kept(choose):
    choice = choose(Fake("cheap", 0.3), Fake("dear", 0.0, products=1e9), budget=5.0)
    assert choice.method.name == "cheap"
    assert choice.trials[1].remark == "out of time"
    assert choice.as_dict()["tried"][1]["p@1"] is None


def test_a_method_that_fails_does_not_end_the_choice(choose):
    choice = choose(Fake("broken", -1), Fake("good", 0.0))
    assert choice.method.name == "good"
    assert choice.trials[0].remark == "failed: It cannot be fitted."
    with pytest.raises(LexalignError, match="No method could be fitted to the seeds"):
        choose(Fake("broken", -1))


def test_words_are_translated_in_both_directions_unless_one_is_enough(choose):
    assert choose(Fake("only", 0.0)).trials[0].words.tolist() == [
        *range(150),
        *range(300, 450),
    ]
    assert choose(Fake("only", 0.0), both=False).trials[0].words.tolist() == [*range(150)]


def test_first_choices_count_all_translations_of_a_word():
    source = np.eye(3, dtype=np.float32)
    target = np.eye(3, dtype=np.float32)[[1, 0, 2]]
    pairs = np.array([(0, 1), (1, 2), (1, 0), (2, 0)])
    rows, right = selection.first_choices(source, target, pairs)
    assert rows.tolist() == [0, 1, 2]
    assert right.tolist() == [True, True, False]


@dataclass(frozen=True)
class FakeRefinement:
    """Goes on from maps, and may not align anew."""

    name: str
    seen: list
    products: float = 0
    refiner: str = "refiner"

    def refine(self, source, target, seeds, maps):
        """Nothing is moved."""
        self.seen.append((len(seeds), maps))
        return maps


def test_refinements_go_on_from_the_maps_of_the_best_method(monkeypatch):
    good, seen = Fake("good", 0.01), []
    refined = FakeRefinement("good, refined", seen)
    monkeypatch.setattr(selection, "methods_to_try", lambda device, seed: [Fake("bad", 5.0), good])
    monkeypatch.setattr(selection, "refined_methods", lambda method, device: [refined])
    words = unit_rows(300, 10)
    folds = SeedFolds.drawn(np.repeat(np.arange(150)[:, None], 2, axis=1), 3, 0)
    choice = Selection(budget=60.0).choose(words, words, folds)
    assert [count for count, _ in seen] == [100, 100, 100]
    assert [maps for _, maps in seen] == choice.trials[1].maps
    assert choice.trials[2].folds == 3
    assert choice.method is good


def test_methods_have_names_of_their_own():
    methods = methods_to_try("cpu", 0)
    assert len({method.name for method in methods}) == len(methods)
    assert named_method("vecmap", "cpu", 0).name == "vecmap"


def test_of_many_seed_words_the_rarest_judge():
    many = np.column_stack((np.arange(selection.MANY_WORDS), np.arange(selection.MANY_WORDS)))
    few = SeedFolds.drawn(many[1:], 3, 0)
    assert selection.judging_folds(few) is few
    judging = selection.judging_folds(SeedFolds.drawn(many, 3, 0))
    assert judging.count == 1
    assert judging.held_out(0)[0, 0] == pytest.approx(2 / 3 * selection.MANY_WORDS, abs=1)
