"""Training from files of text to a file of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lexalign.atomic import claim_file, write_all
from lexalign.progress import Progress
from lexalign.training import Trainer, train
from lexalign.vectors.stream import claim_vectors, write_embeddings


def train_files(
    paths: Sequence[Path],
    output: str,
    trainer: Trainer,
    *,
    rule: str = "words",
    keep_case: bool = False,
    counts_file: Path | None = None,
    checkpoints: str = "",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train on the text of all ``paths`` and write the vectors to ``output``, in its format.

    Returns what the closing table shows.
    """
    progress = progress or Progress()
    claim = claim_vectors(output, overwrite=overwrite)
    counts_claim = None if counts_file is None else claim_file(counts_file, overwrite=overwrite)
    embeddings, counts = train(
        paths,
        trainer,
        rule=rule,
        keep_case=keep_case,
        checkpoints=checkpoints,
        progress=progress,
    )
    with progress.stage("writing", total=len(embeddings), unit="words") as stage:
        writers = [partial(write_embeddings, embeddings, output, claim, stage)]
        if counts_file is not None:
            writers.append(partial(counts.write, counts_file, claim=counts_claim))
        write_all(writers)
    return {
        "output": output,
        "tokens": counts.tokens,
        "different_words": len(counts.words),
        "forgotten": counts.forgotten,
        "words": len(embeddings),
        "share_covered": sum(map(counts.words.__getitem__, embeddings.words)) / counts.tokens,
        "seconds": progress.seconds,
    }
