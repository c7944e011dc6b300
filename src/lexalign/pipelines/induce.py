"""Induce a dictionary from files into the folder of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import attrs

from lexalign.aligners.pairs import SEEDS
from lexalign.errors import about
from lexalign.induction import Dictionary, InducedTranslation, Inducer
from lexalign.induction.exports import EXPORTS, export
from lexalign.induction.methods import GIVEN
from lexalign.pipelines.whole_maps import base_of, whole_maps
from lexalign.progress import Progress
from lexalign.runs import (
    LAYOUT,
    AlignedPair,
    RunInput,
    claim_run,
    new_run,
    run_behind,
)
from lexalign.spaces import require_one_space
from lexalign.vectors import FREQUENT_WORDS, Embeddings, Lexicon, Policy, read

EXAMPLES = 10


@dataclass(frozen=True, kw_only=True)
class FileInduction:
    """How a dictionary is induced from files, and what is written.

    ``vocabulary`` is the number of words per file that are translated or are candidates.
    ``max_rank`` is the number of source words in the dictionary, by default all.
    """

    inducer: Inducer
    vocabulary: int = FREQUENT_WORDS
    max_rank: int | None = None
    top: int = 5
    min_probability: float = 0.0
    exports: tuple[str, ...] = ()
    policy: Policy = field(default_factory=Policy)
    output_format: str = "vec"
    overwrite: bool = False
    progress: Progress = field(default_factory=Progress)

    def induce(
        self, source: Path, target: Path, lexicon: str | None, output: Path
    ) -> dict[str, Any]:
        """Induce a dictionary from two files of vectors; return the summary.

        ``lexicon`` is a file of seeds, "identical" or "numerals" for identical words, or None for
        the best of these and no seeds. If a run wrote the files and the method is "given", None
        means its recorded seeds.
        """
        suffix = LAYOUT.suffix(self.output_format)
        claim = claim_run(output, (source, target, lexicon), overwrite=self.overwrite)
        behind = run_behind(source), run_behind(target)
        fitted_to = AlignedPair(source, target).seeds()
        seeds = self._seeds(lexicon, fitted_to)
        one, other = self._read("source", source), self._read("target", target)
        require_one_space(one, other, (source, target))
        with about(lexicon if isinstance(seeds, Lexicon) else None):
            induced = self.inducer.fit(one, other, seeds, self.progress, fitted_to=fitted_to)
        found = induced.dictionary(top=self.top, max_rank=self.max_rank)
        kept = found.at_least(self.min_probability) if self.min_probability else found
        with new_run(claim, progress=self.progress) as run:
            sides = induced.alignment.map.source, induced.alignment.map.target
            inputs = {
                name: run.map_vectors(
                    RunInput(name, path, side, words.language, words.normalisation),
                    suffix,
                    self.policy,
                )
                for name, path, side, words in zip(
                    ("source", "target"), (source, target), sides, (one, other), strict=True
                )
            }
            for name, whole in whole_maps((source, target), behind, induced.alignment.map).items():
                run.map(whole, name)
            run.lexicon(induced.lexicon)
            run.seeds(induced.seed_lexicon)
            run.dictionary(kept)
            run.ranking(induced)
            for format in self.exports:
                export(kept, run.folder / f"dictionary{EXPORTS[format]}", format)
            run.record(
                {
                    "method": "induce",
                    "parameters": self._parameters(lexicon),
                    "seed": self.inducer.seed,
                    "citation": induced.alignment.citation,
                    "history": induced.alignment.history,
                    **induced.alignment.health_record(),
                    "induction": {**induced.record, **_counts(kept)},
                    **base_of(behind),
                    "inputs": inputs,
                    "policy": attrs.asdict(self.policy),
                }
            )
        return self._summary(output, induced, kept)

    def _seeds(self, lexicon: str | None, fitted_to: Lexicon | None) -> Lexicon | str | None:
        """The seeds of a file or of a run, or the kind of words that replaces seeds."""
        if lexicon is None and self.inducer.method == GIVEN:
            return fitted_to if fitted_to else None
        if lexicon is None or lexicon in SEEDS:
            return lexicon
        return Lexicon.read(lexicon, lowercase=self.policy.lowercase)

    def _read(self, name: str, path: Path) -> Embeddings:
        with self.progress.stage(f"reading {name}", unit="words") as stage:
            return read(path, limit=self.vocabulary, policy=self.policy, stage=stage)

    def _parameters(self, lexicon: str | None) -> dict[str, Any]:
        return {
            **attrs.asdict(self.inducer),
            "lexicon": lexicon,
            "vocabulary": self.vocabulary,
            "max_rank": self.max_rank,
            "top": self.top,
            "min_probability": self.min_probability,
        }

    def _summary(
        self, output: Path, induced: InducedTranslation, found: Dictionary
    ) -> dict[str, Any]:
        return {
            "output": str(output),
            **induced.record,
            **_counts(found),
            "examples": _examples(found),
            "seconds": self.progress.seconds,
        }


def _counts(found: Dictionary) -> dict[str, Any]:
    first = found.top(1)
    return {
        "words": len(first),
        "translations": len(found),
        "expected_precision": found.expected_precision,
        "sure_words": int((first.probability >= 0.8).sum()),
    }


def _examples(found: Dictionary) -> list[dict[str, Any]]:
    """Some words with their first translation: from the more frequent half, at equal steps of rank.

    The most frequent words are left out, because function words have no good translation.
    """
    first = found.top(1)
    steps = range(1, 2 * EXAMPLES, 2) if first else ()
    rows = [len(first) * step // (4 * EXAMPLES) for step in steps]
    return [
        {
            "source": first.source[row],
            "target": first.target[row],
            "probability": float(first.probability[row]),
        }
        for row in rows
    ]
