"""One round of a refinement, and what the record of a run says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexalign.procrustes import Outcome
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.refinement.stopping import Decision


@dataclass(frozen=True)
class RefinementRound:
    """The rotation of one round, why it stops there, and its steps or points, ready for JSON."""

    rotation: np.ndarray
    outcome: Outcome | Decision
    record: Mapping[str, Any]


def l1_misfit(a: np.ndarray, b: np.ndarray) -> float:
    """Σ |aᵢⱼ − bᵢⱼ|: what the pairs of rows a and b are apart."""
    return float(np.abs(a - b).sum(dtype=np.float64))


def round_entry(
    number: int, a: np.ndarray, b: np.ndarray, turn: RefinementRound, seconds: Mapping[str, float]
) -> dict[str, Any]:
    """A round as JSON: what it started from, what it reached, and what it saw between."""
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
