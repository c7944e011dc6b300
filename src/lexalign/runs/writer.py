"""Write a run: its folder is complete or does not exist."""

from __future__ import annotations

import json
import logging
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lexalign.atomic import Claim, FolderKind, atomic_folder, claim_folder, resolved
from lexalign.digests import digest_of_input, sha256
from lexalign.errors import OutputError
from lexalign.json_text import json_text
from lexalign.progress import Progress
from lexalign.runs.layout import LAYOUT
from lexalign.spaces import LinearMap, Side
from lexalign.spaces.mapping import map_file
from lexalign.spaces.probes import Probe, probes_of
from lexalign.training import Counts
from lexalign.vectors import Block, Embeddings, Lexicon, Policy, detect_format, write

if TYPE_CHECKING:
    from lexalign.induction import Dictionary, InducedTranslation

PACKAGES = (
    "lexalign",
    "numpy",
    "scipy",
    "faiss-cpu",
    "polars",
    "safetensors",
    "lightgbm",
    "torch",
    "gensim",
)

logger = logging.getLogger("lexalign")


@dataclass(frozen=True)
class RunInput:
    """An input file of a run, how it enters the shared space, and its name there."""

    name: str
    path: Path
    side: Side
    language: str | None = None
    normalisation: tuple[str, ...] = ()


class RunWriter:
    """Fills the folder of one run; call ``record`` once."""

    def __init__(self, folder: Path, progress: Progress) -> None:
        self.folder, self.progress = folder, progress
        self._probes, self._maps = dict[str, list[Probe]](), dict[str, str]()
        self._seeds, self._record = dict[str, int](), dict[str, Any]()

    def map_vectors(self, file: RunInput, suffix: str, policy: Policy) -> dict[str, Any]:
        """Map all words of a file as a stream; return the record of the input."""
        probes, words = list[Probe](), {probe.word for probe in file.side.probes}

        def keep_probes(block: Block) -> None:
            found = (row for row, word in enumerate(block.words) if word in words)
            probes.extend(Probe.of(block.words[row], block.matrix[row]) for row in found)

        with self.progress.stage(f"writing {file.name}", unit="words") as stage:
            census = map_file(
                file.path,
                file.side,
                self.folder / f"{file.name}{suffix}",
                policy=policy,
                language=file.language,
                normalisation=file.normalisation,
                force=True,
                on_block=keep_probes,
                stage=stage,
            )
        self._probes[file.name] = probes
        return {
            "path": str(file.path),
            "format": detect_format(file.path),
            "sha256": digest_of_input(file.name, file.path, self.progress),
            **census.as_dict(),
        }

    def vectors(self, embeddings: Embeddings, name: str, suffix: str) -> None:
        """Write vectors from memory."""
        self._probes[name] = list(probes_of(embeddings))
        with self.progress.stage(f"writing {name}", total=len(embeddings), unit="words") as stage:
            write(embeddings, self.folder / f"{name}{suffix}", advance=stage)

    def map(self, map_: LinearMap, name: str = "") -> None:
        """Write the whole map of a pair."""
        path = self.folder / LAYOUT.named(name, LAYOUT.map)
        map_.save(path)
        self._maps[path.name] = sha256(path)

    def rotation(self, step: LinearMap) -> None:
        """Write the change of the input vectors by a refinement."""
        step.save(self.folder / LAYOUT.rotation)

    def lexicon(self, lexicon: Lexicon, name: str = "") -> None:
        """Write the pairs of the last fit."""
        self._pairs(lexicon, LAYOUT.named(name, LAYOUT.lexicon))

    def seeds(self, seeds: Lexicon | None, name: str = "") -> None:
        """Write the seed lexicon of the alignment; nothing if it is None or empty."""
        self._seeds[name] = 0 if seeds is None else len(seeds)
        if seeds is not None and len(seeds):
            self._pairs(seeds, LAYOUT.named(name, LAYOUT.seeds))

    def _pairs(self, lexicon: Lexicon, name: str) -> None:
        """Write the pairs that the format can hold; a word with a tab must not stop a run."""
        path = self.folder / name
        fitting = lexicon.writable()
        fitting.write(path)
        if left_out := len(lexicon) - len(fitting):
            logger.warning(
                "%s leaves out pairs whose words contain tabs, line ends, or blanks at an end: %d",
                path.name,
                left_out,
            )

    def dictionary(self, dictionary: Dictionary) -> None:
        """Write the translations of an induction."""
        dictionary.write(self.folder / LAYOUT.dictionary)

    def ranking(self, induced: InducedTranslation) -> None:
        """Write the learned ranking of an induction."""
        from lexalign.induction.ranking_files import save_ranking

        with self.progress.stage("writing ranking"):
            save_ranking(
                self.folder / LAYOUT.ranking,
                induced.pair,
                induced.model,
                induced.rankings["forward"],
                induced.maps,
            )

    def counts(self, counts: Counts, name: str) -> None:
        """Write the word counts of a side."""
        counts.write(self.folder / LAYOUT.named(name, LAYOUT.counts))

    def scores(self, results: list[dict[str, Any]]) -> None:
        """Write the results of an evaluation, with every query."""
        text = json_text(results)
        (self.folder / LAYOUT.scores).write_text(f"{text}\n", encoding="utf-8")

    def model(self, weights: Mapping[str, np.ndarray]) -> None:
        """Write the weights of a model."""
        from safetensors.numpy import save_file

        save_file(dict(weights), self.folder / LAYOUT.model)

    def record(self, record: Mapping[str, Any]) -> None:
        """Set the record of the run; ``finish`` writes it last."""
        self._record = dict(record)

    def finish(self) -> None:
        """Write the record, with the versions, the times, the command and the files of the run."""
        whole = {
            "format": LAYOUT.format,
            **self._record,
            "files": sorted(
                path.relative_to(self.folder).as_posix()
                for path in self.folder.rglob("*")
                if path.is_file()
            ),
            "maps": self._maps,
            "seeds": self._seeds,
            "probes": {
                name: [vars(probe) for probe in found] for name, found in self._probes.items()
            },
            "versions": _versions(),
            "seconds": self.progress.seconds,
            "command": sys.argv,
        }
        text = json_text(whole, indent=1)
        (self.folder / LAYOUT.record).write_text(f"{text}\n", encoding="utf-8")


@contextmanager
def new_run(claim: Claim, *, progress: Progress | None = None) -> Iterator[RunWriter]:
    """Write into a claimed folder, which gets its name when the block succeeds."""
    with atomic_folder(claim, KIND) as folder:
        writer = RunWriter(folder, progress or Progress())
        yield writer
        writer.finish()


def claim_run(
    output: Path, inputs: Iterable[Path | str | None] = (), *, overwrite: bool = False
) -> Claim:
    """Claim the folder of a run before its work; raise if it cannot be written.

    An input of the run must not be in the folder, because it would be lost. ``inputs`` can hold
    None, and names that are not files.
    """
    claim = claim_folder(output, KIND, overwrite=overwrite)
    folder = resolved(output)
    for path in inputs:
        if path is not None and resolved(Path(path)).is_relative_to(folder):
            raise OutputError(
                f"{path} is an input of this run and would be lost with {output}; choose another "
                "name for the output."
            )
    return claim


def _written(folder: Path) -> set[str] | None:
    """The files that a run wrote, from its record; None if it does not list them."""
    try:
        files = json.loads((folder / LAYOUT.record).read_bytes())["files"]
        return {str(name) for name in files}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


KIND = FolderKind(LAYOUT.record, _written, caches=(LAYOUT.cache,), decisions=LAYOUT.review)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
