"""Read grids from files: the bundled grids, and those of users."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from lexalign.errors import InputError, LexalignError
from lexalign.experiments.grid import (
    AlignerChoice,
    Evaluation,
    Grid,
    Pair,
    Refinement,
    TrainingChoice,
)
from lexalign.experiments.toml_text import parse_toml
from lexalign.parameters import KINDS, unknown

Table = TypeVar("Table")


def read_grid(name: str | Path) -> Grid:
    """Read a bundled grid by its name, or a grid from a file."""
    text, path = _text(name)
    try:
        return _grid(path.stem, parse_toml(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"it is not TOML ({error})", path=path, remedy="correct that line"
        ) from error
    except LexalignError as error:
        # A key of this file is neither an argument nor an option, and TOML writes true and false.
        problem = str(error).replace("`", "'").replace("True or False", "true or false")
        raise InputError(problem.removesuffix("."), path=path) from error


def shipped() -> tuple[str, ...]:
    """The names of the bundled grids."""
    folder = files("lexalign.experiments") / "grids"
    return tuple(sorted(Path(file.name).stem for file in folder.iterdir()))


def _text(name: str | Path) -> tuple[str, Path]:
    path = Path(name)
    if str(name) in shipped():
        file = files("lexalign.experiments") / "grids" / f"{name}.toml"
        return file.read_text("utf-8"), Path(f"{name}.toml")
    try:
        return path.read_text("utf-8"), path
    except OSError as error:
        raise InputError(
            f"there is no such grid ({error.strerror})",
            path=path,
            remedy=f"name a file, or one of these: {', '.join(shipped())}",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8", path=path, remedy="save it as UTF-8") from error


def _grid(name: str, content: dict[str, Any]) -> Grid:
    vectors = str(content.get("vectors", ""))
    readers: dict[str, Callable[[Any], Any]] = {
        "pairs": lambda pairs: tuple(Pair.parse(str(pair), vectors) for pair in pairs),
        "aligners": lambda rows: tuple(
            _declared(AlignerChoice, row, "aligner", "parameters") for row in rows
        ),
        "refinements": lambda rows: tuple(
            _declared(Refinement, row, "refinement", "parameters") for row in rows
        ),
        "evaluation": lambda table: _declared(Evaluation, table, "evaluation", "parameters"),
        "training": lambda table: TrainingChoice(dict(table)),
        "seeds": _seeds,
        "published": lambda rows: {str(row): dict(cells) for row, cells in rows.items()},
    }
    values = dict[str, Any]()
    for key, value in content.items():
        try:
            values[key] = readers[key](value) if key in readers else value
        except (TypeError, ValueError, AttributeError) as error:
            raise LexalignError(f"The '{key}' of the grid has the wrong form ({error}).") from error
    return _declared(Grid, {"name": name, **values}, "grid")


def _seeds(values: Any) -> tuple[int, ...]:
    if not all(type(seed) is int and seed >= 0 for seed in values):
        raise ValueError(f"expected whole numbers from 0, found {values}")
    return tuple(dict.fromkeys(values))


def _declared(kind: type[Table], content: Mapping[str, Any], what: str, rest: str = "") -> Table:
    """Create a dataclass from a table; unknown keys go into the field ``rest``.

    Without ``rest``, unknown keys are errors. Missing keys are always errors.
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
        wanted = types.get(str(entry.type))
        if key in given and wanted is not None and type(given[key]) is not wanted:
            raise LexalignError(
                f"The '{key}' of the {what} must be {KINDS[wanted]}. Got {given[key]!r} instead."
            )
    return kind(**given, **({rest: more} if rest else {}))
