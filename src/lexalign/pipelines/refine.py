"""Refinement from files to files, in memory bounded by the words it learns from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.atomic import require_absent
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.progress import Progress
from lexalign.refinement.refiner import CITATION, Refined, Refiner
from lexalign.refinement.stopping import Decision
from lexalign.runs import RECORD, Input, Run, base_of, output_suffix
from lexalign.spaces import LinearMap, Normalisation, Side, normalise, require_one_space
from lexalign.vectors import Embeddings, Policy, read


def refine_files(
    source: Path,
    target: Path,
    output: Path,
    refiner: Refiner,
    *,
    limit: int = 200_000,
    policy: Policy | None = None,
    output_format: str = "vec",
    seed: int = 0,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Refine the pair of files ``source`` and ``target`` into the folder ``output``.

    The rotation is learned from the ``limit`` most frequent words of each file and applied to all
    of both. Returns what the closing table shows. Refinement draws no random numbers; ``seed`` is
    recorded so that a run is described by the same fields as that of any aligner.
    """
    progress, policy = progress or Progress(), policy or Policy()
    suffix = output_suffix(output_format)
    require_absent(output, RECORD, overwrite=overwrite)
    sides = tuple[tuple[Embeddings, Normalisation], ...](
        _read(name, path, limit, policy, refiner, progress)
        for name, path in (("source", source), ("target", target))
    )
    (source_words, source_steps), (target_words, target_steps) = sides
    require_one_space(source_words, target_words, (source, target))
    refined = refiner.learn(source_words, target_words, progress)
    parameters = {**refiner.parameters, "limit": limit}
    learned = LinearMap(
        Side(source_steps, refined.rotation),
        Side(target_steps),
        provenance={"method": "refine", "parameters": parameters},
    )
    run = Run(
        inputs=tuple(
            Input(name, path, learned.side(name), words.language, words.normalisation)
            for name, path, words in (
                ("source", source, source_words),
                ("target", target, target_words),
            )
        ),
        maps={"": learned},
        lexicons={"": refined.lexicon},
        record={
            "method": "refine",
            "parameters": parameters,
            "seed": seed,
            "history": refined.history,
            "citation": CITATION,
            **base_of(source, target),
        },
        policy=policy,
    )
    run.write(output, suffix=suffix, overwrite=overwrite, progress=progress)
    return _summary(output, refined, progress)


def _read(
    name: str, path: Path, limit: int, policy: Policy, refiner: Refiner, progress: Progress
) -> tuple[Embeddings, Normalisation]:
    """One side, normalised; the raw matrix is let go before the other side is read."""
    with progress.stage(f"reading {name}"):
        return normalise(read(path, limit=limit, policy=policy), refiner.normalise)


def _summary(output: Path, refined: Refined, progress: Progress) -> dict[str, Any]:
    """The figures of the closing table, those of the last round that moved anything."""
    end = refined.history[-1]
    last = refined.history[-2] if end["outcome"] == Decision.KEPT.name.lower() else end
    return {
        "output": str(output),
        "rounds": last["round"],
        "pairs": last["pairs"],
        "l1_before": refined.l1_before,
        "l1_after": refined.l1_after,
        "orthogonality_error": orthogonality_error(refined.rotation.astype(np.float32)),
        "stopping": _stopping(refined.history[: last["round"]]),
        "outcome": end["outcome"],
        "message": end["message"],
        "warning": refined.warning,
        "seconds": progress.seconds,
    }


def _stopping(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the stopping point of each round and its held-out figures; None without a path.

    If the input was kept, ``z`` is the highest z-score of the points of the path.
    """
    if "path" not in rounds[0]:
        return None
    held_out = {
        name: rounds[0][name] for name in ("fitted_words", "held_out_words", "spelled_alike")
    }
    taken = [entry["path"][entry["chosen"]] for entry in rounds]
    highest = max(point["z"] for point in rounds[0]["path"][1:] or rounds[0]["path"])
    return {
        "shares": [point["share"] for point in taken],
        **held_out,
        "accuracy_before": rounds[0]["path"][0]["accuracy"],
        "accuracy_after": taken[-1]["accuracy"],
        "z": taken[-1]["z"] if rounds[0]["chosen"] else highest,
    }
