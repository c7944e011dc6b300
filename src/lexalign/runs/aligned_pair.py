"""Two files of vectors in one space, given as files or as the folder of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lexalign.atomic import resolved
from lexalign.errors import InputError
from lexalign.progress import Progress
from lexalign.runs.layout import LAYOUT
from lexalign.runs.reader import Run
from lexalign.runs.record import is_run
from lexalign.spaces import require_one_space, unit_length
from lexalign.vectors import FREQUENT_WORDS, Embeddings, Lexicon, Policy, read


@dataclass(frozen=True)
class AlignedPair:
    """Two files of vectors in one space, and the ``folder`` of their run, if any."""

    source: Path
    target: Path
    folder: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths that the user gave for the pair."""
        if self.folder is not None:
            return (self.folder,)
        return (self.source,) if self.source == self.target else (self.source, self.target)

    def read(
        self,
        policy: Policy,
        *,
        limit: int = FREQUENT_WORDS,
        unit: bool = True,
        progress: Progress | None = None,
    ) -> tuple[Embeddings, Embeddings]:
        """Read the most frequent words of both sides; ``unit`` scales them to unit length."""
        progress, sides = progress or Progress(), list[Embeddings]()
        for name, path in (("source", self.source), ("target", self.target)):
            if sides and path == self.source:
                sides *= 2
                continue
            with progress.stage(f"reading {name}", unit="words") as stage:
                side = read(path, limit=limit, policy=policy, stage=stage)
                sides.append(unit_length(side) if unit else side)
        source, target = sides
        require_one_space(source, target, (self.source, self.target))
        return source, target

    def seeds(self) -> Lexicon | None:
        """The seeds of the run that wrote both files; None if unknown."""
        folder = self.source.parent
        if not is_run(folder) or resolved(self.target.parent) != resolved(folder):
            return None
        try:
            run = Run.open(folder)
        except InputError:  # another program may call a file run.json
            return None
        return run.seeds_between(self.source, self.target)


def aligned_pairs(paths: Sequence[Path], *, monolingual: bool = False) -> list[AlignedPair]:
    """The pairs in a list of paths: one folder of a run, or two files each.

    With ``monolingual``, a single file is paired with itself.
    """
    pairs, rest = [], list(paths)
    while rest:
        first = rest.pop(0)
        if is_run(first):
            pairs.append(AlignedPair(*Run.open(first).files, folder=first))
            continue
        if not rest and monolingual:
            rest.append(first)
        if not rest:
            raise _without_partner(first)
        pairs.append(AlignedPair(first, rest.pop(0)))
    return pairs


def _without_partner(path: Path) -> InputError:
    problem = "there is no such file or folder"
    if path.is_dir():
        problem = f"the folder holds no {LAYOUT.record} of a run over one pair"
    elif path.exists():
        problem = "it needs a second file"
    remedy = "name a source and a target, or a folder written by Lexalign"
    return InputError(problem, path=path, remedy=remedy)
