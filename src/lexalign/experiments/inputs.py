"""The paths of the inputs of a grid on this machine: a TOML file of names and paths.

    [vectors.wiki]
    file = "wiki.{language}.vec"
    [lexicons]
    muse-test = "dictionaries/{source}-{target}.5000-6500.txt"
    [corpora.wiki]
    file = "wiki.{language}.txt.xz"
    [nli]
    train = "multinli_1.0_train.jsonl"
    dev = "xnli.dev.en.tsv"
    test = "xnli.test.{language}.tsv"
    [aligned.public-vecmap]
    file = "vecmap/{source}-{target}.{seed}.{language}.txt"
    [pairs]
    table1a = ["en-de", "en-fr"]

Paths are relative to the file. ``[aligned]`` has vectors that another program aligned, for the
method "given". ``[pairs]`` replaces the pairs of a grid, for example for other languages. Only the
inputs of the requested grids must exist.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from lexalign.atomic import resolved
from lexalign.errors import InputError, LexalignError, shortened
from lexalign.experiments.grid import Grid, Pair
from lexalign.experiments.toml_text import parse_toml

SECTIONS = ("vectors", "lexicons", "corpora", "aligned", "nli", "pairs")


class MissingInputError(LexalignError):
    """A missing input; the jobs that need it are left out."""


@dataclass(frozen=True)
class Inputs:
    """Paths by name; the module describes their file."""

    folder: Path
    vectors: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    lexicons: Mapping[str, str] = field(default_factory=dict)
    corpora: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    aligned: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    nli: Mapping[str, str] = field(default_factory=dict)
    pairs: Mapping[str, list[str]] = field(default_factory=dict)

    @classmethod
    def public(cls, folder: Path) -> Inputs:
        """The inputs of the paper, as ``lexalign data fetch`` writes them into a folder."""
        text = (files("lexalign.experiments") / "public.toml").read_text("utf-8")
        return cls(resolved(folder), **tomllib.loads(text))

    @classmethod
    def read(cls, path: Path) -> Inputs:
        """Read the paths from a TOML file."""
        try:
            content = parse_toml(path.read_text("utf-8"))
        except OSError as error:
            raise InputError(
                f"it cannot be read ({error.strerror})", path=path, remedy="check the name"
            ) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f"it is not TOML ({error})", path=path, remedy="correct that line"
            ) from error
        for section, entries in content.items():
            if section not in SECTIONS:
                raise InputError(
                    f"there is no section [{section}]",
                    path=path,
                    remedy=f"use {', '.join(f'[{name}]' for name in SECTIONS)}",
                )
            _require_entries(path, section, entries)
        return cls(resolved(path).parent, **content)

    def grid(self, grid: Grid) -> Grid:
        """The grid with the pairs of this machine, if the file sets them."""
        if grid.name not in self.pairs:
            return grid
        pairs = tuple(Pair.parse(pair, grid.vectors) for pair in self.pairs[grid.name])
        return replace(grid, pairs=pairs)

    def title(self, vectors: str) -> str:
        """What a set of vectors is called."""
        return str(self.vectors.get(vectors, {}).get("title", vectors))

    def vectors_of(self, pair: Pair) -> tuple[Path, Path]:
        """The files of both languages."""
        return self._both("vectors", pair.vectors, pair)

    def corpora_of(self, pair: Pair) -> tuple[Path, Path]:
        """The text files of both languages."""
        return self._both("corpora", pair.vectors, pair)

    def depends_on_seed(self, name: str) -> bool:
        """Whether the vectors of another program have one file per seed."""
        return "{seed}" in self.aligned.get(name, {}).get("file", "")

    def aligned_by(self, name: str, pair: Pair, seed: int) -> tuple[Path, Path]:
        """The vectors of the pair from another program."""
        return self._both("aligned", name, pair, seed=str(seed))

    def lexicon(self, name: str, pair: Pair) -> Path:
        """A dictionary of the pair."""
        if name not in self.lexicons:
            raise MissingInputError(f"no lexicon '{name}' is given")
        return self._path(self.lexicons[name], source=pair.source, target=pair.target)

    def inference(self, name: str, language: str) -> Path:
        """A set of premises and hypotheses: train, dev or test."""
        if name not in self.nli:
            raise MissingInputError(f"no set '{name}' of natural language inference is given")
        return self._path(self.nli[name], language=language)

    def _both(self, section: str, name: str, pair: Pair, **names: str) -> tuple[Path, Path]:
        entry = getattr(self, section).get(name)
        if entry is None:
            what = {"corpora": "joint training needs text, and no corpora", "aligned": "no vectors"}
            raise MissingInputError(f"{what.get(section, 'no vectors')} '{name}' are given")
        names |= {"source": pair.source, "target": pair.target}
        source, target = (
            self._path(entry["file"], language=language, **names)
            for language in (pair.source, pair.target)
        )
        return source, target

    def _path(self, template: str, **names: str) -> Path:
        for name, value in names.items():
            template = template.replace(f"{{{name}}}", value)
        path = self.folder / template
        try:
            if path.exists():
                return path
        except OSError as error:  # no name of a file, such as one that is too long
            raise MissingInputError(
                f"{shortened(path.name)} cannot be read ({error.strerror})"
            ) from error
        raise MissingInputError(f"there is no {path.name} in {path.parent}")


def _require_entries(path: Path, section: str, entries: Any) -> None:
    """Raise if an entry does not have the form of its section."""
    wanted = {"vectors": dict, "corpora": dict, "aligned": dict, "pairs": list}.get(section, str)
    example = {
        dict: 'file = "NAME.{language}.SUFFIX"',
        list: 'GRID = ["en-de"]',
        str: 'NAME = "PATH"',
    }[wanted]
    for name, entry in entries.items() if isinstance(entries, dict) else [(section, None)]:
        fits = isinstance(entry, wanted)
        if isinstance(entry, dict):
            fits = fits and isinstance(entry.get("file"), str)
        elif isinstance(entry, list):
            fits = bool(entry) and all(isinstance(pair, str) for pair in entry)
        if not fits:
            raise InputError(
                f"the entry '{name}' of [{section}] has the wrong form",
                path=path,
                remedy=f"write it as {example}",
            )
