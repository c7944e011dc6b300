"""Reasons for a candidate, in a few words that need no knowledge of the model.

Facts come first: the place by CSLS, whether the two words are mutual, and whether they are
identical. Another group of features is named if its contribution to the score is clearly higher
than for the other candidates of the word. Contributions are Shapley values of the trees (Lundberg
et al. 2020, as LightGBM computes them).
"""

from __future__ import annotations

import numpy as np

from lexalign.induction.endings import SIZES
from lexalign.induction.features import FeatureTable
from lexalign.induction.learned_ranking import LearnedRanking, RankedWord

CLEARLY = 0.25
"""Minimum margin of a contribution over the mean of the candidates, in units of the score."""

ALIKE = 0.6
LAST_PLACE = 10
MOST_REASONS = 5
SIMILAR_FREQUENCY = float(np.log(3))
"""Frequency ranks that differ by at most this factor are similar."""

BY_GROUP = {
    "spelling": "similar spelling",
    "letters": "letters correspond",
    "endings": "typical ending",
    "neighbours": "neighbours are translations",
    "relative frequency": "similar frequency",
}


def reasons(ranking: LearnedRanking, word: RankedWord, keys: np.ndarray) -> list[list[str]]:
    """Reasons for some candidates of a word, in the order of ``keys``.

    Parameters
    ----------
    ranking : LearnedRanking
        The ranking of the word's direction.
    word : RankedWord
        The word as the ranking returns it.
    keys : int array, shape (n,)
        Rows of the target. A row that is not a candidate has no reasons.
    """
    above = _above_the_mean(ranking, word.features)
    places = {int(key): place for place, key in enumerate(word.found.keys)}
    return [
        [] if int(key) not in places else _of_candidate(word.features, above, places[int(key)])
        for key in keys
    ]


def _of_candidate(table: FeatureTable, above: dict[str, np.ndarray], at: int) -> list[str]:
    """The reasons for one candidate, facts first."""
    facts = dict(zip(table.names, table.values[at].tolist(), strict=True))
    views, listed = table.views, list[str]()
    if facts["spelling: same spelling"]:
        listed.append("spelled alike")
    place = 1 + round(float(np.expm1(facts[f"vectors: place {views}"])))
    if place <= LAST_PLACE:
        listed.append(f"{ordinal(place)} by CSLS")
    if facts[f"vectors: backward place {views}"] == 0:
        listed.append("mutual")
    for group, values in sorted(above.items(), key=lambda item: -item[1][at]):
        if values[at] >= CLEARLY and _holds(group, facts, listed):
            listed.append(BY_GROUP[group])
    return listed[:MOST_REASONS]


def _holds(group: str, facts: dict[str, float], listed: list[str]) -> bool:
    """Whether the words of a group are true for the candidate, and new."""
    if group in ("spelling", "letters") and "spelled alike" in listed:
        return False
    return {
        "spelling": facts["spelling: edit similarity"] >= ALIKE,
        "letters": facts["letters: odds"] > 0,
        "endings": max(facts[f"endings: last {size}"] for size in SIZES) > 0,
        "neighbours": facts["neighbours: agreement"] > 0,  # NaN where it was not compared
        "relative frequency": abs(facts["relative frequency: difference"]) <= SIMILAR_FREQUENCY,
    }[group]


def _above_the_mean(ranking: LearnedRanking, table: FeatureTable) -> dict[str, np.ndarray]:
    """The margin of each group's contribution over the mean of all candidates."""
    if ranking.ranker is None:
        return {}
    known = table.only(ranking.groups)
    shares = ranking.ranker.contributions(known.values)
    groups = np.array([name.partition(":")[0] for name in known.names])
    return {
        group: values - values.mean()
        for group in BY_GROUP
        if (groups == group).any()
        for values in (shares[:, groups == group].sum(axis=1),)
    }


def ordinal(number: int) -> str:
    """Format a number as an ordinal: 1st, 2nd, 3rd, 11th."""
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
