"""The interface as OpenAPI 3.1, written by hand and held to by the tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lexalign import __version__
from lexalign.explore.requests import (
    LARGEST_BODY,
    LONGEST_WORD,
    MOST_PAIRS,
    MOST_POINTS,
    MOST_WORDS,
    SIDES,
)
from lexalign.explore.vocabulary import EXTENT, WORDS
from lexalign.explore.vocabulary_projection import METHODS
from lexalign.procrustes.path import KINDS

STRING: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
BOOLEAN: dict[str, Any] = {"type": "boolean"}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
RANK: dict[str, Any] = {"type": "integer", "minimum": 1}
SHARE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
COSINE: dict[str, Any] = {"type": "number", "minimum": -1.001, "maximum": 1.001}
SIDE: dict[str, Any] = {"type": "string", "enum": list(SIDES)}
SCORING: dict[str, Any] = {"type": "string", "enum": ["learned", "csls", "cosine"]}


def _object(optional: Sequence[str] = (), /, **properties: Any) -> dict[str, Any]:
    """An object with exactly these properties; some may be missing."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: Any, most: int | None = None) -> dict[str, Any]:
    return {"type": "array", "items": items} | ({} if most is None else {"maxItems": most})


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


_ASKED = {"word": STRING, "side": SIDE, "rank": RANK, "in_both": BOOLEAN, "t": SHARE}
_LANGUAGE = _object(name=STRING, language=_or_null(STRING), words=COUNT)
_TRANSLATIONS = _object(
    t=SHARE,
    translations=_list(
        _object(
            ("probability",),
            word=STRING,
            cosine=COSINE,
            csls=_or_null(NUMBER),
            probability=_or_null(SHARE),
        ),
        MOST_WORDS,
    ),
)
_NEIGHBOURS = _list(_object(word=STRING, cosine=COSINE), MOST_WORDS)
_SPELLED = _list(_object(word=STRING, side=SIDE), MOST_WORDS)
_PLACE = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
_COORDINATES = _list({"type": "integer", "minimum": 0, "maximum": EXTENT}, WORDS)
_DRAWN = _object(words=_list(STRING, WORDS), x=_COORDINATES, y=_COORDINATES)
_STATE: dict[str, Any] = {"type": "string", "enum": ["running", "done", "failed"]}
_SUMMARY = _or_null(
    _object(questions=COUNT, precision_at_1=SHARE, precision_at_5=SHARE, mean_reciprocal_rank=SHARE)
)

COMPONENTS: dict[str, Any] = {
    "About": _object(
        ("ranking",),
        folder=STRING,
        method=STRING,
        dimension=COUNT,
        source=_LANGUAGE,
        target=_LANGUAGE,
        path=_object(kind={"type": "string", "enum": list(KINDS)}, stops=_list(SHARE)),
        ranking={"type": "string", "enum": ["loading", "ready", "failed"]},
        scoring=SCORING,
        examples=_list(STRING),
        preparation=_object(
            state=_STATE,
            stage=_or_null(STRING),
            share=_or_null(SHARE),
            message=_or_null(STRING),
        ),
        vocabulary=_STATE,
        revision=COUNT,
        version=STRING,
    ),
    "Words": _object(prefix=STRING, words=_SPELLED),
    "Translations": _object(**_ASKED, scoring=SCORING, before=_TRANSLATIONS, after=_TRANSLATIONS),
    "Neighbours": _object(**_ASKED, source=_NEIGHBOURS, target=_NEIGHBOURS),
    "Map": _object(
        **_ASKED,
        explained={"type": "array", "items": SHARE, "minItems": 2, "maxItems": 2},
        points=_list(
            _object(
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
    "Check": _object(
        side=SIDE,
        scoring=SCORING,
        pairs=_list(
            _object(
                line=RANK,
                word=STRING,
                reference=STRING,
                missing=_list({"type": "string", "enum": ["word", "reference"]}),
                rank_before=_or_null(RANK),
                rank_after=_or_null(RANK),
                first_before=_or_null(STRING),
                first_after=_or_null(STRING),
            ),
            MOST_PAIRS,
        ),
        skipped=_list(_object(line=RANK, problem=STRING), MOST_PAIRS),
        known=COUNT,
        before=_SUMMARY,
        after=_SUMMARY,
    ),
    "Vocabulary": _object(
        method={"type": "string", "enum": list(METHODS)},
        extent=COUNT,
        source=_DRAWN,
        target=_DRAWN,
    ),
    "Error": _object(error=_object(code=STRING, message=STRING, suggestions=_SPELLED)),
}


def _parameter(name: str, schema: dict[str, Any], text: str, *, needed: bool) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": needed, "schema": schema, "description": text}


def _parameters_of_word(most: int) -> list[dict[str, Any]]:
    return [
        _parameter(
            "word",
            {"type": "string", "minLength": 1, "maxLength": LONGEST_WORD},
            "A word of either language.",
            needed=True,
        ),
        _parameter("side", SIDE, "Its language; by default the first that knows it.", needed=False),
        _parameter(
            "t",
            SHARE | {"default": 1},
            "Where on the path, from 0 (before) to 1 (after); the nearest stop is taken.",
            needed=False,
        ),
        _count(10, most),
    ]


def _count(default: int, most: int) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 1, "maximum": most, "default": default}
    return _parameter("k", schema, "How many words.", needed=False)


def _answers(name: str, *statuses: int) -> dict[str, Any]:
    def content(reference: str) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": _reference(reference)}}}

    return {
        "200": {"description": "The answer.", **content(name)},
        **{
            str(status): {"description": "One sentence about what is wrong.", **content("Error")}
            for status in statuses
        },
    }


def _get(summary: str, name: str, parameters: list[dict[str, Any]], *statuses: int) -> Any:
    return {
        "get": {
            "summary": summary,
            "operationId": name.lower(),
            "parameters": parameters,
            "responses": _answers(name, 400, 403, 414, 421, *statuses),
        }
    }


SCHEMA: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Lexalign explorer",
        "version": __version__,
        "summary": "Words of two languages in one space, before and after refinement.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    },
    "paths": {
        "/api/about": _get("What is explored, and how far the preparation is", "About", []),
        "/api/words": _get(
            "Frequent words that begin like this, whatever their case and accents",
            "Words",
            [
                _parameter(
                    "prefix",
                    {"type": "string", "minLength": 1, "maxLength": LONGEST_WORD},
                    "How the words begin.",
                    needed=True,
                ),
                _parameter("side", SIDE, "The language; by default both.", needed=False),
                _count(8, MOST_WORDS),
            ],
        ),
        "/api/translate": _get(
            "Translations before the refinement and at a place of its path; of a run with a "
            "learned ranking, by CSLS and by that ranking with probabilities",
            "Translations",
            _parameters_of_word(MOST_WORDS),
            404,
        ),
        "/api/neighbours": _get(
            "The nearest words of both languages by cosine",
            "Neighbours",
            _parameters_of_word(MOST_WORDS),
            404,
        ),
        "/api/map": _get(
            "The surroundings of a word on a plane", "Map", _parameters_of_word(MOST_POINTS), 404
        ),
        "/api/vocabulary": _get(
            f"The {WORDS:,} most frequent words of each language on a plane, from 0 to 'extent'; "
            "503 until it is drawn",
            "Vocabulary",
            [],
            503,
        ),
        "/api/check": {
            "post": {
                "summary": "The ranks of the references of a dictionary",
                "operationId": "check",
                "requestBody": {
                    "required": True,
                    "description": f"At most {LARGEST_BODY // 1024} KB and {MOST_PAIRS:,} pairs, "
                    "one a line: two words with a tab or blanks between.",
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "text": {"type": "string", "minLength": 1},
                                    "side": SIDE | {"default": "source"},
                                },
                                "required": ["text"],
                                "additionalProperties": False,
                            }
                        }
                    },
                },
                "responses": _answers("Check", 400, 403, 408, 413, 414, 415, 421),
            }
        },
        "/api/schema": {
            "get": {
                "summary": "This description",
                "operationId": "schema",
                "parameters": [],
                "responses": {
                    "200": {
                        "description": "OpenAPI 3.1.",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                    }
                },
            }
        },
    },
    "components": {"schemas": COMPONENTS},
}
