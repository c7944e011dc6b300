"""Algorithm 1: find the mutual pairs of an aligned pair of languages, and rotate the source."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sized
from dataclasses import asdict, replace
from functools import partial
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.alignment import Alignment, moved
from lexalign.aligners.health import misalignment_warning
from lexalign.aligners.pairs import Pairs
from lexalign.arrays import Array, device_parameter, like, to_device, to_numpy
from lexalign.errors import LexalignError, ParameterError
from lexalign.parameters import parameter
from lexalign.procrustes import PAPER_HORIZON, SOLVERS, Outcome, path_to_minimum, solve
from lexalign.procrustes.losses import loss_parameter
from lexalign.progress import Progress, Stage
from lexalign.refinement.round_record import (
    RefinementRound,
    expect_steps,
    round_entry,
    unsettled,
)
from lexalign.refinement.stopping import Decision, HeldOutWords, fitted_words, stopping_point
from lexalign.refinement.weights import WEIGHTS, pair_weights
from lexalign.retrieval import MutualPairs, mutual_pairs
from lexalign.retrieval.mutual import max_rank_parameter
from lexalign.retrieval.penalties import (
    beta_parameter,
    neighbours_parameter,
    retrieval_parameter,
)
from lexalign.spaces import LinearMap, NormalisedSpace, Side, normalise, require_one_space
from lexalign.spaces.normalise import normalise_parameter
from lexalign.vectors import Embeddings

CITATION = (
    "Xutan Peng, Chenghua Lin and Mark Stevenson. 2021. Cross-Lingual Word Embedding Refinement "
    "by ℓ1 Norm Optimisation. NAACL-HLT 2021."
)
AUTO = "auto"


@attrs.frozen(kw_only=True)
class Refiner:
    """Refine two embeddings that already share one space.

    Each of the ``rounds`` has two steps:

    1. Find the mutual pairs (xᵢ, yᵢ) among the ``max_rank`` most frequent words by ``retrieval``.
    2. Rotate the source: min over orthogonal M of Σ wᵢ ρ(xᵢM − yᵢ), where ρ is the ``loss`` and
       the wᵢ are the ``weights`` (see ``refinement.weights``).

    The ``horizon`` sets the stopping point of step 2. "auto" follows the whole path to the minimum
    and stops where held-out words improve most. If they do not improve, the input is kept and the
    rounds end (see ``refinement.stopping``). A number is the stopping time of the ``solver`` (see
    ``procrustes.solve``). The default is "auto", or the 5e-3 of the paper if a solver is given. If
    you change ``solver``, set ``horizon`` again.

    The default normalisation is "unit". Centring would move the two aligned sides apart.

    Raises
    ------
    ParameterError
        If a parameter is not valid, or ``solver`` and ``horizon`` conflict.

    Examples
    --------
    >>> refiner = Refiner()
    >>> refiner.loss, refiner.horizon
    ('l1', 'auto')
    >>> Refiner(solver="flow").horizon
    0.005

    References
    ----------
    Peng, Lin & Stevenson 2021, "Cross-Lingual Word Embedding Refinement by ℓ1 Norm Optimisation".
    """

    role: ClassVar[str] = "refinement"

    loss: str = loss_parameter("l1")
    weights: str = parameter(
        "equal",
        choices=WEIGHTS,
        help="Weight of a pair. equal: 1; margin: its margin over the second choice; inlier: the "
        "probability that it is an inlier, one of the pairs at a small distance.",
    )
    solver: str | None = parameter(
        None,
        kind=str,
        choices=SOLVERS,
        default_text="none with the horizon auto; otherwise flow, or the closed form of l2",
        help="flow: descent with early stopping, as in the paper; minimum: minimise the loss "
        "fully, without `horizon`; vode: the slow solver of the paper's program.",
    )
    horizon: float | str | None = parameter(
        None,
        kind=float,
        words=(AUTO,),
        above=0,
        metavar=f"{AUTO}|NUMBER",
        default_text=f"auto; if you set the solver flow or vode: {PAPER_HORIZON:g}",
        help="auto: stop at the point that is best for held-out words, or keep the input if no "
        "point is clearly better; a number: stopping time of flow and vode.",
    )
    rounds: int = parameter(
        1, at_least=1, help="Number of rounds; each finds mutual pairs, then rotates."
    )
    retrieval: str = retrieval_parameter("How mutual pairs are found.")
    neighbours: int = neighbours_parameter()
    beta: float = beta_parameter()
    max_rank: int = max_rank_parameter()
    normalise: str = normalise_parameter("unit")
    device: str = device_parameter()

    def __attrs_post_init__(self) -> None:
        """Set the horizon, and validate parameters that depend on each other."""
        if self.horizon is None:
            settled = AUTO if self.solver is None else PAPER_HORIZON
            object.__setattr__(self, "horizon", settled)
        if self.horizon == AUTO and self.solver is not None:
            raise ParameterError(
                f'The `horizon="{AUTO}"` follows the whole path to the minimum; leave `solver` '
                f"out. Got {self.solver!r}."
            )
        plain = self.loss == "l1" and self.weights == "equal" and self.device == "cpu"
        if self.solver == "vode" and not plain:
            raise ParameterError(
                "The solver 'vode' supports only the loss l1 and equal weights on the CPU; "
                'otherwise use `solver="flow"`.'
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters, with the solver that None selects."""
        solver = self.solver or ("closed form" if self.loss == "l2" else "flow")
        return {**attrs.asdict(self), "solver": "path" if self.horizon == AUTO else solver}

    def fit(
        self, source: Embeddings, target: Embeddings, progress: Progress | None = None
    ) -> Alignment:
        """Refine two embeddings in one space.

        Parameters
        ----------
        source, target : Embeddings, shapes (n, d) and (m, d)
            Two aligned vocabularies, most frequent words first.
        progress : Progress, optional
            Receives the stages of the work.

        Returns
        -------
        Alignment
            The rotated source, the target, the rotation, and the mutual pairs with their margins.

        Raises
        ------
        InputError
            If the two sides have different dimensions.
        LexalignError
            If there are no mutual pairs, or too few words for the horizon "auto".
        """
        require_one_space(source, target)
        one, other = (normalise(side, self.normalise) for side in (source, target))
        return self.fit_normalised(one, other, progress)

    def fit_normalised(
        self, source: NormalisedSpace, target: NormalisedSpace, progress: Progress | None = None
    ) -> Alignment:
        """Refine vectors that ``normalise`` has already normalised."""
        progress = progress or Progress()
        require_one_space(source.words, target.words)
        fixed, moving = (to_device(side.words.matrix, self.device) for side in (target, source))
        rotation, history = np.eye(source.words.dimension), list[Mapping[str, Any]]()
        held_out = self.held_out_words(source.words, target.words)
        warning: str | None = None
        for number in range(1, self.rounds + 1):
            began = time.perf_counter()
            with progress.stage("finding mutual pairs", unit="comparisons") as stage:
                turned = self._rotated(moving, rotation)
                found = self.mutual(turned, fixed, stage)
                if number == 1:
                    mutual = found
                    frequent_words = self.fitted(moving, fixed)
                    warning = misalignment_warning(moving, fixed, found, frequent_words)
            paired = time.perf_counter()
            turn = self.turn(turned, fixed, found, progress, held_out)
            seconds = {"dictionary": paired - began, "solve": time.perf_counter() - paired}
            if turn.outcome is Decision.UNCHANGED and number > 1:
                turn = replace(turn, outcome=Decision.KEPT)
            a, b = (to_numpy(side) for side in _pairs_of(turned, fixed, found.pairs))
            history.append(round_entry(number, a, b, turn, seconds))
            if turn.outcome in (Decision.UNCHANGED, Decision.KEPT):
                break
            mutual, rotation = found, rotation @ turn.rotation
        return Alignment(
            source_of=partial(moved, source.words, rotation),
            target_of=lambda: target.words,
            map=LinearMap(
                Side.of(source, rotation),
                Side.of(target),
                provenance={"method": "refine", "parameters": self.parameters},
            ),
            lexicon=Pairs(mutual.pairs, mutual.margins).lexicon(source.words, target.words),
            history=tuple(history),
            citation=CITATION,
            warning=" ".join(filter(None, (warning, unsettled(history, self.solver)))) or None,
        )

    def mutual(self, source: Array, target: Array, stage: Stage | None = None) -> MutualPairs:
        """The mutual pairs of a round, from normalised vectors (n, d) and (m, d)."""
        mutual = mutual_pairs(
            source,
            target,
            retrieval=self.retrieval,
            neighbours=self.neighbours,
            beta=self.beta,
            max_rank=self.fitted(source, target),
            stage=stage,
        )
        if len(mutual) == 0:
            raise LexalignError(
                "There are no mutual pairs, so there is nothing to refine; check that both "
                "files come from the same aligned space."
            )
        return mutual

    def turn(
        self,
        source: Array,
        target: Array,
        mutual: MutualPairs,
        progress: Progress,
        held_out: HeldOutWords | None = None,
    ) -> RefinementRound:
        """Fit the rotation of the source (n, d) towards the target (m, d) to mutual pairs.

        With the horizon "auto", the ``held_out`` words choose the stopping point.
        """
        a, b = _pairs_of(source, target, mutual.pairs)
        weights = pair_weights(self.weights, mutual, a, b)
        weights = None if weights is None else like(weights, source)
        if self.horizon == AUTO:
            assert held_out is not None
            with progress.stage("solving", unit="steps") as stage:
                path = path_to_minimum(
                    a, b, loss=self.loss, weights=weights, on_step=lambda record: stage()
                )
            with progress.stage(
                "choosing the stopping point", total=len(path), unit="points"
            ) as stage:
                points = held_out.score(source, path, stage)
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
        with progress.stage("solving", unit="steps") as stage:
            solution = solve(
                a,
                b,
                loss=self.loss,
                weights=weights,
                solver=self.solver,
                horizon=float(self.horizon),
                on_step=lambda record: stage(),
                on_state=partial(expect_steps, stage, float(self.horizon)),
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
        """Return the number of words among which pairs are searched."""
        if self.horizon != AUTO:
            return self.max_rank
        return fitted_words(source, target, self.max_rank)

    def _rotated(self, matrix: Array, rotation: np.ndarray) -> Array:
        if np.array_equal(rotation, np.eye(len(rotation))):
            return matrix
        return matrix @ to_device(rotation.astype(np.float32), self.device)


def refine(source: Embeddings, target: Embeddings, **parameters: Any) -> Alignment:
    """Refine two embeddings that already share one space.

    Parameters
    ----------
    source, target : Embeddings, shapes (n, d) and (m, d)
        Two aligned vocabularies, most frequent words first.
    **parameters
        Parameters of ``Refiner``, such as ``rounds=2``. See docs/reference/parameters.md.

    Returns
    -------
    Alignment
        The rotated source, the target, the rotation, and the mutual pairs with their margins.

    Raises
    ------
    ParameterError
        If the value of a parameter is not valid.
    InputError
        If the two sides have different dimensions.
    LexalignError
        If there are no mutual pairs, or too few words for the horizon "auto".

    Examples
    --------
    >>> import lexalign
    >>> from lexalign.demo import demo_embeddings, demo_lexicon
    >>> english, german = (demo_embeddings(language).top(500) for language in ("en", "de"))
    >>> aligned = lexalign.align("procrustes", english, german, demo_lexicon("seeds"))
    >>> refined = lexalign.refine(aligned.source, aligned.target, horizon=0.005)
    >>> refined.history[0]["l1_after"] < refined.history[0]["l1_before"]
    True

    References
    ----------
    Peng, Lin & Stevenson 2021, "Cross-Lingual Word Embedding Refinement by ℓ1 Norm Optimisation".
    """
    return Refiner(**parameters).fit(source, target)


def _pairs_of(source: Array, target: Array, pairs: np.ndarray) -> tuple[Array, Array]:
    return source[like(pairs[:, 0], source)], target[like(pairs[:, 1], target)]
