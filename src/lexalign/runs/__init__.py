"""A run as a folder of files: the mapped vectors, the map, the pairs, and how it came about."""

from __future__ import annotations

import json
import logging
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import attrs

from lexalign.atomic import atomic_folder, sha256
from lexalign.errors import InputError, LexalignError
from lexalign.progress import Progress
from lexalign.spaces import LinearMap, Side
from lexalign.spaces.mapping import map_file
from lexalign.vectors import Lexicon, Policy, detect_format

SUFFIXES = {"vec": ".vec", "bin": ".bin", "npz": ".npz", "folder": ""}
RECORD = "run.json"
PACKAGES = ("lexalign", "numpy", "scipy", "faiss-cpu", "polars", "safetensors", "torch", "gensim")

logger = logging.getLogger("lexalign")


@dataclass(frozen=True)
class Input:
    """A file that goes into a run, how it enters the shared space, and what it is called there."""

    name: str
    path: Path
    side: Side
    language: str | None = None
    normalisation: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """Everything a run leaves behind, before it is written.

    Each input NAME becomes ``NAME.vec``, or what the format calls it. ``maps`` and ``lexicons``
    become ``map.safetensors`` and ``lexicon.tsv``; a key that is not empty, as in a run of several
    pairs, comes before that: ``de.map.safetensors``.
    """

    inputs: tuple[Input, ...]
    maps: Mapping[str, LinearMap]
    lexicons: Mapping[str, Lexicon]
    record: Mapping[str, Any]
    policy: Policy = field(default_factory=Policy)

    def write(
        self, output: Path, *, suffix: str, overwrite: bool, progress: Progress | None = None
    ) -> None:
        """Write ``output`` whole or not at all.

        The full vocabularies of all files are mapped as a stream, so memory stays bounded however
        long they are.
        """
        progress = progress or Progress()
        with atomic_folder(output, RECORD, overwrite=overwrite) as folder:
            inputs = {
                file.name: self._write_vectors(folder / f"{file.name}{suffix}", file, progress)
                for file in self.inputs
            }
            for name, map_ in self.maps.items():
                map_.save(folder / _named(name, "map.safetensors"))
            for name, lexicon in self.lexicons.items():
                write_lexicon(lexicon, folder / _named(name, "lexicon.tsv"))
            record = {**self.record, "inputs": inputs, "policy": attrs.asdict(self.policy)}
            write_record(folder, record, progress)

    def _write_vectors(self, output: Path, file: Input, progress: Progress) -> dict[str, Any]:
        with progress.stage(f"writing {file.name}") as advance:
            census = map_file(
                file.path,
                file.side,
                output,
                policy=self.policy,
                language=file.language,
                normalisation=file.normalisation,
                advance=advance,
            )
        return {
            "path": str(file.path),
            "format": detect_format(file.path),
            "sha256": sha256(file.path),
            **census.as_dict(),
        }


def write_lexicon(lexicon: Lexicon, path: Path) -> None:
    """Write the pairs that a file can hold; a word with a tab in it shall not fail a whole run."""
    fitting = lexicon.writable()
    fitting.write(path)
    if left_out := len(lexicon) - len(fitting):
        logger.warning(
            "%s leaves out pairs whose words have tabs, line ends, or blanks at their ends: %d",
            path.name,
            left_out,
        )


def write_record(folder: Path, record: Mapping[str, Any], progress: Progress) -> None:
    """Write how a run came about, with the versions, the times and the command."""
    whole = {
        "format": "lexalign-run-1",
        **record,
        "versions": _versions(),
        "seconds": progress.seconds,
        "command": sys.argv,
    }
    text = json.dumps(whole, ensure_ascii=False, indent=1)
    (folder / RECORD).write_text(text + "\n", encoding="utf-8")


def _named(name: str, file: str) -> str:
    return f"{name}.{file}" if name else file


@dataclass(frozen=True)
class AlignedPair:
    """Two files of vectors in one space, and the ``folder`` of the run that wrote them, if any."""

    source: Path
    target: Path
    folder: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """What the user called the pair by."""
        if self.folder is not None:
            return (self.folder,)
        return (self.source,) if self.source == self.target else (self.source, self.target)


def aligned_pairs(paths: Sequence[Path], *, monolingual: bool = False) -> list[AlignedPair]:
    """The pairs that a list of paths stands for: a folder of a run is one, two files are one.

    With ``monolingual`` a file left alone is paired with itself.
    """
    pairs, rest = [], list(paths)
    while rest:
        first = rest.pop(0)
        if is_run(first):
            pairs.append(AlignedPair(*vectors_of_run(first), folder=first))
            continue
        if not rest and monolingual:
            rest.append(first)
        if not rest:
            problem = "there is no such file or folder"
            if first.is_dir():
                problem = f"the folder holds no {RECORD} of a run over one pair"
            elif first.exists():
                problem = "it has no partner"
            raise InputError(
                problem,
                path=first,
                remedy="name a source and a target, or a folder written by Lexalign",
            )
        pairs.append(AlignedPair(first, rest.pop(0)))
    return pairs


def is_run(folder: Path) -> bool:
    """Whether a run wrote this folder."""
    return (folder / RECORD).is_file()


def vectors_of_run(folder: Path) -> tuple[Path, Path]:
    """The files of source and target vectors in the folder that a run wrote."""
    paths = []
    for name in ("source", "target"):
        known = [folder / f"{name}{suffix}" for suffix in SUFFIXES.values()]
        path = next((path for path in known if path.exists()), None)
        if path is None:
            listed = ", ".join(path.name for path in known)
            raise InputError(
                f"the folder holds none of {listed}",
                path=folder,
                remedy="name two files of vectors, or the folder of a run over one pair",
            )
        paths.append(path)
    return paths[0], paths[1]


def base_of(source: Path, target: Path) -> dict[str, Any]:
    """How vectors came about that a run wrote, for the record of what is made of them.

    Nothing if no run wrote them.
    """
    try:
        if not is_run(source.parent) or (source, target) != vectors_of_run(source.parent):
            return {}
        record = json.loads((source.parent / RECORD).read_bytes())
    except (InputError, ValueError):
        return {}
    kept = ("method", "command", "versions", "citation", "inputs", "lexicons", "base")
    return {"base": {name: record[name] for name in kept if name in record}}


def output_suffix(name: str) -> str:
    """The file suffix of an output format."""
    if name not in SUFFIXES:
        raise LexalignError(
            f"The `output_format` must be one of {tuple(SUFFIXES)}. Got {name!r} instead."
        )
    return SUFFIXES[name]


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
