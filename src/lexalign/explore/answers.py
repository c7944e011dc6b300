"""Answers in JSON types, from a space and a word; ``schema`` describes their shapes.

Scores are rounded to four decimals, coordinates to five.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lexalign import __version__
from lexalign.atomic import resolved
from lexalign.explore.explorer import Explorer, View
from lexalign.explore.neighbourhood_map import neighbourhood_map
from lexalign.explore.space import OTHER, Space
from lexalign.explore.suggestions import slips
from lexalign.explore.vocabulary import WORDS
from lexalign.explore.vocabulary_answer import vocabulary_state
from lexalign.induction.learned_ranking import RankedWord
from lexalign.retrieval.memory_mapped import RankedWords
from lexalign.spaces.linear_map import SIDES


def about(explorer: Explorer, view: View) -> dict[str, Any]:
    """The explored run, and the state of the preparation."""
    space, run = view.space, explorer.run
    return {
        "folder": resolved(run.path).name,
        "method": run.method,
        "dimension": space.sides["source"].dimension,
        **{
            side: {
                "name": explorer.names[side],
                "language": space.sides[side].language,
                "words": len(space.sides[side]),
            }
            for side in SIDES
        },
        "path": {
            "kind": space.path.kind,
            "stops": [round(share, 5) for share in space.path.shares],
        },
        **({} if explorer.ranking_state is None else {"ranking": explorer.ranking_state}),
        **_dictionary_of(explorer),
        "scoring": _scoring(space, "source"),
        "examples": _examples(space),
        "preparation": {
            "state": view.stage.state,
            "stage": view.stage.name,
            "share": None if view.stage.share is None else round(view.stage.share, 3),
            "message": view.stage.message,
        },
        "vocabulary": vocabulary_state(view),
        "revision": view.revision,
        "version": __version__,
    }


def _dictionary_of(explorer: Explorer) -> dict[str, Any]:
    """What the page needs to know of the induced dictionary, if there is one."""
    bench = explorer.workbench
    return {} if bench is None else {"dictionary": {"command": bench.command}}


def translate(space: Space, side: str, row: int, position: float, k: int) -> dict[str, Any]:
    """The translations before the refinement and at a position of its path.

    Of a run with a learned ranking: those by CSLS, and those of the ranking.
    """
    stop = space.path.nearest(position)
    found = None if space.ranking is None else space.ranking.word(side, row)
    after = _translations(space, side, row, stop, k)
    return {
        **_asked(space, side, row, stop),
        "scoring": space.scoring if found is None else _scoring(space, side),
        "before": _translations(space, side, row, 0, k),
        "after": after if found is None else _ranked(space, side, row, found, k),
    }


def neighbours(space: Space, side: str, row: int, position: float, k: int) -> dict[str, Any]:
    """The nearest words of both languages by cosine."""
    stop = space.path.nearest(position)
    found = {
        side: space.kin(side, row, k),
        OTHER[side]: space.survey(side, row, stop, k).nearest,
    }
    return {
        **_asked(space, side, row, stop),
        **{name: _listed(space, name, found[name]) for name in SIDES},
    }


def mapped(space: Space, side: str, row: int, position: float, k: int) -> dict[str, Any]:
    """The surroundings of a word in two dimensions."""
    stop = space.path.nearest(position)
    drawn = neighbourhood_map(space, side, row, stop, k)
    return {
        **_asked(space, side, row, stop),
        "explained": [round(share, 4) for share in drawn.explained],
        "points": [
            {
                "word": space.sides[point.side].words[point.row],
                "side": point.side,
                "here": _rounded(point.here),
                "start": _rounded(point.start),
                "end": _rounded(point.end),
                "asked": (point.side, point.row) == (side, row),
            }
            for point in drawn.points
        ],
    }


def completions(explorer: Explorer, sides: tuple[str, ...], prefix: str, k: int) -> dict[str, Any]:
    """Frequent words that begin like this, those of both languages in turn.

    If none does, words that were probably meant.
    """
    lists = {side: explorer.spelling[side].beginning_with(prefix, k) for side in sides}
    words = _in_turn(lists, k) or suggestions(explorer, prefix, k, sides)
    return {"prefix": prefix, "words": words}


def suggestions(
    explorer: Explorer, word: str, k: int, sides: tuple[str, ...] = SIDES
) -> list[dict[str, str]]:
    """Suggestions for a mistyped word, those with the fewest differences first."""
    found = _in_turn({side: explorer.spelling[side].close_to(word, k) for side in sides}, 2 * k)
    return sorted(found, key=lambda other: slips(word, other["word"]))[:k]


def _examples(space: Space) -> list[str]:
    """Some words to begin with, neither very frequent nor short."""
    words = space.sides["source"].words
    some = words[len(words) // 25 : len(words) // 25 + 2_000]
    return [word for word in some if len(word) > 4 and word.isalpha()][:200:40]


def _asked(space: Space, side: str, row: int, stop: int) -> dict[str, Any]:
    word = space.sides[side].words[row]
    return {
        "word": word,
        "side": side,
        "rank": row + 1,
        "in_both": space.row(OTHER[side], word) is not None,
        "on_map": row < WORDS,
        "t": round(space.path.shares[stop], 5),
    }


def _translations(space: Space, side: str, row: int, stop: int, k: int) -> dict[str, Any]:
    survey = space.survey(side, row, stop, k)
    ranked = survey.nearest if survey.translations is None else survey.translations
    return {
        "t": round(space.path.shares[stop], 5),
        "translations": _listed(space, OTHER[side], ranked, csls=True),
    }


def _ranked(space: Space, side: str, row: int, found: RankedWord, k: int) -> dict[str, Any]:
    """The translations with their probabilities, in the order of the ranking if it was learned."""
    best = found.best
    ranked = space.scored(side, row, best.keys[:k])
    if _scoring(space, side) != "learned":
        survey = space.survey(side, row, 0, k)
        ranked = survey.nearest if survey.translations is None else survey.translations
    chances = dict(zip(best.keys.tolist(), best.probabilities.tolist(), strict=True))
    listed = _listed(space, OTHER[side], ranked, csls=True)
    assert space.ranking is not None
    why = space.ranking.reasons(side, found, ranked.rows)
    for entry, key, reasons in zip(listed, ranked.rows.tolist(), why, strict=True):
        entry["probability"] = _score(chances[key]) if key in chances else None
        entry["reasons"] = reasons
    return {"t": round(space.path.shares[0], 5), "translations": listed}


def _scoring(space: Space, side: str) -> str:
    """What the translations of a side are ordered by."""
    is_learned = space.ranking is not None and space.ranking.is_learned(side)
    return "learned" if is_learned else space.scoring


def _listed(
    space: Space, side: str, ranked: RankedWords, *, csls: bool = False
) -> list[dict[str, Any]]:
    words = space.sides[side].words
    entries: list[dict[str, Any]] = [
        {"word": words[row], "cosine": _score(cosine)}
        for row, cosine in zip(ranked.rows, ranked.cosines, strict=True)
    ]
    if csls:
        scores = [None] * len(entries) if ranked.csls is None else ranked.csls.tolist()
        for entry, score in zip(entries, scores, strict=True):
            entry["csls"] = None if score is None else _score(score)
    return entries


def _in_turn(lists: dict[str, list[str]], k: int) -> list[dict[str, str]]:
    """The first of every list, then the second of every list, and so on."""
    places = range(max(map(len, lists.values()), default=0))
    merged = [
        {"word": words[place], "side": side}
        for place in places
        for side, words in lists.items()
        if place < len(words)
    ]
    return merged[:k]


def _rounded(place: tuple[float, float]) -> list[float]:
    return [round(coordinate, 5) for coordinate in place]


def _score(value: float | np.floating[Any]) -> float:
    return round(float(value), 4)
