"""From tables of TOML to dataclasses, with a sentence about whatever does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any, TypeVar

from lexalign.errors import LexalignError

SET_ELSEWHERE = ("seed", "device", "checkpoint")
"""Parameters that a grid sets for all its jobs."""

IN_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
Declared = TypeVar("Declared")


def declared(
    kind: type[Declared], content: Mapping[str, Any], what: str, rest: str = ""
) -> Declared:
    """A dataclass from a table; keys that it does not know go into the field ``rest``.

    Without one they are refused, as is a missing key.
    """
    known = {entry.name: entry for entry in fields(kind)}  # type: ignore[arg-type]
    given = {key: value for key, value in content.items() if key in known and key != rest}
    more = {key: value for key, value in content.items() if key not in given}
    if more and not rest:
        raise unknown(f"key of a {what}", next(iter(more)), known)
    types = {"str": str, "str | None": str, "int": int, "bool": bool}
    for key, entry in known.items():
        required = entry.default is MISSING and entry.default_factory is MISSING
        if required and key not in given:
            raise LexalignError(f"The {what} has no '{key}'; add it.")
        if key in given and (wanted := types.get(str(entry.type))) is not None:
            _require_type(key, what, given[key], wanted)
    return kind(**given, **({rest: more} if rest else {}))


def configured(kind: type[Declared], what: str, parameters: Mapping[str, Any]) -> Declared:
    """A method with parameters that it has, each of the type of its default.

    Those without a default the method checks itself.
    """
    known = {
        entry.name: entry
        for entry in fields(kind)  # type: ignore[arg-type]
        if entry.name not in SET_ELSEWHERE
    }
    for name, value in parameters.items():
        if name not in known:
            raise unknown(f"parameter of {what}", name, known)
        if (wanted := type(known[name].default)) in IN_WORDS:
            _require_type(name, what, value, wanted)
    return kind(**parameters)


def unknown(what: str, got: str, names: Iterable[str]) -> LexalignError:
    """The error about a name that does not exist."""
    known = sorted(names)
    close = get_close_matches(got, known, n=1)
    meant = f"perhaps {close[0]!r} is meant" if close else f"it is one of {', '.join(known)}"
    return LexalignError(f"There is no {what} called {got!r}; {meant}.")


def _require_type(key: str, what: str, value: Any, wanted: type) -> None:
    allowed = (int, float) if wanted is float else (wanted,)
    if type(value) not in allowed:
        raise LexalignError(
            f"The '{key}' of the {what} must be {IN_WORDS[wanted]}. Got {value!r} instead."
        )
