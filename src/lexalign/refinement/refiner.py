"""Algorithm 1: find the mutual translations of an aligned pair, and rotate the source onto them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sized
from dataclasses import asdict, dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from lexalign.aligners.alignment import Alignment
from lexalign.aligners.health import misalignment_warning
from lexalign.arrays import Array, like, require_device, to_device, to_numpy
from lexalign.errors import LexalignError
from lexalign.procrustes import LOSSES, PAPER_HORIZON, SOLVERS, Outcome, path_to_minimum, solve
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.progress import Advance, Progress
from lexalign.refinement.stopping import Decision, HeldOutWords, fitted_words, stopping_point
from lexalign.refinement.weights import WEIGHTS, pair_weights
from lexalign.retrieval import RETRIEVALS, MutualPairs, mutual_pairs
from lexalign.retrieval.penalties import require_beta
from lexalign.spaces import LinearMap, Side, normalise, require_one_space
from lexalign.spaces.normalise import parse_steps
from lexalign.vectors import Embeddings, Lexicon

CITATION = (
    "Xutan Peng, Chenghua Lin and Mark Stevenson. 2021. Cross-Lingual Word Embedding Refinement "
    "by ℓ1 Norm Optimisation. NAACL-HLT 2021."
)
AUTO = "auto"


@dataclass(frozen=True)
class RefinementRound:
    """The rotation of one round, why it stops there, and its steps or points, ready for JSON."""

    rotation: np.ndarray
    outcome: Outcome | Decision
    record: Mapping[str, Any]


@dataclass(frozen=True)
class Refined:
    """What was learned: the rotation of the source, the last dictionary of it, one entry a round.

    ``l1_before`` and ``l1_after`` are the misfit of that dictionary without and with the rotation.
    ``warning`` is a sentence if the input does not look aligned.
    """

    rotation: np.ndarray
    lexicon: Lexicon
    history: tuple[Mapping[str, Any], ...]
    l1_before: float
    l1_after: float
    warning: str | None = None


@dataclass(frozen=True, kw_only=True)
class Refiner:
    """Refine two embeddings that already lie in one space.

    Each of the ``rounds`` builds the dictionary of mutual pairs among the ``max_rank`` most
    frequent words by ``retrieval`` (with ``neighbours`` for csls, ``beta`` for invsoftmax), then
    minimises ``loss`` over rotations of the source. The ``horizon`` "auto" looks at the whole path
    to the minimum and goes to the best point at which words that were not fitted are clearly better
    off (see ``refinement.stopping``); if there is none, further rounds have nothing to do. A number
    is where a ``solver`` stops (see ``procrustes.solve``). The default is "auto", or the number of
    the paper, 5e-3, if a solver is named, settled when the refiner is made: whoever replaces the
    solver gives the horizon anew. ``weights`` says how much each pair counts (see
    ``refinement.weights``).

    The default normalisation is "unit": an aligned input is not re-centred, since that would move
    the two sides against each other.
    """

    loss: str = "l1"
    weights: str = "equal"
    solver: str | None = None
    horizon: float | str | None = None
    rounds: int = 1
    retrieval: str = "csls"
    neighbours: int = 10
    beta: float = 30.0
    max_rank: int = 10_000
    normalise: str = "unit"
    device: str = "cpu"

    def __post_init__(self) -> None:
        """Settle the horizon, and refuse what cannot work before anything is read or computed."""
        if self.horizon is None:
            settled = AUTO if self.solver is None else PAPER_HORIZON
            object.__setattr__(self, "horizon", settled)
        for name, value, known in (
            ("loss", self.loss, tuple(LOSSES)),
            ("weights", self.weights, WEIGHTS),
            ("solver", self.solver, (None, *SOLVERS)),
            ("retrieval", self.retrieval, RETRIEVALS),
        ):
            if value not in known:
                raise LexalignError(f"The '{name}' must be one of {known}. Got {value!r} instead.")
        for name in ("rounds", "neighbours", "max_rank"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < 1:
                raise LexalignError(
                    f"The '{name}' of refinement must be a whole number, 1 or more. Got {value!r} "
                    "instead."
                )
        for name, other in (("horizon", f", or {AUTO!r}"), ("beta", "")):
            value = getattr(self, name)
            if value == AUTO and other:
                continue
            number = isinstance(value, Real) and not isinstance(value, bool)
            if not number or not 0 < float(value) < math.inf:
                raise LexalignError(
                    f"The '{name}' of refinement must be a positive, finite number{other}. "
                    f"Got {value!r} instead."
                )
        if self.horizon == AUTO and self.solver is not None:
            raise LexalignError(
                f"The horizon {AUTO!r} looks at the whole path to the minimum; leave the 'solver' "
                f"out. Got {self.solver!r}."
            )
        plain = self.loss == "l1" and self.weights == "equal" and self.device == "cpu"
        if self.solver == "vode" and not plain:
            raise LexalignError(
                "The solver 'vode' is the paper's: it takes the loss l1 and equal weights on the "
                "CPU; use the solver 'flow' for anything else."
            )
        if self.retrieval == "invsoftmax":
            require_beta(self.beta)
        parse_steps(self.normalise)
        require_device(self.device)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters, with the solver that None stands for."""
        solver = self.solver or ("closed form" if self.loss == "l2" else "flow")
        return {**asdict(self), "solver": "path" if self.horizon == AUTO else solver}

    def fit(self, source: Embeddings, target: Embeddings) -> Alignment:
        """Refine a pair held in memory."""
        require_one_space(source, target)
        source, source_normalisation = normalise(source, self.normalise)
        target, target_normalisation = normalise(target, self.normalise)
        refined = self.learn(source, target)
        return Alignment(
            source=source.with_matrix(source.matrix @ refined.rotation.astype(np.float32)),
            target=target,
            map=LinearMap(
                Side(source_normalisation, refined.rotation),
                Side(target_normalisation),
                provenance={"method": "refine", "parameters": self.parameters},
            ),
            lexicon=refined.lexicon,
            history=refined.history,
            citation=CITATION,
        )

    def learn(
        self, source: Embeddings, target: Embeddings, progress: Progress | None = None
    ) -> Refined:
        """Learn the rotation from embeddings that are already normalised."""
        progress = progress or Progress()
        require_one_space(source, target)
        fixed, moving = (to_device(side.matrix, self.device) for side in (target, source))
        rotation, history = np.eye(source.dimension), list[Mapping[str, Any]]()
        held_out = self.held_out_words(source, target)
        warning: str | None = None
        for number in range(1, self.rounds + 1):
            began = time.perf_counter()
            with progress.stage("finding mutual pairs"):
                moved = self._rotated(moving, rotation)
                found = self.mutual(moved, fixed)
                if number == 1:
                    mutual = found
                    warning = misalignment_warning(moving, fixed, found, self.fitted(moving, fixed))
            paired = time.perf_counter()
            with progress.stage("solving") as advance:
                turn = self.turn(moved, fixed, found, advance, held_out)
            seconds = {"dictionary": paired - began, "solve": time.perf_counter() - paired}
            if turn.outcome is Decision.UNCHANGED and number > 1:
                turn = replace(turn, outcome=Decision.KEPT)
            a, b = (to_numpy(side) for side in _pairs_of(moved, fixed, found.pairs))
            history.append(_entry(number, a, b, turn, seconds))
            if turn.outcome in (Decision.UNCHANGED, Decision.KEPT):
                break
            mutual, rotation = found, rotation @ turn.rotation
        lexicon = Lexicon(
            [(source.words[i], target.words[j]) for i, j in mutual.pairs.tolist()],
            weights=mutual.margins,
        )
        a, b = (to_numpy(side) for side in _pairs_of(moving, fixed, mutual.pairs))
        return Refined(
            rotation=rotation,
            lexicon=lexicon,
            history=tuple(history),
            l1_before=_misfit(a, b),
            l1_after=_misfit(a @ rotation.astype(np.float32), b),
            warning=warning,
        )

    def mutual(self, source: Array, target: Array) -> MutualPairs:
        """The dictionary of a round, from normalised vectors (n, d) and (m, d)."""
        mutual = mutual_pairs(
            source,
            target,
            retrieval=self.retrieval,
            neighbours=self.neighbours,
            beta=self.beta,
            max_rank=self.fitted(source, target),
        )
        if len(mutual) == 0:
            raise LexalignError(
                "No word of one side has a mutual translation on the other, so there is nothing to "
                "refine; check that both files come from one aligned space and the same method."
            )
        return mutual

    def turn(
        self,
        source: Array,
        target: Array,
        mutual: MutualPairs,
        advance: Advance,
        held_out: HeldOutWords | None = None,
    ) -> RefinementRound:
        """Fit the rotation of the source (n, d) towards the target (m, d) to mutual pairs.

        With the horizon "auto" the ``held_out`` words choose the stopping point.
        """
        a, b = _pairs_of(source, target, mutual.pairs)
        weights = pair_weights(self.weights, mutual, a, b)
        weights = None if weights is None else like(weights, source)
        if self.horizon == AUTO:
            assert held_out is not None
            path = path_to_minimum(a, b, loss=self.loss, weights=weights)
            points = held_out.score(source, path, advance)
            chosen = stopping_point(points)
            return RefinementRound(
                points[chosen].rotation,
                Decision.CHOSEN if chosen else Decision.UNCHANGED,
                {
                    "fitted_words": self.fitted(source, target),
                    "held_out_words": len(held_out),
                    "spelled_alike": held_out.spelled_alike,
                    "chosen": chosen,
                    "path": [point.as_dict() for point in points],
                },
            )
        assert not isinstance(self.horizon, str | None)
        solution = solve(
            a,
            b,
            loss=self.loss,
            weights=weights,
            solver=self.solver,
            horizon=float(self.horizon),
            on_step=lambda record: advance(1),
        )
        if solution.outcome in (Outcome.NOT_FINITE, Outcome.INTEGRATOR_FAILED):
            raise LexalignError(solution.message)
        steps = [asdict(record) for record in solution.history]
        return RefinementRound(solution.rotation, solution.outcome, {"steps": steps})

    def held_out_words(self, source: Embeddings, target: Embeddings) -> HeldOutWords | None:
        """Return the words that choose the stopping point; None if the horizon is a number."""
        if self.horizon != AUTO:
            return None
        fitted = self.fitted(source, target)
        return HeldOutWords(source, target, fitted, neighbours=self.neighbours, device=self.device)

    def fitted(self, source: Sized, target: Sized) -> int:
        """Return the number of words among which pairs are found."""
        if self.horizon != AUTO:
            return self.max_rank
        return fitted_words(source, target, self.max_rank)

    def _rotated(self, matrix: Array, rotation: np.ndarray) -> Array:
        if np.array_equal(rotation, np.eye(len(rotation))):
            return matrix
        return matrix @ to_device(rotation.astype(np.float32), self.device)


def refine(source: Embeddings, target: Embeddings, **parameters: Any) -> Alignment:
    """Refine an aligned pair; the keyword arguments are those of ``Refiner``."""
    return Refiner(**parameters).fit(source, target)


def _misfit(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).sum(dtype=np.float64))


def _pairs_of(source: Array, target: Array, pairs: np.ndarray) -> tuple[Array, Array]:
    return source[like(pairs[:, 0], source)], target[like(pairs[:, 1], target)]


def _entry(
    number: int, a: np.ndarray, b: np.ndarray, turn: RefinementRound, seconds: Mapping[str, float]
) -> dict[str, Any]:
    """A round as JSON: what it started from, what it reached, and what it saw between."""
    rotated = a @ turn.rotation.astype(np.float32)
    return {
        "round": number,
        "pairs": len(a),
        "l1_before": _misfit(a, b),
        "l1_after": _misfit(rotated, b),
        "orthogonality_error": orthogonality_error(turn.rotation.astype(np.float32)),
        "outcome": turn.outcome.name.lower(),
        "message": turn.outcome.value,
        "seconds": dict(seconds),
        **turn.record,
    }
