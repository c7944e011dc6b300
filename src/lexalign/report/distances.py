"""How refinement changes the distance of every mutual pair, as in Figure 1 of the paper.

For the mutual pairs (aᵢ, bᵢ) of an aligned input and the rotation M of a loss, the change of pair i
is

    ‖aᵢM − bᵢ‖₂ − ‖aᵢ − bᵢ‖₂,

which is negative if the two words came closer. Sorted by the original distance ‖aᵢ − bᵢ‖₂, the
changes show which pairs a loss favours. The squares of ℓ2 favour far pairs, including outliers. The
paper finds that ℓ1 moves near and far pairs equally.

Source: Peng, Lin & Stevenson 2021, "Topological behaviours of ℓ1 and ℓ2 refinement", Figure 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import attrs
import numpy as np

from lexalign.aligners.health import misalignment_warning
from lexalign.arrays import to_device
from lexalign.errors import LexalignError
from lexalign.procrustes import PAPER_HORIZON
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.refinement.round_record import RefinementRound
from lexalign.spaces import normalise, require_one_space
from lexalign.table import Column, Table
from lexalign.vectors import Embeddings

PAPER_LOSSES = ("l1", "l2")
QUARTERS = 4


@dataclass(frozen=True)
class Misfit:
    """What is left of all pairs: ``l1`` is Σ‖aᵢM − bᵢ‖₁, ``l2`` is Σ‖aᵢM − bᵢ‖₂²."""

    l1: float
    l2: float


@dataclass(frozen=True, eq=False)
class Change:
    """What the refinement by one loss did.

    ``values`` (n,) holds the change of every pair, in the order of ``DistanceChange.distances``;
    ``misfit`` is what it left over, ``message`` the sentence of the solver.
    """

    values: np.ndarray
    misfit: Misfit
    message: str

    @property
    def closer(self) -> float:
        """The share of pairs that came closer."""
        return float(np.mean(self.values < 0))

    @property
    def mean(self) -> float:
        """The mean change."""
        return float(self.values.mean())

    @property
    def median(self) -> float:
        """The median change."""
        return float(np.median(self.values))

    @property
    def quarters(self) -> tuple[float | None, ...]:
        """The mean change of each quarter of the pairs, from the nearest to the farthest."""
        return _quarters(self.values)


@dataclass(frozen=True, eq=False)
class DistanceChange:
    """The n mutual pairs, the nearest first, and what each loss changes about their distance.

    ``pairs`` are the words, ``distances`` (n,) the original distances, ``changes`` has an entry for
    every loss. ``warning`` is a sentence if the input does not look aligned.
    """

    pairs: Sequence[tuple[str, str]]
    distances: np.ndarray
    before: Misfit
    changes: Mapping[str, Change]
    warning: str | None = None

    def __len__(self) -> int:
        return len(self.pairs)

    def csv(self) -> str:
        """One row per pair: both words, the original distance, and the change by every loss."""
        names = ("source", "target", "distance", *(f"{loss}_change" for loss in self.changes))
        numbers = (self.distances, *(change.values for change in self.changes.values()))
        rows = [
            [*pair, *row]
            for pair, row in zip(self.pairs, np.column_stack(numbers).tolist(), strict=True)
        ]
        return Table([Column(name) for name in names], rows).render("csv")

    def as_dict(self) -> dict[str, Any]:
        """The summary as JSON: pairs and sums, not the single changes."""
        return {
            "pairs": len(self),
            "distance": {
                "mean": float(self.distances.mean()),
                "median": float(np.median(self.distances)),
                "quarters": list(_quarters(self.distances)),
            },
            "losses": {
                loss: {
                    "closer": change.closer,
                    "mean": change.mean,
                    "median": change.median,
                    "quarters": list(change.quarters),
                    "l1_before": self.before.l1,
                    "l1_after": change.misfit.l1,
                    "l2_before": self.before.l2,
                    "l2_after": change.misfit.l2,
                    "message": change.message,
                }
                for loss, change in self.changes.items()
            },
            "warning": self.warning,
        }


def distance_changes(
    source: Embeddings,
    target: Embeddings,
    refiner: Refiner | None = None,
    *,
    losses: Sequence[str] = PAPER_LOSSES,
    progress: Progress | None = None,
) -> DistanceChange:
    """Refine an aligned pair by each of ``losses``, all from the same mutual pairs.

    ``refiner`` says how pairs are found and rotations solved for, as in the paper if there is none;
    its own loss does not matter.
    """
    progress = progress or Progress()
    refiners = refiners_by_loss(refiner or Refiner(horizon=PAPER_HORIZON), losses)
    rules = next(iter(refiners.values()))
    require_one_space(source, target)
    source, target = (normalise(side, rules.normalise)[0] for side in (source, target))
    with progress.stage("finding mutual pairs", unit="comparisons") as stage:
        moving, fixed = (to_device(side.matrix, rules.device) for side in (source, target))
        mutual = rules.mutual(moving, fixed, stage)
        warning = misalignment_warning(moving, fixed, mutual, rules.fitted(moving, fixed))
    rows, columns = mutual.pairs.T
    turns = dict[str, RefinementRound]()
    for loss, one in refiners.items():
        with progress.stage(f"refining by {loss}"):
            turns[loss] = one.turn(
                moving, fixed, mutual, progress, one.held_out_words(source, target)
            )
    return changes_of_pairs(
        [(source.words[i], target.words[j]) for i, j in mutual.pairs.tolist()],
        source.matrix[rows],
        target.matrix[columns],
        {loss: (turn.rotation, turn.outcome.value) for loss, turn in turns.items()},
        warning,
    )


def changes_of_pairs(
    pairs: Sequence[tuple[str, str]],
    a: np.ndarray,
    b: np.ndarray,
    rotations: Mapping[str, tuple[np.ndarray, str]],
    warning: str | None = None,
) -> DistanceChange:
    """What given rotations, each with a sentence about it, change for pairs of rows a and b."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    distances = np.linalg.norm(a - b, axis=1)
    order = np.argsort(distances, kind="stable")
    changes = dict[str, Change]()
    for name, (rotation, message) in rotations.items():
        residual = a @ rotation - b
        values = (np.linalg.norm(residual, axis=1) - distances)[order]
        changes[name] = Change(values, _misfit(residual), message)
    return DistanceChange(
        pairs=tuple(pairs[i] for i in order),
        distances=distances[order],
        before=_misfit(a - b),
        changes=changes,
        warning=warning,
    )


def refiners_by_loss(refiner: Refiner, losses: Sequence[str]) -> dict[str, Refiner]:
    """One refiner per loss; raise if a loss cannot be drawn."""
    if not losses or len(set(losses)) < len(losses):
        raise LexalignError(
            "The `losses` must be one or more different names, one panel each. "
            f"Got {list(losses)} instead."
        )
    if refiner.rounds != 1:
        raise LexalignError(
            "The `rounds` must be 1 here, because every round has its own mutual pairs. Got "
            f"{refiner.rounds} instead; refine first, then draw the refined pair."
        )
    return {loss: attrs.evolve(refiner, loss=loss) for loss in losses}


def trend(values: np.ndarray, window: int) -> np.ndarray:
    """The running median over ``window`` values, smoothed by a running mean over as many.

    At both ends the windows are cut off, so that every value has its place.
    """
    return _running(np.mean, _running(np.median, values, window), window)


def _running(statistic: Callable[[np.ndarray], Any], values: np.ndarray, window: int) -> np.ndarray:
    reach = window // 2
    places = range(len(values))
    return np.array([statistic(values[max(0, i - reach) : i + reach + 1]) for i in places])


def _misfit(residual: np.ndarray) -> Misfit:
    return Misfit(float(np.abs(residual).sum()), float(np.square(residual).sum()))


def _quarters(values: np.ndarray) -> tuple[float | None, ...]:
    parts = np.array_split(values, QUARTERS)
    return tuple(float(part.mean()) if len(part) else None for part in parts)
