"""Alignment from files to files: learn from the frequent words, map all of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lexalign.aligners.aligner import Aligner
from lexalign.aligners.seeds import SEEDS, seed_lexicon
from lexalign.errors import about
from lexalign.files import require_absent
from lexalign.progress import Progress
from lexalign.runs import RECORD, Input, Run, output_suffix
from lexalign.vectors import Lexicon, Policy, read


def align_files(
    aligner: Aligner,
    source: Path,
    target: Path,
    lexicon: str | None,
    output: Path,
    *,
    limit: int = 200_000,
    policy: Policy | None = None,
    output_format: str = "vec",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Align the files ``source`` and ``target`` into the folder ``output``.

    ``lexicon`` is a file of seeds, "identical" or "numerals", or None for a method that needs none.
    The map is learned from the ``limit`` most frequent words of each file and applied to all of
    both. Returns what the closing table shows.
    """
    progress, policy = progress or Progress(), policy or Policy()
    suffix = output_suffix(output_format)
    require_absent(output, RECORD, overwrite=overwrite)
    aligner.require_supervision(given=lexicon is not None)
    seeds = None
    if lexicon is not None and lexicon not in SEEDS:
        seeds = Lexicon.read(lexicon, lowercase=policy.lowercase)
    with progress.stage("reading source"):
        source_words = read(source, limit=limit, policy=policy)
    with progress.stage("reading target"):
        target_words = read(target, limit=limit, policy=policy)
    aligner.require_dimensions(source_words, target_words, (source, target))
    if lexicon in SEEDS:
        seeds = seed_lexicon(lexicon, source_words, target_words)
    with about(lexicon):
        found = aligner.find(source_words, target_words, seeds, progress)
    known = None if seeds is None else len(seeds.indices(source_words, target_words))
    parameters = {**found.map.provenance["parameters"], "limit": limit, "lexicon": lexicon}
    run = Run(
        source=Input(source, source_words.language, found.map.source.steps_after(source_words)),
        target=Input(target, target_words.language, found.map.target.steps_after(target_words)),
        map=found.map,
        lexicon=found.lexicon,
        record={
            "format": "lexalign-run-1",
            "method": aligner.name,
            "parameters": parameters,
            "seed": aligner.seed,
            "history": found.history,
            "citation": aligner.citation,
        },
        policy=policy,
    )
    del source_words, target_words
    run.write(output, suffix=suffix, overwrite=overwrite, progress=progress)
    return {
        "output": str(output),
        "method": aligner.name,
        "seeds": None if seeds is None else len(seeds),
        "known_seeds": known,
        "pairs": len(found.lexicon),
        "history": list(found.history),
        "seconds": progress.seconds,
    }
