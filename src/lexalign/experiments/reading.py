"""Grids as files: those that ship with Lexalign, and those of users."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from lexalign.errors import InputError, LexalignError
from lexalign.experiments.declared import declared
from lexalign.experiments.grid import (
    AlignerChoice,
    Evaluation,
    Grid,
    Pair,
    Refinement,
    TrainingChoice,
)


def read_grid(name: str | Path) -> Grid:
    """A grid that ships with Lexalign, by its name, or one in a file."""
    text, path = _text(name)
    try:
        return _grid(path.stem, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"it is not TOML ({error})", path=path, remedy="correct that line"
        ) from error
    except LexalignError as error:
        raise InputError(str(error).removesuffix("."), path=path) from error


def shipped() -> tuple[str, ...]:
    """The names of the grids that ship with Lexalign."""
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
            declared(AlignerChoice, row, "aligner", "parameters") for row in rows
        ),
        "refinements": lambda rows: tuple(
            declared(Refinement, row, "refinement", "parameters") for row in rows
        ),
        "evaluation": lambda table: declared(Evaluation, table, "evaluation", "parameters"),
        "training": lambda table: TrainingChoice(dict(table)),
        "seeds": _seeds,
        "published": lambda rows: {str(row): dict(cells) for row, cells in rows.items()},
    }
    values = dict[str, Any]()
    for key, value in content.items():
        try:
            values[key] = readers[key](value) if key in readers else value
        except (TypeError, ValueError, AttributeError) as error:
            raise LexalignError(f"The '{key}' of the grid has another form ({error}).") from error
    return declared(Grid, {"name": name, **values}, "grid")


def _seeds(values: Any) -> tuple[int, ...]:
    if not all(type(seed) is int and seed >= 0 for seed in values):
        raise ValueError(f"whole numbers from 0 on are wanted, not {values}")
    return tuple(dict.fromkeys(values))
