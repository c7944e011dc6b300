"""The file names of a run folder, and the version of its format.

    source.vec, target.vec   the mapped vectors; of a run with a pivot NAME.vec for every language
    map.safetensors          the whole map, from the original vectors into the space
    NAME.map.safetensors     of several: one a language, or that of the words two languages share
    rotation.safetensors     of a refinement: that step alone, from the vectors that were refined
    dictionary.tsv           of an induction: translations with probabilities
    ranking                  of an induction: the folder of the learned ranking
    review.tsv               what a reader of an induced dictionary has called right and wrong
    lexicon.tsv              the pairs that the map was last fitted on; NAME.lexicon.tsv of several
    seeds.tsv                the seed lexicon of the alignment, if any; NAME.seeds.tsv of several
    run.json                 how it came about

A jointly trained run also has joint.vec and the counts of both languages, an evaluation its
scores.json, a model of natural language inference its model.safetensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lexalign.errors import LexalignError
from lexalign.vectors.formats import OUTPUT_SUFFIXES

SIDES = ("source", "target")


@dataclass(frozen=True)
class RunLayout:
    """The file names of a run."""

    record: str = "run.json"
    map: str = "map.safetensors"
    rotation: str = "rotation.safetensors"
    lexicon: str = "lexicon.tsv"
    seeds: str = "seeds.tsv"
    dictionary: str = "dictionary.tsv"
    ranking: str = "ranking"
    review: str = "review.tsv"
    counts: str = "counts.tsv"
    joint: str = "joint"
    shared: str = "shared"
    scores: str = "scores.json"
    model: str = "model.safetensors"
    cache: str = ".explore"
    format: str = "lexalign-run-2"
    suffixes: Mapping[str, str] = field(default_factory=lambda: OUTPUT_SUFFIXES)

    def suffix(self, output_format: str) -> str:
        """The suffix of vectors in an output format."""
        if output_format not in self.suffixes:
            raise LexalignError(
                f"The `output_format` must be one of {tuple(self.suffixes)}. "
                f"Got {output_format!r} instead."
            )
        return self.suffixes[output_format]

    def named(self, name: str, file: str) -> str:
        """The name of a file that exists once per ``name``; "" means the only one."""
        return f"{name}.{file}" if name else file

    def vectors(self, folder: Path, name: str) -> Path | None:
        """The vectors of a side or language in any format; None if there are none."""
        paths = [folder / f"{name}{suffix}" for suffix in self.suffixes.values()]
        return next((path for path in paths if path.exists()), None)


LAYOUT = RunLayout()
