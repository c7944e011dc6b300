"""Refine files into the folder of a run; memory depends on the learned words, not the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from lexalign.errors import about
from lexalign.pipelines.whole_maps import base_of, whole_maps
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.progress import Progress
from lexalign.refinement import CITATION, Refiner
from lexalign.refinement.round_record import l1_misfit
from lexalign.refinement.stopping import Decision
from lexalign.runs import (
    LAYOUT,
    SIDES,
    AlignedPair,
    Run,
    RunInput,
    claim_run,
    new_run,
    run_behind,
)
from lexalign.spaces import NormalisedSpace, normalise, require_one_space
from lexalign.vectors import FREQUENT_WORDS, Lexicon, Policy, read


def refine_files(
    source: Path,
    target: Path,
    output: Path,
    refiner: Refiner,
    *,
    limit: int = FREQUENT_WORDS,
    policy: Policy | None = None,
    output_format: str = "vec",
    seed: int = 0,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Refine the pair of files ``source`` and ``target`` into the folder ``output``.

    The rotation is learned from the ``limit`` most frequent words of each file and applied to all
    words. If a run wrote the files, the written map starts from its original vectors. Refinement
    uses no random numbers; ``seed`` is recorded so that all runs have the same fields. Returns the
    summary for the closing table.
    """
    progress, policy = progress or Progress(), policy or Policy()
    suffix = LAYOUT.suffix(output_format)
    claim = claim_run(output, (source, target), overwrite=overwrite)
    behind = run_behind(source), run_behind(target)
    one, other = (
        _read(name, path, run, limit, policy, refiner, progress)
        for name, path, run in zip(SIDES, (source, target), behind, strict=True)
    )
    require_one_space(one.words, other.words, (source, target))
    refined = refiner.fit_normalised(one, other, progress)
    step, parameters = refined.map, {**refiner.parameters, "limit": limit}
    with new_run(claim, progress=progress) as run:
        inputs = {
            name: run.map_vectors(
                RunInput(
                    name, path, step.side(name), space.words.language, space.words.normalisation
                ),
                suffix,
                policy,
            )
            for name, path, space in (("source", source, one), ("target", target, other))
        }
        for name, whole in whole_maps((source, target), behind, step).items():
            run.map(whole, name)
        run.rotation(step)
        run.lexicon(refined.lexicon)
        if (seeds := AlignedPair(source, target).seeds()) is not None:
            run.seeds(seeds)
        run.record(
            {
                "method": "refine",
                "parameters": parameters,
                "seed": seed,
                "history": refined.history,
                "citation": CITATION,
                **base_of(behind),
                "inputs": inputs,
                "policy": attrs.asdict(policy),
            }
        )
    rotation = step.source.matrix
    assert rotation is not None
    return {
        "output": str(output),
        **_figures(refined.history),
        **_misfits(one, other, rotation, refined.lexicon),
        "orthogonality_error": orthogonality_error(rotation.astype(np.float32)),
        "warning": refined.warning,
        "seconds": progress.seconds,
    }


def _read(
    name: str,
    path: Path,
    run: Run | None,
    limit: int,
    policy: Policy,
    refiner: Refiner,
    progress: Progress,
) -> NormalisedSpace:
    """Read and normalise one side; release its raw matrix before the other side is read."""
    with progress.stage(f"reading {name}", unit="words") as stage:
        words = read(path, limit=limit, policy=policy, stage=stage)
        if run is not None:
            with about(path):
                check = run.probes_of(path)
                check.look(words.words, words.matrix)
                check.require_fit()
        return normalise(words, refiner.normalise)


def _misfits(
    source: NormalisedSpace, target: NormalisedSpace, rotation: np.ndarray, lexicon: Lexicon
) -> dict[str, float]:
    """The ℓ1 distance of the last dictionary, without and with the rotation."""
    rows = lexicon.indices(source.words, target.words).pairs
    a, b = source.words.matrix[rows[:, 0]], target.words.matrix[rows[:, 1]]
    after = l1_misfit(a @ rotation.astype(np.float32), b)
    return {"l1_before": l1_misfit(a, b), "l1_after": after}


def _figures(history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of the last round that changed the rotation."""
    end = history[-1]
    last = history[-2] if end["outcome"] == Decision.KEPT.name.lower() else end
    return {
        "rounds": last["round"],
        "pairs": last["pairs"],
        "stopping": _stopping(history[: last["round"]]),
        "outcome": end["outcome"],
        "message": end["message"],
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
