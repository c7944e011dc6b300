"""Export the words of a run as files of the TensorFlow Embedding Projector.

The projector (projector.tensorflow.org, or a tab of TensorBoard) reads two tables with tabs: the
vectors, and a row of facts for each vector.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.atomic import Claim, FolderKind, atomic_folder, claim_folder
from lexalign.errors import LexalignError
from lexalign.progress import Progress
from lexalign.runs import Run
from lexalign.spaces.linear_map import SIDES
from lexalign.vectors import Embeddings

PROJECTOR_WORDS = 5_000
"""Number of words per language: t-SNE of the projector samples 10,000 points at most."""

COLUMNS = ("word", "language", "rank")
_BREAKS = re.compile(r"[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


@dataclass(frozen=True)
class ProjectorLayout:
    """The file names of an export."""

    vectors: str = "vectors.tsv"
    metadata: str = "metadata.tsv"
    config: str = "projector_config.json"

    @property
    def names(self) -> set[str]:
        """All of them."""
        return {self.vectors, self.metadata, self.config}


LAYOUT = ProjectorLayout()
KIND = FolderKind(LAYOUT.config, lambda folder: LAYOUT.names)


@dataclass(frozen=True)
class ProjectorExport:
    """A finished export.

    Parameters
    ----------
    folder : Path
        The folder of the files.
    words : mapping
        The number of words of each language.
    dimension : int
        The dimension of the vectors.
    changed : int
        Number of words whose tabs or line ends became blanks.
    """

    folder: Path
    words: Mapping[str, int]
    dimension: int
    changed: int

    def as_dict(self) -> dict[str, Any]:
        """The export as JSON."""
        return {
            "output": str(self.folder),
            "words": dict(self.words),
            "dimension": self.dimension,
            "changed_words": self.changed,
        }


def export_projector(
    folder: Path,
    output: Path,
    *,
    words: int = PROJECTOR_WORDS,
    names: tuple[str, str] | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> ProjectorExport:
    """Write the most frequent words of a run for the Embedding Projector.

    Parameters
    ----------
    folder : Path
        The run.
    output : Path
        A folder to write: vectors.tsv, metadata.tsv (word, language, rank) and
        projector_config.json, which TensorBoard reads.
    words : int
        The number of most frequent words per language.
    names : pair of str, optional
        Names of the languages; by default, the names of the aligned files.
    overwrite : bool
        Whether to replace an earlier export.
    progress : Progress, optional
        Receives the stages of the work.

    Raises
    ------
    OutputError
        If ``output`` exists; with ``overwrite``, only if no export wrote it.
    InputError
        If ``folder`` is not a run over one pair.
    """
    if words < 1:
        raise LexalignError(f"The `words` must be at least 1. Got {words} instead.")
    claim = claim_folder(output, KIND, overwrite=overwrite)
    progress = progress or Progress()
    run = Run.open(folder, limit=words).require_pair()
    called = dict(zip(SIDES, names, strict=True)) if names else run.language_names
    run.read_vectors(progress)
    sides = {"source": run.source, "target": run.target}
    with progress.stage("writing"):
        changed = _write(claim, sides, called)
    counts = {side: len(embeddings) for side, embeddings in sides.items()}
    return ProjectorExport(output, counts, run.source.dimension, changed)


def _write(claim: Claim, sides: Mapping[str, Embeddings], names: Mapping[str, str]) -> int:
    """Write all files; return the number of changed words."""
    import polars

    changed, rows = 0, ["\t".join(COLUMNS)]
    for side, embeddings in sides.items():
        language = _BREAKS.sub(" ", names[side])
        for rank, word in enumerate(embeddings.words, start=1):
            text = _BREAKS.sub(" ", word)
            changed += text != word
            rows.append(f"{text}\t{language}\t{rank}")
    matrix = np.concatenate([embeddings.matrix for embeddings in sides.values()])
    with atomic_folder(claim, KIND) as new:
        table = polars.DataFrame(matrix)
        table.write_csv(new / LAYOUT.vectors, separator="\t", include_header=False)
        text = "\n".join(rows) + "\n"
        (new / LAYOUT.metadata).write_text(text, encoding="utf-8", newline="")
        config = json.dumps(_config(matrix.shape), indent=1)
        (new / LAYOUT.config).write_text(f"{config}\n", encoding="utf-8")
    return changed


def _config(shape: tuple[int, ...]) -> dict[str, Any]:
    """The configuration for TensorBoard; the tensor name also marks the folder as an export."""
    tensor = {
        "tensorName": "lexalign",
        "tensorShape": list(shape),
        "tensorPath": LAYOUT.vectors,
        "metadataPath": LAYOUT.metadata,
    }
    return {"embeddings": [tensor]}
