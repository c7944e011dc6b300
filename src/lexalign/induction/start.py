"""Where a dictionary starts from: an alignment by seeds, by words spelled alike, or without any.

With seeds, cross-validation chooses the method. Without seeds, words that are spelled the same on
both sides take their place, then numerals, and at last nothing (unsupervised VecMap). The health
check decides whether such an alignment is taken. Two spaces that are aligned already start as they
are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lexalign.aligners.alignment import Alignment
from lexalign.aligners.pairs import NO_SEEDS, Pairs, known_seeds, seed_lexicon
from lexalign.errors import InputError, LexalignError
from lexalign.induction.methods import GIVEN, UNSUPERVISED, named_method
from lexalign.induction.selection import Choice
from lexalign.progress import Progress
from lexalign.spaces import NormalisedSpace

FEWEST_ALIKE = 50
"""Words spelled alike that an alignment may start from."""

BY_SEEDS = "seeds"
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
    kind: str = BY_SEEDS,
) -> Start:
    """Choose a method by the seeds, and fit it to all of them."""
    choice = choose(seeds)
    return Start(kind, seeds, choice, choice.method.align(*spaces, seeds, progress))


def start_without_seeds(
    spaces: tuple[NormalisedSpace, NormalisedSpace],
    choose: Choose,
    progress: Progress,
    kinds: Sequence[str],
    device: str = "cpu",
    seed: int = 0,
) -> Start:
    """The first of these kinds of start after which the two spaces match.

    Raises
    ------
    LexalignError
        If the spaces match after none.
    """
    tried = list[str]()
    for kind in kinds:
        if kind == UNSUPERVISED:
            method = named_method(UNSUPERVISED, device, seed)
            choice = Choice(method, reason="No words are spelled alike: VecMap needs no seeds.")
            start = Start("nothing", NO_SEEDS, choice, method.align(*spaces, NO_SEEDS, progress))
        else:
            pairs = _alike(spaces, kind)
            if len(pairs) < FEWEST_ALIKE:
                tried.append(f"{len(pairs)} {kind} words are too few")
                continue
            start = start_from_seeds(spaces, pairs, choose, progress, kind)
        health = start.alignment.health
        if health is None or health.matched is not False:
            return start
        tried.append(f"{start.kind}: the spaces do not match")
    raise LexalignError(
        f"No alignment without seeds ({'; '.join(tried)}); give a seed `lexicon` of some hundred "
        "pairs."
    )


def given_start(
    spaces: tuple[NormalisedSpace, NormalisedSpace], fitted_to: Pairs, progress: Progress
) -> Start:
    """Two spaces that were aligned before, by these seeds if they are known."""
    method = named_method(GIVEN, "cpu", 0)
    choice = Choice(method, reason="The two spaces were aligned already.")
    return Start(GIVEN, fitted_to, choice, method.align(*spaces, fitted_to, progress))


def _alike(spaces: tuple[NormalisedSpace, NormalisedSpace], kind: str) -> Pairs:
    """The words, or numerals, that are spelled the same on both sides."""
    one, other = spaces[0].words, spaces[1].words
    try:
        return known_seeds(one, other, seed_lexicon(kind, one, other), "as-is")
    except InputError:
        return NO_SEEDS
