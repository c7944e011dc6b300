"""Where a dictionary starts from: an alignment by seeds, by words spelled alike, or without any.

With seeds, cross-validation chooses the method. With hardly any, words or numerals that are spelled
the same on both sides help, and the health check chooses among methods that grow a dictionary. If
the spaces match after none of them, unsupervised VecMap starts from nothing. Two spaces that are
aligned already start as they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from lexalign.aligners.alignment import Alignment
from lexalign.aligners.pairs import NO_SEEDS, Pairs, known_seeds, seed_lexicon
from lexalign.errors import InputError, LexalignError
from lexalign.induction.methods import GIVEN, Method, named_method
from lexalign.induction.selection import Choice
from lexalign.induction.view import ViewMaps
from lexalign.progress import Progress
from lexalign.spaces import NormalisedSpace

FEWEST_ALIKE = 50
"""Words spelled alike that an alignment may start from."""

BY_SEEDS = "seeds"
NOTHING = "nothing"
FROM = {
    BY_SEEDS: "the seeds",
    "identical": "identical words",
    "numerals": "numerals",
    NOTHING: "nothing",
}
Choose = Callable[[Pairs], Choice]


@dataclass(frozen=True, eq=False)
class Start:
    """An alignment to start from.

    Parameters
    ----------
    kind : str
        What it was fitted to: "seeds", "identical", "numerals", "nothing" or "given".
    pairs : Pairs
        These seeds.
    choice : Choice
        The method, and what else was tried.
    alignment : Alignment
        Of the most frequent words.
    """

    kind: str
    pairs: Pairs
    choice: Choice
    alignment: Alignment


def start_from_seeds(
    spaces: tuple[NormalisedSpace, NormalisedSpace],
    seeds: Pairs,
    choose: Choose,
    progress: Progress,
) -> Start:
    """Choose a method by the seeds, and fit it to all of them."""
    choice = choose(seeds)
    return Start(BY_SEEDS, seeds, choice, choice.method.align(*spaces, seeds, progress))


def start_by_health(
    spaces: tuple[NormalisedSpace, NormalisedSpace],
    starts: Mapping[str, Pairs],
    methods: Sequence[Method],
    unsupervised: Method,
    progress: Progress,
) -> Start:
    """The best alignment by the health check, from few seeds, words spelled alike, or nothing.

    Held-out words that are spelled alike favour methods that stay with such words. So the share of
    mutual pairs that are found again decides between ``methods`` from each of the ``starts``, by
    kind. If the spaces match after none, the ``unsupervised`` method is tried.

    Raises
    ------
    LexalignError
        If the spaces match after none.
    """
    found, trials = list[Start](), list[HealthTrial]()
    for kind, pairs in starts.items():
        for method in methods:
            with suppress(LexalignError):  # too few pairs for this method
                found.append(_tried(spaces, kind, pairs, method, trials, progress))
    matching = [one for one in found if one.alignment.health and one.alignment.health.matched]
    if not matching:
        found.append(_tried(spaces, NOTHING, NO_SEEDS, unsupervised, trials, progress))
        matching = [found[-1]] if _may_match(found[-1]) else []
    if not matching:
        raise LexalignError(
            "The two spaces do not match, neither from words spelled alike nor from nothing; give "
            "a `lexicon` of some hundred seeds."
        )
    best = max(matching, key=_found_again)
    reason = (
        f"{best.choice.method.name} from {FROM[best.kind]} was chosen: "
        f"{100 * _found_again(best):.0f} % of its mutual pairs are found again by others."
    )
    return replace(best, choice=Choice(best.choice.method, tuple(trials), reason))


@dataclass(frozen=True)
class HealthTrial:
    """How an alignment from words spelled alike looks to the health check."""

    method: Method
    kind: str
    pairs: int
    found_again: float | None
    seconds: float
    maps: tuple[ViewMaps, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with the keys of a trial on held-out seeds."""
        again = "nothing to tell by" if self.found_again is None else f"{self.found_again:.0%}"
        return {
            "method": f"{self.method.name}, from {FROM[self.kind]}",
            "p@1": None,
            "interval": None,
            "words": self.pairs,
            "folds": 0,
            "seconds": round(self.seconds, 2),
            "remark": f"mutual pairs found again: {again}",
        }


def _tried(
    spaces: tuple[NormalisedSpace, NormalisedSpace],
    kind: str,
    pairs: Pairs,
    method: Method,
    trials: list[HealthTrial],
    progress: Progress,
) -> Start:
    began = time.perf_counter()
    start = Start(kind, pairs, Choice(method), method.align(*spaces, pairs, progress))
    health = start.alignment.health
    again = None if health is None else health.found_again
    trials.append(HealthTrial(method, kind, len(pairs), again, time.perf_counter() - began))
    return start


def _may_match(start: Start) -> bool:
    """Whether the health check does not object; it says nothing of few words or dimensions."""
    health = start.alignment.health
    return health is None or health.matched is not False


def _found_again(start: Start) -> float:
    health = start.alignment.health
    return (health.found_again if health else None) or 0.0


def given_start(
    spaces: tuple[NormalisedSpace, NormalisedSpace], fitted_to: Pairs, progress: Progress
) -> Start:
    """Two spaces that were aligned before, by these seeds if they are known."""
    method = named_method(GIVEN, "cpu", 0)
    choice = Choice(method, reason="The two spaces were aligned already.")
    return Start(GIVEN, fitted_to, choice, method.align(*spaces, fitted_to, progress))


def spelled_alike(
    spaces: tuple[NormalisedSpace, NormalisedSpace], kinds: Sequence[str], seeds: Pairs
) -> dict[str, Pairs]:
    """The words, or numerals, of both sides that are spelled the same, and the seeds, by kind.

    Kinds with too few words are left out.
    """
    one, other, found = spaces[0].words, spaces[1].words, dict[str, Pairs]()
    for kind in kinds:
        try:
            pairs = known_seeds(one, other, seed_lexicon(kind, one, other), "as-is")
        except InputError:  # there are none
            continue
        if len(pairs) >= FEWEST_ALIKE:
            found[kind] = pairs.joined(seeds)
    return found
