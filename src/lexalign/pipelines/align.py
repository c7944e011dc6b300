"""Alignment from files to files: learn from the frequent words, map all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lexalign.aligners.aligner import Aligner, Found, NormalisedSpace
from lexalign.aligners.pairs import SEEDS, seed_lexicon
from lexalign.aligners.pivot import require_pivot, require_untouched_pivot
from lexalign.aligners.retries import Retries
from lexalign.atomic import require_absent, sha256
from lexalign.errors import about
from lexalign.progress import Progress
from lexalign.runs import RECORD, Input, Run, output_suffix
from lexalign.spaces import Side, normalise
from lexalign.vectors import Lexicon, Policy, read


@dataclass(frozen=True)
class FileAlignment:
    """How files are read, aligned and written: what a single pair and a pivot have in common."""

    aligner: Aligner
    limit: int = 200_000
    policy: Policy = field(default_factory=Policy)
    output_format: str = "vec"
    overwrite: bool = False
    persistence: Retries = field(default_factory=Retries)
    progress: Progress = field(default_factory=Progress)

    def align(
        self, source: Path, target: Path, lexicon: str | None, output: Path
    ) -> dict[str, Any]:
        """Align the files ``source`` and ``target`` into the folder ``output``.

        ``lexicon`` is a file of seeds, "identical" or "numerals", or None for a method that needs
        none. The map is learned from the ``limit`` most frequent words of each file and applied to
        all of both. Returns what the closing table shows.
        """
        suffix = self._require(output, given=lexicon is not None)
        given = self._read_lexicon(lexicon)
        one, other = self._read("source", source), self._read("target", target)
        found, summary = self._find(one, other, (source, target), lexicon, given)
        run = Run(
            inputs=(
                _input("source", source, one, found.map.source),
                _input("target", target, other, found.map.target),
            ),
            maps={"": found.map},
            lexicons={"": found.lexicon},
            record={
                **self._record(lexicon=lexicon),
                **_digests({"": lexicon}),
                "citation": found.citation,
                "history": found.history,
                **health_of(found),
            },
            policy=self.policy,
        )
        del one, other
        run.write(output, suffix=suffix, overwrite=self.overwrite, progress=self.progress)
        return {**self._summary(output), **summary, "seconds": self.progress.seconds}

    def align_to_pivot(
        self,
        files: Mapping[str, Path],
        pivot: str,
        lexicons: Mapping[str, str | None],
        output: Path,
        *,
        pivot_first: bool = False,
    ) -> dict[str, Any]:
        """Bring the files of several languages, by name, into the space of the one named ``pivot``.

        Each of the others is aligned to it by its own lexicon, whose pairs list the word of the
        language and then that of the pivot, or the other way round with ``pivot_first``. Any two of
        the written files can be compared.
        """
        require_pivot(self.aligner, files, pivot)
        others = {name: path for name, path in files.items() if name != pivot}
        suffix = self._require(output, given=all(lexicons[name] is not None for name in others))
        given = {name: self._read_lexicon(lexicons[name], swap=pivot_first) for name in others}
        target = self._read(pivot, files[pivot])
        inputs, maps, found_lexicons, summaries = [], {}, {}, {}
        for name, path in others.items():
            source = self._read(name, path)
            found, summaries[name] = self._find(
                source, target, (path, files[pivot]), lexicons[name], given[name]
            )
            require_untouched_pivot(found, name)
            inputs.append(_input(name, path, source, found.map.source))
            maps[name], found_lexicons[name] = found.map, found.lexicon
        inputs.append(_input(pivot, files[pivot], target, found.map.target))
        run = Run(
            inputs=tuple(inputs),
            maps=maps,
            lexicons=found_lexicons,
            record={
                **self._record(lexicon=dict(lexicons), pivot=pivot),
                **_digests(lexicons),
                "history": {name: figures["history"] for name, figures in summaries.items()},
                "health": {name: figures["health"] for name, figures in summaries.items()},
            },
            policy=self.policy,
        )
        del source, target
        run.write(output, suffix=suffix, overwrite=self.overwrite, progress=self.progress)
        return {
            **self._summary(output),
            "pivot": pivot,
            "languages": summaries,
            "seconds": self.progress.seconds,
        }

    def _require(self, output: Path, *, given: bool) -> str:
        """Refuse before long work what cannot be done after it; the suffix of the output."""
        suffix = output_suffix(self.output_format)
        require_absent(output, RECORD, overwrite=self.overwrite)
        self.aligner.require_supervision(given=given)
        self.aligner.require_packages()
        self.persistence.require_sense(self.aligner)
        return suffix

    def _read_lexicon(self, lexicon: str | None, *, swap: bool = False) -> Lexicon | None:
        if lexicon is None or lexicon in SEEDS:
            return None
        read_lexicon = Lexicon.read(lexicon, lowercase=self.policy.lowercase)
        return read_lexicon.swapped() if swap else read_lexicon

    def _read(self, name: str, path: Path) -> NormalisedSpace:
        """One language, normalised; the raw matrix is let go before the next one is read."""
        with self.progress.stage(f"reading {name}"):
            words = read(path, limit=self.limit, policy=self.policy)
            return NormalisedSpace(*normalise(words, self.aligner.normalise))

    def _find(
        self,
        source: NormalisedSpace,
        target: NormalisedSpace,
        files: tuple[Path, Path],
        lexicon: str | None,
        given: Lexicon | None,
    ) -> tuple[Found, dict[str, Any]]:
        """The map of one pair, and its figures for the closing table."""
        self.aligner.require_dimensions(source.words, target.words, files)
        seeds = given
        if lexicon in SEEDS:
            seeds = seed_lexicon(lexicon, source.words, target.words)
        with about(lexicon):
            found = self.persistence.find(self.aligner, source, target, seeds, self.progress)
        known = None if seeds is None else len(seeds.indices(source.words, target.words))
        return found, {
            "seeds": None if seeds is None else len(seeds),
            "known_seeds": known,
            "pairs": len(found.lexicon),
            "history": list(found.history),
            **health_of(found),
        }

    def _record(self, **more: Any) -> dict[str, Any]:
        return {
            "method": self.aligner.name,
            "parameters": {**self.aligner.parameters, "limit": self.limit, **more},
            "seed": self.aligner.seed,
            "citation": self.aligner.citation,
        }

    def _summary(self, output: Path) -> dict[str, Any]:
        return {"output": str(output), "method": self.aligner.name}


def _digests(lexicons: Mapping[str, str | None]) -> dict[str, dict[str, str]]:
    """The hashes of the lexicons that are files, for the record."""
    named = {lexicon for lexicon in lexicons.values() if lexicon and lexicon not in SEEDS}
    # A pipe, such as the shell's <(…), can be read only once.
    files = sorted(name for name in named if Path(name).is_file())
    return {"lexicons": {name: sha256(Path(name)) for name in files}}


def health_of(found: Found) -> dict[str, Any]:
    """How the alignment looks, and the other attempts if there were any."""
    health = None if found.health is None else found.health.as_dict()
    return {"health": health} | ({"attempts": found.attempts} if len(found.attempts) > 1 else {})


def _input(name: str, path: Path, language: NormalisedSpace, side: Side) -> Input:
    return Input(name, path, side, language.words.language, language.words.normalisation)
