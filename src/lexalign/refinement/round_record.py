"""One round of a refinement, and its entry in the record of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.procrustes import Outcome
from lexalign.procrustes.loop import SolverState
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.progress import Stage
from lexalign.refinement.stopping import Decision


@dataclass(frozen=True)
class RefinementRound:
    """The rotation of a round, why it stopped, and its steps or points, in JSON types."""

    rotation: np.ndarray
    outcome: Outcome | Decision
    record: Mapping[str, Any]


def l1_misfit(a: np.ndarray, b: np.ndarray) -> float:
    """Σ |aᵢⱼ − bᵢⱼ|: the distance of the pairs of rows a and b."""
    return float(np.abs(a - b).sum(dtype=np.float64))


def round_entry(
    number: int, a: np.ndarray, b: np.ndarray, turn: RefinementRound, seconds: Mapping[str, float]
) -> dict[str, Any]:
    """The record of a round, in JSON types: its start, its result, and its steps."""
    rotated = a @ turn.rotation.astype(np.float32)
    return {
        "round": number,
        "pairs": len(a),
        "l1_before": l1_misfit(a, b),
        "l1_after": l1_misfit(rotated, b),
        "orthogonality_error": orthogonality_error(turn.rotation.astype(np.float32)),
        "outcome": turn.outcome.name.lower(),
        "message": turn.outcome.value,
        "seconds": dict(seconds),
        **turn.record,
    }


def expect_steps(stage: Stage, horizon: float, state: SolverState) -> None:
    """Estimate the number of steps up to the horizon; unknown for a descent to the minimum."""
    time_so_far = getattr(state, "time", 0.0)
    if time_so_far > 0:
        stage.expect(math.ceil(stage.done * horizon / time_so_far), "about")


def unsettled(history: Sequence[Mapping[str, Any]], solver: str | None) -> str | None:
    """Name the rounds in which the loss did not converge."""
    rounds = [entry["round"] for entry in history if entry["outcome"] == "step_limit"]
    if not rounds:
        return None
    other = 'use `solver="flow"`, or ' if solver == "minimum" else ""
    return (
        f"The loss did not converge in these rounds: {', '.join(map(str, rounds))}; "
        f"{other}compare with the input on a test dictionary."
    )
