"""Train vectors on files of text, and write them to a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lexalign.atomic import claim_file, write_all
from lexalign.progress import Progress
from lexalign.training import Trainer, train
from lexalign.training.inspection import Inspection, Report
from lexalign.vectors.stream import claim_vectors, write_embeddings


def train_files(
    paths: Sequence[Path],
    output: str,
    trainer: Trainer,
    *,
    rule: str = "words",
    keep_case: bool = False,
    language: str = "auto",
    counts_file: Path | None = None,
    checkpoints: str = "",
    overwrite: bool = False,
    report: Report | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train on the text of all ``paths`` and write the vectors to ``output``, in its format.

    ``report`` is called before training. Returns the summary for the closing table.
    """
    progress = progress or Progress()
    claim = claim_vectors(output, overwrite=overwrite)
    counts_claim = None if counts_file is None else claim_file(counts_file, overwrite=overwrite)
    inspected = dict[str, Any]()

    def keep(inspection: Inspection) -> None:
        inspected["text"] = inspection.as_dict()
        if report is not None:
            report(inspection)

    embeddings, counts = train(
        paths,
        trainer,
        rule=rule,
        keep_case=keep_case,
        language=language,
        checkpoints=checkpoints,
        report=keep,
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
        **inspected,
        "seconds": progress.seconds,
    }
