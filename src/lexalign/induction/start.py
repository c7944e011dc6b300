"""The initial alignment of a dictionary: from seeds, from identical words, or without either.

With seeds, cross-validation chooses the method. With few or no seeds, identical words or numerals
of both sides serve as seeds, and the health check chooses among methods that grow a dictionary. If
none of them makes the spaces match, unsupervised VecMap is tried. Two embeddings that already share
one space are kept.
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
"""Minimum number of identical words to start an alignment."""

BY_SEEDS = "seeds"
NOTHING = "nothing"
FROM = {
    BY_SEEDS: "the seeds",
    "identical": "identical words",
    "numerals": "numerals",
    NOTHING: "no seeds",
}
Choose = Callable[[Pairs], Choice]


@dataclass(frozen=True, eq=False)
class Start:
    """The initial alignment.

    Parameters
    ----------
    kind : str
        Its seeds: "seeds", "identical", "numerals", "nothing" or "given".
    pairs : Pairs
        These seeds.
    choice : Choice
        The method, and the other methods tried.
    alignment : Alignment
        The alignment of the most frequent words.
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
    """Choose a method by the seeds, and fit it to all seeds."""
    choice = choose(seeds)
    aligner = choice.method.aligner
    kind = BY_SEEDS if aligner is None or aligner.needs_lexicon else NOTHING
    return Start(kind, seeds, choice, choice.method.align(*spaces, seeds, progress))


def start_by_health(
    spaces: tuple[NormalisedSpace, NormalisedSpace],
    starts: Mapping[str, Pairs],
    methods: Sequence[Method],
    unsupervised: Method,
    progress: Progress,
) -> Start:
    """Choose the best alignment from few seeds or identical words by the health check.

    Held-out identical words would favour methods that keep such words close. So the share of mutual
    pairs that are found again selects among ``methods`` from each of the ``starts``. If no method
    makes the spaces match, the ``unsupervised`` method is tried. If the health check gives no
    result, the first alignment is used.

    Raises
    ------
    LexalignError
        If no method makes the spaces match.
    """
    found, trials = list[Start](), list[HealthTrial]()
    for kind, pairs in starts.items():
        for method in methods:
            with suppress(LexalignError):  # too few pairs for this method
                found.append(_tried(spaces, kind, pairs, method, trials, progress))
    matching = [one for one in found if _matched(one)]
    if not matching:
        verdict = None
        with suppress(LexalignError):  # too few words
            found.append(_tried(spaces, NOTHING, NO_SEEDS, unsupervised, trials, progress))
            verdict = _matched(found[-1])
        if verdict is not False:
            matching = [one for one in found if _matched(one) is not False]
    if not matching:
        raise LexalignError(
            "The two spaces do not match from identical words, from numerals or without seeds; "
            "give a `lexicon` with some hundred seeds."
        )
    best = max(matching, key=lambda one: _found_again(one) or 0.0)
    return replace(best, choice=Choice(best.choice.method, tuple(trials), _reason(best)))


@dataclass(frozen=True)
class HealthTrial:
    """The health check of an alignment without seeds."""

    method: Method
    kind: str
    pairs: int
    found_again: float | None
    seconds: float
    maps: tuple[ViewMaps, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The trial in JSON types, with the keys of a trial on held-out seeds."""
        again = "unknown" if self.found_again is None else f"{100 * self.found_again:.0f} %"
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
    seconds = time.perf_counter() - began
    trials.append(HealthTrial(method, kind, len(pairs), _found_again(start), seconds))
    return start


def _matched(start: Start) -> bool | None:
    """Whether the spaces match; None if there are too few words or dimensions for the check."""
    health = start.alignment.health
    return None if health is None else health.matched


def _found_again(start: Start) -> float | None:
    health = start.alignment.health
    return None if health is None else health.found_again


def _reason(start: Start) -> str:
    """One sentence on the chosen method and the reason."""
    chosen = f"{start.choice.method.name} from {FROM[start.kind]} was chosen"
    again = _found_again(start)
    if again is None:
        return f"{chosen}; there are too few words or dimensions to compare methods."
    return f"{chosen}: {100 * again:.0f} % of its mutual pairs are found again by others."


def given_start(
    spaces: tuple[NormalisedSpace, NormalisedSpace], fitted_to: Pairs, progress: Progress
) -> Start:
    """Keep two embeddings that already share one space; ``fitted_to`` holds their seeds."""
    method = named_method(GIVEN, "cpu", 0)
    choice = Choice(method, reason="The two embeddings already share one space.")
    return Start(GIVEN, fitted_to, choice, method.align(*spaces, fitted_to, progress))


def spelled_alike(
    spaces: tuple[NormalisedSpace, NormalisedSpace], kinds: Sequence[str], seeds: Pairs
) -> dict[str, Pairs]:
    """The identical words or numerals of both sides, and the seeds, by kind.

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
