"""The interface as OpenAPI 3.1, written by hand and held to by the tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lexalign import __version__
from lexalign.explore.checks import SORTS as CHECK_SORTS
from lexalign.explore.requests import (
    LARGEST_DICTIONARY,
    LONGEST_WORD,
    MOST_CHANGES,
    MOST_PAIRS,
    MOST_POINTS,
    MOST_WORDS,
    ORDERS,
)
from lexalign.explore.run_dictionary import SORTS, STATES
from lexalign.explore.schema_shapes import (
    COMPONENTS,
    COUNT,
    RANK,
    SHARE,
    SIDE,
    STRING,
    VERDICT,
    list_of,
    object_with,
    reference,
)
from lexalign.explore.vocabulary import WORDS


def _parameter(name: str, schema: dict[str, Any], text: str, *, needed: bool) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": needed, "schema": schema, "description": text}


RUN = _parameter("run", RANK | {"default": 1}, "The run, if there are several.", needed=False)
CHANGES = object_with(
    changes=list_of(
        object_with(("seen",), source=STRING, target=STRING, verdict=VERDICT, seen=VERDICT),
        MOST_CHANGES,
    )
)


def _choice(name: str, choices: Sequence[str], text: str) -> dict[str, Any]:
    schema = {"type": "string", "enum": list(choices), "default": choices[0]}
    return _parameter(name, schema, text, needed=False)


def _parameters_of_word(most: int) -> list[dict[str, Any]]:
    return [
        _parameter(
            "word",
            {"type": "string", "minLength": 1, "maxLength": LONGEST_WORD},
            "A word of either language.",
            needed=True,
        ),
        _parameter(
            "side", SIDE, "The language; by default the first one that has the word.", needed=False
        ),
        _parameter(
            "t",
            SHARE | {"default": 1},
            "The place on the path, from 0 (before) to 1 (after); the nearest stop is used.",
            needed=False,
        ),
        _count(10, most),
    ]


def _count(default: int, most: int) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 1, "maximum": most, "default": default}
    return _parameter("k", schema, "The number of words.", needed=False)


def _answers(name: str, *statuses: int) -> dict[str, Any]:
    def content(shape: str) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": reference(shape)}}}

    return {
        "200": {"description": "The answer.", **content(name)},
        **{
            str(status): {"description": "One sentence about the problem.", **content("Error")}
            for status in statuses
        },
    }


def _get(summary: str, name: str, parameters: list[dict[str, Any]], *statuses: int) -> Any:
    return {
        "get": {
            "summary": summary,
            "operationId": name.lower(),
            "parameters": [*parameters, RUN],
            "responses": _answers(name, 400, 403, 414, 421, *statuses),
        }
    }


def _file_of(summary: str, name: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """A tab-separated file to save."""
    return {
        "summary": summary,
        "operationId": name,
        "parameters": [*parameters, RUN],
        "responses": {
            **_answers("Error", 400, 403, 404, 414, 421),
            "200": {
                "description": "A tab-separated table.",
                "content": {"text/tab-separated-values": {"schema": STRING}},
            },
        },
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
        "/api/about": _get("The explored run, and the state of the preparation", "About", []),
        "/api/words": _get(
            "Frequent words that begin with these letters, with case and accents ignored",
            "Words",
            [
                _parameter(
                    "prefix",
                    {"type": "string", "minLength": 1, "maxLength": LONGEST_WORD},
                    "The beginning of the words.",
                    needed=True,
                ),
                _parameter("side", SIDE, "The language; by default both.", needed=False),
                _count(8, MOST_WORDS),
            ],
        ),
        "/api/translate": _get(
            "Translations before the refinement and at a place of its path; for a run with a "
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
        "/api/dictionary": _get(
            "A part of the induced dictionary, with the decisions about it",
            "Dictionary",
            [
                _choice("sort", SORTS, "The order."),
                _choice("order", ORDERS, "The direction of the order."),
                _choice("state", STATES, "The selected entries."),
                _parameter(
                    "text",
                    {"type": "string", "maxLength": LONGEST_WORD},
                    "Letters of the word or of its first translation.",
                    needed=False,
                ),
                _parameter("low", SHARE | {"default": 0}, "Least probability.", needed=False),
                _parameter("high", SHARE | {"default": 1}, "Greatest probability.", needed=False),
                _parameter("offset", COUNT | {"default": 0}, "Entries to skip.", needed=False),
                _count(50, MOST_WORDS),
            ],
            404,
        ),
        "/api/review": {
            "post": {
                "summary": "Decide about pairs of the dictionary; all changes are kept, or none",
                "operationId": "review",
                "parameters": [RUN],
                "requestBody": {
                    "required": True,
                    "description": "A verdict of null undoes a decision. With `seen`, the verdict "
                    "that the client saw, a decision of another person is not overwritten.",
                    "content": {"application/json": {"schema": CHANGES}},
                },
                "responses": _answers("Review", 400, 403, 404, 408, 409, 413, 414, 415, 421),
            }
        },
        "/api/review/seeds": {
            "get": _file_of(
                "The pairs marked right as a file of seeds",
                "seeds",
                [_choice("old", ("yes", "no"), "Include the seeds of the run.")],
            )
        },
        "/api/check": {
            **_get(
                "The progress of a check, and a part of its result",
                "Check",
                [
                    _parameter("id", STRING, "The number of the check.", needed=True),
                    _choice("sort", CHECK_SORTS, "The order of the pairs."),
                    _choice("order", ORDERS, "The direction of the order."),
                    _parameter("offset", COUNT | {"default": 0}, "Pairs to skip.", needed=False),
                    _count(50, MOST_WORDS),
                ],
                404,
            ),
            "post": {
                "summary": "Start to rank the references of a dictionary",
                "operationId": "start_check",
                "parameters": [RUN],
                "requestBody": {
                    "required": True,
                    "description": f"At most {LARGEST_DICTIONARY // 2**20} MB and {MOST_PAIRS:,} "
                    "pairs, one per line: two words separated by a tab or blanks.",
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
            },
        },
        "/api/check/table": {
            "get": _file_of(
                "The whole result of a check as a table",
                "check_table",
                [_parameter("id", STRING, "The number of the check.", needed=True)],
            )
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
