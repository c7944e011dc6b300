"""Read a run: an object for the folder, which reads files when they are used."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lexalign.atomic import resolved
from lexalign.digests import sha256
from lexalign.errors import InputError
from lexalign.progress import Progress
from lexalign.runs.layout import LAYOUT, SIDES
from lexalign.runs.record import is_run, language_name, read_record
from lexalign.spaces import LinearMap, Side, require_one_space
from lexalign.spaces.probes import Probe, ProbeCheck
from lexalign.training import Counts
from lexalign.vectors import Embeddings, Lexicon, read

if TYPE_CHECKING:
    from lexalign.induction import Dictionary
    from lexalign.induction.learned_ranking import LearnedRanking

BASE = ("method", "command", "versions", "citation", "inputs", "lexicons", "base")
NEARLY_ORTHOGONAL = 1e-3


@dataclass(frozen=True, eq=False)
class Run:
    """A folder written by Lexalign, as an object.

    Parameters
    ----------
    path : Path
        The folder.
    record : mapping
        The content of its run.json.
    limit : int or None
        The number of words to read per side, most frequent first; None for all.

    Examples
    --------
    >>> import tempfile, lexalign
    >>> from pathlib import Path
    >>> from lexalign.demo import write_demo_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_demo_run(Path(folder) / "aligned", words=400)
    ...     run = lexalign.Run.open(Path(folder) / "aligned")
    ...     run.method, len(run.source), run.source.dimension
    ('procrustes', 400, 300)
    """

    path: Path
    record: Mapping[str, Any]
    limit: int | None = None

    @classmethod
    def open(cls, path: str | Path, *, limit: int | None = None) -> Run:
        """Open the folder of a run; vectors and maps are read when they are first used.

        Raises
        ------
        InputError
            If no run of this version of Lexalign wrote the folder.
        """
        return cls(Path(path), read_record(Path(path)), limit)

    @property
    def name(self) -> str:
        """The name of the folder."""
        return resolved(self.path).name

    @property
    def method(self) -> str:
        """The method, such as "vecmap" or "refine"."""
        return str(self.record.get("method", "unknown"))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the method."""
        found: Mapping[str, Any] = self.record.get("parameters") or {}
        return found

    @property
    def is_refinement(self) -> bool:
        """Whether the run refined vectors that already shared one space."""
        return self.method == "refine"

    @property
    def language_names(self) -> dict[str, str]:
        """The names of the two languages: the names of the original files."""
        return {side: language_name(self.record, side) for side in SIDES}

    @property
    def files(self) -> tuple[Path, Path]:
        """The files of source and target vectors."""
        paths = [LAYOUT.vectors(self.path, name) for name in SIDES]
        if None in paths:
            missing = SIDES[paths.index(None)]
            listed = ", ".join(f"{missing}{suffix}" for suffix in LAYOUT.suffixes.values())
            raise InputError(
                f"the folder holds none of {listed}",
                path=self.path,
                remedy="name two files of vectors, or the folder of a run over one pair",
            )
        return Path(str(paths[0])), Path(str(paths[1]))

    def require_pair(self) -> Run:
        """Return the run if it has one pair, with undamaged vectors and rotation."""
        _ = self.files, self.rotation
        return self

    @cached_property
    def source(self) -> Embeddings:
        """The words of the source in the shared space."""
        return self._read(0, Progress())

    @cached_property
    def target(self) -> Embeddings:
        """The words of the target in the shared space."""
        return self._read(1, Progress())

    def read_vectors(self, progress: Progress) -> None:
        """Read both sides now, with progress stages."""
        for number, side in enumerate(SIDES):
            self.__dict__[side] = self._read(number, progress)

    def _read(self, number: int, progress: Progress) -> Embeddings:
        with progress.stage(f"reading {SIDES[number]}", unit="words") as stage:
            side = read(self.files[number], limit=self.limit, stage=stage)
        if number:
            require_one_space(self.source, side, self.files)
        return side

    @property
    def map(self) -> LinearMap:
        """The whole map, from the original vectors into the shared space."""
        if "" not in self.maps:
            names = ", ".join(LAYOUT.named(name, LAYOUT.map) for name in self.maps) or "none"
            raise InputError(
                "the run has no single map", path=self.path, remedy=f"load one of these: {names}"
            )
        return self.maps[""]

    @cached_property
    def maps(self) -> dict[str, LinearMap]:
        """All maps by name: "" for a pair, one per language for a run with a pivot.

        Raises
        ------
        InputError
            If a map is missing, or is not the map that the run wrote.
        """
        digests = self.record.get("maps") or {}
        for name, digest in digests.items():
            path, problem = self.path / Path(name).name, "it is missing"
            with suppress(OSError, ValueError):
                if sha256(path) == digest:
                    continue
                problem = "it is not the map that the run wrote"
            raise _damaged(path, problem)
        paths = [self.path / Path(name).name for name in digests]
        return {
            path.name.removesuffix(LAYOUT.map).rstrip("."): LinearMap.load(path) for path in paths
        }

    @cached_property
    def lexicon(self) -> Lexicon:
        """The pairs of the last fit; empty if their file no longer exists."""
        path = self.path / LAYOUT.lexicon
        return Lexicon.read(path) if path.is_file() else Lexicon([])

    @cached_property
    def seeds(self) -> Lexicon | None:
        """The seed lexicon of the alignment, also after a refinement; None if unknown.

        Its words are spelled as in the vectors. It is empty for an alignment without seeds.
        """
        return self._read_seeds("")

    def seeds_between(self, source: Path, target: Path) -> Lexicon | None:
        """The seeds that aligned two vector files of the run; None if unknown."""
        for name in self._seed_counts:
            ends = (name, str(self.parameters.get("pivot"))) if name else SIDES
            one, other = (LAYOUT.vectors(self.path, end) for end in ends)
            if _same(source, one) and _same(target, other):
                return self._read_seeds(name)
            if _same(source, other) and _same(target, one):
                seeds = self._read_seeds(name)
                return None if seeds is None else seeds.swapped()
        return None

    def _read_seeds(self, name: str) -> Lexicon | None:
        path, count = self.path / LAYOUT.named(name, LAYOUT.seeds), self._seed_counts.get(name)
        if count and path.is_file():
            return Lexicon.read(path)
        return Lexicon([]) if count == 0 else None

    @property
    def _seed_counts(self) -> Mapping[str, int]:
        return self.record.get("seeds") or {}

    @cached_property
    def joint(self) -> Embeddings:
        """The vectors of both languages in one vocabulary (joint training)."""
        path = LAYOUT.vectors(self.path, LAYOUT.joint)
        return read(path if path is not None else self.path / LAYOUT.joint)

    @property
    def has_ranking(self) -> bool:
        """Whether the run is an induction with a learned ranking."""
        return (self.path / LAYOUT.ranking).is_dir()

    @property
    def ranked_words(self) -> tuple[int, int]:
        """The numbers of source and target words of the ranking (induction)."""
        from lexalign.induction.ranking_files import ranked_words

        return ranked_words(self.path / LAYOUT.ranking)

    def rankings(
        self, source: Embeddings, target: Embeddings, device: str = "cpu"
    ) -> dict[str, LearnedRanking]:
        """The ranking of each direction, for the vectors of the run (induction)."""
        from lexalign.induction.ranking_files import load_ranking

        return load_ranking(self.path / LAYOUT.ranking, source, target, device)

    @cached_property
    def dictionary(self) -> Dictionary:
        """The translations with their probabilities (induction)."""
        from lexalign.induction import Dictionary

        return Dictionary.read(self.path / LAYOUT.dictionary)

    @property
    def counts(self) -> tuple[Counts, Counts]:
        """The word counts of source and target (joint training)."""
        source, target = (
            Counts.read(self.path / LAYOUT.named(name, LAYOUT.counts)) for name in SIDES
        )
        return source, target

    def weights(self) -> dict[str, np.ndarray]:
        """The weights of a model by name; SafetensorError if they are damaged."""
        from safetensors.numpy import load_file

        return load_file(self.path / LAYOUT.model)

    @cached_property
    def step(self) -> LinearMap | None:
        """The change of the input vectors (refinement)."""
        return LinearMap.load(self.path / LAYOUT.rotation) if self.is_refinement else None

    @cached_property
    def rotation(self) -> np.ndarray | None:
        """The rotation M, (d, d), of the source in a refinement; None for an alignment."""
        if self.step is None:
            return None
        matrix, path = self.step.source.matrix, self.path / LAYOUT.rotation
        if matrix is None or matrix.shape[0] != matrix.shape[1]:
            raise InputError("it holds no rotation", path=path, remedy="refine again")
        double = matrix.astype(np.float64)
        if (error := np.abs(double.T @ double - np.eye(len(matrix))).max()) > NEARLY_ORTHOGONAL:
            raise InputError(
                f"its matrix is not a rotation (max |MᵀM − I| is {error:.2g})",
                path=path,
                remedy="refine again",
            )
        return matrix

    @property
    def changed_nothing(self) -> bool:
        """Whether this refinement left the vectors unchanged."""
        return self.rotation is not None and np.array_equal(
            self.rotation, np.eye(len(self.rotation))
        )

    def side_of(self, file: Path) -> Side | None:
        """How a vector file of the run was mapped into the space; None for other files."""
        name = self._name_of(file)
        if name is None or not self.maps:
            return None
        if name in SIDES and "" in self.maps:
            return self.map.side(name)
        if name in self.maps:
            return self.maps[name].source
        return next(iter(self.maps.values())).target

    def _name_of(self, file: Path) -> str | None:
        """The name of a vector file of the run."""
        pivot = self.parameters.get("pivot")
        names = (*self.maps, str(pivot)) if pivot else SIDES
        return next((one for one in names if _same(file, LAYOUT.vectors(self.path, one))), None)

    def probes_of(self, file: Path) -> ProbeCheck:
        """A check that a vector file still holds the vectors that the run wrote."""
        found = (self.record.get("probes") or {}).get(self._name_of(file)) or []
        try:
            probes = [Probe.from_dict(probe) for probe in found]
        except (TypeError, ValueError) as error:
            raise _damaged(self.path / LAYOUT.record, str(error)) from error
        return ProbeCheck(
            probes,
            "these are not the vectors that the run in this folder wrote",
            "repeat the run, or move the file elsewhere",
        )

    def base_record(self) -> dict[str, Any]:
        """The part of this run's record that a later run keeps."""
        return {name: self.record[name] for name in BASE if name in self.record}

    def fingerprint(self) -> dict[str, list[int]]:
        """The size and time of every file, to detect changes."""
        found = {}
        others = (LAYOUT.record, LAYOUT.map, LAYOUT.rotation, LAYOUT.lexicon)
        for path in (*self.files, *(self.path / name for name in others)):
            for file in sorted(path.iterdir()) if path.is_dir() else [path]:
                if file.is_file():
                    status = file.stat()
                    name = file.relative_to(self.path).as_posix()
                    found[name] = [status.st_size, status.st_mtime_ns]
        return found


def run_behind(file: Path) -> Run | None:
    """The run that wrote a file of vectors, if the file is in the folder of a run."""
    if not is_run(file.parent):
        return None
    try:
        run = Run.open(file.parent)
    except InputError:
        if any(file.parent.glob(f"*{LAYOUT.map}")):
            raise
        return None  # another program may call a file run.json
    return run if run.side_of(file) is not None else None


def _damaged(path: Path, problem: str) -> InputError:
    return InputError(problem, path=path, remedy="repeat the run")


def _same(one: Path, other: Path | None) -> bool:
    return other is not None and resolved(one) == resolved(other)
