"""The alignment to start from, chosen by the health check among methods made for it."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest

from lexalign.aligners.pairs import NO_SEEDS, Pairs
from lexalign.errors import LexalignError
from lexalign.induction.methods import GIVEN, UNSUPERVISED
from lexalign.induction.selection import Choice
from lexalign.induction.start import (
    FEWEST_ALIKE,
    given_start,
    spelled_alike,
    start_by_health,
    start_from_seeds,
)
from lexalign.progress import Progress
from lexalign.spaces import normalise
from lexalign.vectors import Embeddings
from tests.induction.samples import unit_rows

WORDS = 2 * FEWEST_ALIKE


@dataclass(frozen=True)
class Fake:
    """A method whose health check is known: for each number of seeds, found again or None."""

    name: str
    found: dict
    fitted: list = field(default_factory=list)
    aligner = SimpleNamespace(needs_lexicon=True)

    def align(self, source, target, seeds, progress):
        """No alignment, but its health."""
        self.fitted.append(seeds)
        again = self.found[len(seeds)]
        matched = None if again is None else again >= 0.5
        return SimpleNamespace(health=SimpleNamespace(matched=matched, found_again=again))


def spaces_with(*, identical=0, numerals=0):
    """Two vocabularies that share these numbers of words and of numerals."""
    shared = [f"same{row}" for row in range(identical)] + [str(row) for row in range(numerals)]
    sides = (
        [*shared, *(f"{side}{row}" for row in range(WORDS - len(shared)))] for side in ("s", "t")
    )
    return tuple(normalise(Embeddings(words, unit_rows(WORDS, 4)), "unit") for words in sides)


def start(spaces, methods, unsupervised=None, kinds=("identical", "numerals")):
    unsupervised = unsupervised or Fake("unsupervised", {})
    starts = spelled_alike(spaces, kinds, NO_SEEDS)
    return start_by_health(spaces, starts, methods, unsupervised, Progress())


def test_the_method_whose_pairs_are_found_again_more_often_is_chosen():
    spaces = spaces_with(identical=60)
    one, other = Fake("one", {60: 0.7}), Fake("other", {60: 0.8})
    for methods in ([one, other], [other, one]):
        found = start(spaces, methods)
        assert (found.kind, found.choice.method) == ("identical", other)
        assert found.pairs.rows.tolist() == [[row, row] for row in range(60)]
        assert found.alignment.health.found_again == 0.8
        assert found.choice.reason == (
            "other from identical words was chosen: 80 % of its mutual pairs are found again by "
            "others."
        )
        assert [trial.method for trial in found.choice.trials] == methods


def test_numerals_are_chosen_if_identical_words_mislead():
    found = start(spaces_with(identical=30, numerals=50), [Fake("one", {80: 0.55, 50: 0.9})])
    assert found.kind == "numerals"
    assert [spot[0] for spot in found.pairs.rows.tolist()] == list(range(30, 80))
    assert found.choice.reason.startswith("one from numerals was chosen: 90 %")
    tried = [trial.as_dict() for trial in found.choice.trials]
    assert [one["method"] for one in tried] == ["one, from identical words", "one, from numerals"]
    assert [one["words"] for one in tried] == [80, 50]
    assert [one["remark"] for one in tried] == [
        "mutual pairs found again: 55 %",
        "mutual pairs found again: 90 %",
    ]
    assert {one["p@1"] for one in tried} == {None}


def test_only_the_wanted_kind_is_tried():
    method = Fake("one", {80: 0.9, 50: 0.6})
    found = start(spaces_with(identical=30, numerals=50), [method], kinds=("numerals",))
    assert found.kind == "numerals"
    assert [len(seeds) for seeds in method.fitted] == [50]


def test_equals_go_to_the_first():
    found = start(spaces_with(numerals=60), [Fake("one", {60: 0.7}), Fake("other", {60: 0.7})])
    assert (found.kind, found.choice.method.name) == ("identical", "one")


def test_few_words_spelled_alike_are_not_tried():
    method, nothing = Fake("one", {}), Fake("unsupervised", {0: 0.6})
    for count in (0, FEWEST_ALIKE - 1):
        found = start(spaces_with(identical=count), [method], nothing)
        assert (found.kind, found.choice.method) == ("nothing", nothing)
        assert found.pairs is NO_SEEDS
        assert len(found.choice.trials) == 1
    assert not method.fitted
    assert found.choice.reason.startswith("unsupervised from no seeds was chosen: 60 %")


def test_it_is_unsupervised_if_the_spaces_do_not_match_otherwise():
    one, nothing = Fake("one", {60: 0.2}), Fake("unsupervised", {0: 0.6})
    found = start(spaces_with(identical=60), [one], nothing)
    assert (found.kind, found.choice.method) == ("nothing", nothing)
    assert [trial.method for trial in found.choice.trials] == [one, nothing]


def test_nothing_is_unsupervised_as_long_as_words_spelled_alike_match():
    nothing = Fake("unsupervised", {0: 0.99})
    assert start(spaces_with(identical=60), [Fake("one", {60: 0.6})], nothing).kind == "identical"
    assert not nothing.fitted


def test_spaces_that_match_in_no_way_are_a_sentence():
    one, nothing = Fake("one", {60: 0.2}), Fake("unsupervised", {0: 0.1})
    with pytest.raises(LexalignError, match="do not match .*; give a `lexicon`") as caught:
        start(spaces_with(identical=60), [one], nothing)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 200


def test_without_a_verdict_words_spelled_alike_are_the_better_start():
    """In few dimensions the health check cannot tell a true alignment from a false one."""
    one, nothing = Fake("one", {60: None}), Fake("unsupervised", {0: None})
    found = start(spaces_with(identical=60), [one], nothing)
    assert (found.kind, found.choice.method) == ("identical", one)
    assert found.choice.reason == (
        "one from identical words was chosen; there are too few words or dimensions to compare "
        "methods."
    )
    assert found.choice.trials[0].as_dict()["remark"] == "mutual pairs found again: unknown"
    sure = Fake("unsupervised", {0: 0.6})
    assert start(spaces_with(identical=60), [one], sure).kind == "nothing"
    assert start(spaces_with(), [one], nothing).kind == "nothing"
    with pytest.raises(LexalignError, match="do not match"):
        start(spaces_with(identical=60), [one], Fake("unsupervised", {0: 0.1}))


def test_a_start_from_seeds_is_fitted_to_all_of_them():
    seeds, method, asked = Pairs(np.array([[0, 1], [2, 2]])), Fake("one", {2: 0.9}), []

    def choose(pairs):
        asked.append(pairs)
        return Choice(method, reason="Because.")

    found = start_from_seeds(spaces_with(), seeds, choose, Progress())
    assert (found.kind, found.choice.reason) == ("seeds", "Because.")
    assert found.pairs is asked[0] is method.fitted[0] is seeds


def test_a_given_alignment_knows_what_it_was_fitted_to():
    seeds = Pairs(np.array([[0, 1]]))
    found = given_start(spaces_with(), seeds, Progress())
    assert (found.kind, found.choice.method.name) == (GIVEN, GIVEN)
    assert found.pairs is seeds
    assert found.choice.as_dict()["tried"] == []


def test_an_unsupervised_method_does_not_start_from_seeds():
    method = Fake(UNSUPERVISED, {1: 0.9})
    object.__setattr__(method, "aligner", SimpleNamespace(needs_lexicon=False))
    seeds = Pairs(np.array([[0, 1]]))
    found = start_from_seeds(spaces_with(), seeds, lambda pairs: Choice(method), Progress())
    assert found.kind == "nothing"


def test_a_handful_of_seeds_joins_the_words_spelled_alike():
    spaces, seeds = spaces_with(identical=60), Pairs(np.array([[70, 80], [3, 3]]))
    starts = {"seeds": seeds, **spelled_alike(spaces, ("identical", "numerals"), seeds)}
    assert {kind: len(pairs) for kind, pairs in starts.items()} == {"seeds": 2, "identical": 61}
    found = start_by_health(
        spaces, starts, [Fake("one", {2: 0.9, 61: 0.6})], Fake("unsupervised", {}), Progress()
    )
    assert found.kind == "seeds"
    assert found.choice.reason.startswith("one from the seeds was chosen: 90 %")


class Failing(Fake):
    """A method that needs more words."""

    def align(self, *arguments):
        """It cannot be fitted."""
        raise LexalignError("It needs more pairs.")


def test_too_few_words_for_all_methods_are_a_sentence_about_seeds():
    one = Fake("one", {60: 0.2})
    with pytest.raises(LexalignError, match="do not match .*; give a `lexicon`"):
        start(spaces_with(identical=60), [one], Failing("unsupervised", {}))
    with pytest.raises(LexalignError, match="do not match .*; give a `lexicon`"):
        start(spaces_with(), [one], Failing("unsupervised", {}))


def test_a_method_that_cannot_be_fitted_to_few_pairs_does_not_end_the_start():
    spaces = spaces_with(identical=60)
    found = start(spaces, [Failing("failing", {}), Fake("one", {60: 0.7})])
    assert found.choice.method.name == "one"
