"""The shapes of all answers of the interface, as JSON schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lexalign.explore.checks import SHOWN_PROBLEMS
from lexalign.explore.requests import MOST_POINTS, MOST_WORDS, SIDES
from lexalign.explore.run_dictionary import STATE_NAMES
from lexalign.explore.vocabulary import EXTENT, WORDS
from lexalign.explore.vocabulary_projection import METHODS
from lexalign.procrustes.path import KINDS
from lexalign.runs.review import VERDICTS

STRING: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
BOOLEAN: dict[str, Any] = {"type": "boolean"}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
RANK: dict[str, Any] = {"type": "integer", "minimum": 1}
SHARE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
COSINE: dict[str, Any] = {"type": "number", "minimum": -1.001, "maximum": 1.001}
SIDE: dict[str, Any] = {"type": "string", "enum": list(SIDES)}
SCORING: dict[str, Any] = {"type": "string", "enum": ["learned", "csls", "cosine"]}


def object_with(optional: Sequence[str] = (), /, **properties: Any) -> dict[str, Any]:
    """An object with exactly these properties; some may be missing."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def list_of(items: Any, most: int | None = None) -> dict[str, Any]:
    """A list, perhaps of a greatest length."""
    return {"type": "array", "items": items} | ({} if most is None else {"maxItems": most})


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A value that may be missing."""
    return {"anyOf": [schema, {"type": "null"}]}


def reference(name: str) -> dict[str, Any]:
    """One of ``COMPONENTS`` by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


_ASKED = {
    "word": STRING,
    "side": SIDE,
    "rank": RANK,
    "in_both": BOOLEAN,
    "on_map": BOOLEAN,
    "t": SHARE,
}
_LANGUAGE = object_with(name=STRING, language=or_null(STRING), words=COUNT)
_TRANSLATIONS = object_with(
    t=SHARE,
    translations=list_of(
        object_with(
            ("probability", "reasons"),
            word=STRING,
            cosine=COSINE,
            csls=or_null(NUMBER),
            probability=or_null(SHARE),
            reasons=list_of(STRING),
        ),
        MOST_WORDS,
    ),
)
_NEIGHBOURS = list_of(object_with(word=STRING, cosine=COSINE), MOST_WORDS)
_SPELLED = list_of(object_with(word=STRING, side=SIDE), MOST_WORDS)
VERDICT = or_null({"type": "string", "enum": list(VERDICTS)})
_ENTRIES = list_of(
    object_with(
        word=STRING,
        rank=RANK,
        translations=list_of(object_with(word=STRING, probability=or_null(SHARE), verdict=VERDICT)),
        state={"type": "string", "enum": list(STATE_NAMES)},
        csls=or_null(STRING),
    ),
    MOST_WORDS,
)
_PROGRESS = object_with(**dict.fromkeys(STATE_NAMES, COUNT))
_PLACE = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
_COORDINATES = list_of({"type": "integer", "minimum": 0, "maximum": EXTENT}, WORDS)
_DRAWN = object_with(words=list_of(STRING, WORDS), x=_COORDINATES, y=_COORDINATES)
_STATE: dict[str, Any] = {"type": "string", "enum": ["running", "done", "failed"]}
_SUMMARY = or_null(
    object_with(
        questions=COUNT, precision_at_1=SHARE, precision_at_5=SHARE, mean_reciprocal_rank=SHARE
    )
)

COMPONENTS: dict[str, Any] = {
    "About": object_with(
        ("ranking", "dictionary"),
        folder=STRING,
        method=STRING,
        dimension=COUNT,
        source=_LANGUAGE,
        target=_LANGUAGE,
        path=object_with(kind={"type": "string", "enum": list(KINDS)}, stops=list_of(SHARE)),
        ranking={"type": "string", "enum": ["loading", "ready", "failed"]},
        dictionary=object_with(command=STRING),
        scoring=SCORING,
        examples=list_of(STRING),
        preparation=object_with(
            state=_STATE,
            stage=or_null(STRING),
            share=or_null(SHARE),
            message=or_null(STRING),
        ),
        vocabulary=_STATE,
        revision=COUNT,
        version=STRING,
        runs=RANK,
    ),
    "Words": object_with(prefix=STRING, words=_SPELLED),
    "Translations": object_with(
        **_ASKED, scoring=SCORING, before=_TRANSLATIONS, after=_TRANSLATIONS
    ),
    "Neighbours": object_with(**_ASKED, source=_NEIGHBOURS, target=_NEIGHBOURS),
    "Map": object_with(
        **_ASKED,
        explained={"type": "array", "items": SHARE, "minItems": 2, "maxItems": 2},
        points=list_of(
            object_with(
                word=STRING,
                side=SIDE,
                here=_PLACE,
                start=_PLACE,
                end=_PLACE,
                asked=BOOLEAN,
            ),
            2 * MOST_POINTS + 1,
        ),
    ),
    "Check": object_with(
        id=STRING,
        side=SIDE,
        state={"type": "string", "enum": ["running", "done", "failed", "dropped"]},
        share=SHARE,
        message=or_null(STRING),
        scoring=SCORING,
        total=COUNT,
        known=COUNT,
        skipped=list_of(object_with(line=RANK, problem=STRING), SHOWN_PROBLEMS),
        skipped_lines=COUNT,
        before=_SUMMARY,
        after=_SUMMARY,
        offset=COUNT,
        pairs=list_of(
            object_with(
                line=RANK,
                word=STRING,
                reference=STRING,
                missing=list_of({"type": "string", "enum": ["word", "reference"]}),
                rank_before=or_null(RANK),
                rank_after=or_null(RANK),
                first_before=or_null(STRING),
                first_after=or_null(STRING),
            ),
            MOST_WORDS,
        ),
    ),
    "Dictionary": object_with(
        total=COUNT, offset=COUNT, entries=_ENTRIES, compared=BOOLEAN, progress=_PROGRESS
    ),
    "Review": object_with(entries=_ENTRIES, progress=_PROGRESS),
    "Vocabulary": object_with(
        method={"type": "string", "enum": list(METHODS)},
        extent=COUNT,
        source=_DRAWN,
        target=_DRAWN,
    ),
    "Error": object_with(error=object_with(code=STRING, message=STRING, suggestions=_SPELLED)),
}
