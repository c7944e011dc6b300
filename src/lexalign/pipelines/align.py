"""Align files into the folder of a run: learn from the frequent words, map all words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import attrs

from lexalign.aligners import SEEDS, Aligner, Alignment, seed_lexicon
from lexalign.aligners.pivot import exchanged_remedy, require_pivot, require_untouched_pivot
from lexalign.aligners.retries import Retries
from lexalign.atomic import Claim
from lexalign.digests import sha256
from lexalign.errors import about
from lexalign.progress import Progress
from lexalign.runs import LAYOUT, RunInput, claim_run, new_run
from lexalign.spaces import NormalisedSpace, Side, normalise
from lexalign.vectors import FREQUENT_WORDS, Lexicon, LexiconIndices, Policy, read


@dataclass(frozen=True)
class FileAlignment:
    """The settings that a single pair and a pivot share: reading, aligning and writing."""

    aligner: Aligner
    limit: int = FREQUENT_WORDS
    policy: Policy = field(default_factory=Policy)
    output_format: str = "vec"
    overwrite: bool = False
    retries: Retries = field(default_factory=Retries)
    progress: Progress = field(default_factory=Progress)

    def align(
        self, source: Path, target: Path, lexicon: str | None, output: Path
    ) -> dict[str, Any]:
        """Align the files ``source`` and ``target`` into the folder ``output``.

        ``lexicon`` is a file of seeds, "identical" or "numerals", or None for a method that needs
        none. The map is learned from the ``limit`` most frequent words of each file and applied to
        all words. Returns the summary for the closing table.
        """
        claim = self._claim(output, (source, target, lexicon), given=lexicon is not None)
        given = self._read_lexicon(lexicon)
        one, other = self._read("source", source), self._read("target", target)
        aligned, summary = self._fit(one, other, (source, target), lexicon, given)
        inputs = [
            _input("source", source, one, aligned.map.source),
            _input("target", target, other, aligned.map.target),
        ]
        maps, lexicons, seeds = {"": aligned.map}, {"": aligned.lexicon}, {"": aligned.seeds}
        record = {
            **self._record(lexicon=lexicon),
            **_digests({"": lexicon}),
            "seed_pairs": seed_pairs(summary),
            "citation": aligned.citation,
            "history": aligned.history,
            **aligned.health_record(),
        }
        del one, other, aligned
        self._write(claim, inputs, maps, lexicons, seeds, record)
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
        """Align the files of several languages, by name, to the language ``pivot``.

        Each other language is aligned to the pivot by its own lexicon. A pair lists the word of the
        language, then the word of the pivot; ``pivot_first`` reverses this order. Any two of the
        written files share one space.
        """
        require_pivot(self.aligner, files, pivot)
        others = {name: path for name, path in files.items() if name != pivot}
        given = all(lexicons[name] is not None for name in others)
        claim = self._claim(output, (*files.values(), *lexicons.values()), given=given)
        seed_lexicons = {
            name: self._read_lexicon(lexicons[name], swap=pivot_first) for name in others
        }
        target = self._read(pivot, files[pivot])
        inputs, maps, found_lexicons, seeds, summaries = [], {}, {}, {}, {}
        for name, path in others.items():
            source = self._read(name, path)
            with exchanged_remedy(_other_order(pivot_first=pivot_first)):
                aligned, summaries[name] = self._fit(
                    source, target, (path, files[pivot]), lexicons[name], seed_lexicons[name]
                )
            require_untouched_pivot(aligned, name)
            inputs.append(_input(name, path, source, aligned.map.source))
            maps[name], found_lexicons[name] = aligned.map, aligned.lexicon
            seeds[name] = aligned.seeds
        inputs.append(_input(pivot, files[pivot], target, aligned.map.target))
        record = {
            **self._record(lexicon=dict(lexicons), pivot=pivot),
            **_digests(lexicons),
            "seed_pairs": {name: seed_pairs(figures) for name, figures in summaries.items()},
            "history": {name: figures["history"] for name, figures in summaries.items()},
            "health": {name: figures["health"] for name, figures in summaries.items()},
        }
        del source, target, aligned
        self._write(claim, inputs, maps, found_lexicons, seeds, record)
        return {
            **self._summary(output),
            "pivot": pivot,
            "languages": summaries,
            "seconds": self.progress.seconds,
        }

    def _claim(self, output: Path, inputs: Iterable[Path | str | None], *, given: bool) -> Claim:
        """Claim the output before long work; raise if a later step cannot run."""
        LAYOUT.suffix(self.output_format)
        claim = claim_run(output, inputs, overwrite=self.overwrite)
        self.aligner.require_supervision(given=given)
        self.aligner.require_packages()
        self.retries.require_sense(self.aligner)
        return claim

    def _write(
        self,
        claim: Claim,
        inputs: list[RunInput],
        maps: Mapping[str, Any],
        lexicons: Mapping[str, Lexicon],
        seeds: Mapping[str, Lexicon | None],
        record: Mapping[str, Any],
    ) -> None:
        suffix = LAYOUT.suffix(self.output_format)
        with new_run(claim, progress=self.progress) as run:
            facts = {file.name: run.map_vectors(file, suffix, self.policy) for file in inputs}
            for name, map_ in maps.items():
                run.map(map_, name)
            for name, lexicon in lexicons.items():
                run.lexicon(lexicon, name)
                run.seeds(seeds[name], name)
            run.record({**record, "inputs": facts, "policy": attrs.asdict(self.policy)})

    def _read_lexicon(self, lexicon: str | None, *, swap: bool = False) -> Lexicon | None:
        if lexicon is None or lexicon in SEEDS:
            return None
        read_lexicon = Lexicon.read(lexicon, lowercase=self.policy.lowercase)
        return read_lexicon.swapped() if swap else read_lexicon

    def _read(self, name: str, path: Path) -> NormalisedSpace:
        """Read and normalise one language; release its raw matrix before the next one is read."""
        with self.progress.stage(f"reading {name}", unit="words") as stage:
            words = read(path, limit=self.limit, policy=self.policy, stage=stage)
            return normalise(words, self.aligner.normalise)

    def _fit(
        self,
        source: NormalisedSpace,
        target: NormalisedSpace,
        files: tuple[Path, Path],
        lexicon: str | None,
        given: Lexicon | None,
    ) -> tuple[Alignment, dict[str, Any]]:
        """Align one pair; return its figures for the closing table."""
        self.aligner.require_dimensions(source.words, target.words, files)
        seeds = given
        if lexicon in SEEDS:
            seeds = seed_lexicon(lexicon, source.words, target.words)
        with about(lexicon):
            aligned = self.retries.fit(self.aligner, source, target, seeds, self.progress)
        found = None
        if seeds is not None:
            found = seeds.indices(source.words, target.words, case=self.aligner.case)
        return aligned, {
            **seed_figures(seeds, found),
            "warning": aligned.warning,
            "pairs": len(aligned.lexicon),
            "history": list(aligned.history),
            **aligned.health_record(),
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


def _other_order(*, pivot_first: bool) -> str:
    """What to do about a lexicon that lists the languages in the other order."""
    if pivot_first:
        return "leave out `pivot_first`, as it lists the word of the pivot second"
    return "set `pivot_first=True`, as it lists the word of the pivot first"


def seed_figures(seeds: Lexicon | None, found: LexiconIndices | None) -> dict[str, int | None]:
    """The numbers of seeds, of seeds with vectors, and of those found by ignoring case."""
    return {
        "seeds": None if seeds is None else len(seeds),
        "known_seeds": None if found is None else len(found),
        "folded_seeds": None if found is None else found.folded,
    }


def seed_pairs(summary: Mapping[str, Any]) -> dict[str, int] | None:
    """The seeds of the record."""
    if summary["seeds"] is None:
        return None
    return {
        "given": summary["seeds"],
        "known": summary["known_seeds"],
        "folded": summary["folded_seeds"],
    }


def _digests(lexicons: Mapping[str, str | None]) -> dict[str, dict[str, str]]:
    """The digests of lexicon files, for the record."""
    named = {lexicon for lexicon in lexicons.values() if lexicon and lexicon not in SEEDS}
    # A pipe, such as the shell's <(…), can be read only once.
    files = sorted(name for name in named if Path(name).is_file())
    return {"lexicons": {name: sha256(Path(name)) for name in files}}


def _input(name: str, path: Path, space: NormalisedSpace, side: Side) -> RunInput:
    return RunInput(name, path, side, space.words.language, space.words.normalisation)
