"""Gromov–Wasserstein alignment: match words with similar distances to their own language."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.aligner import Aligner, Fit
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.rounds import Round, best_round, rounds_parameter
from lexalign.arrays import Array, device_parameter, namespace, to_device, to_numpy
from lexalign.errors import LexalignError, ParameterError
from lexalign.libraries import load
from lexalign.parameters import parameter
from lexalign.progress import Advance, Progress
from lexalign.retrieval.mutual import max_rank_parameter
from lexalign.retrieval.penalties import neighbours_parameter
from lexalign.spaces.normalise import unit_rows

MARGINALS = ("uniform", "zipf")
SCALINGS = 20


@attrs.frozen(kw_only=True)
class Gwa(Aligner):
    """Couple the two languages by optimal transport between their distances, then rotate.

    C and D are the cosine distances within the ``words`` most frequent words of each language,
    divided by their mean. p and q are the weights of the words (``marginals``: "uniform", or "zipf"
    for 1/rank), and H is the entropy. The problem is

        min over T ≥ 0 with T1 = p, Tᵀ1 = q of  Σ (C[i,k] − D[j,l])² T[i,j] T[k,l] − ε H(T)

    It is solved by projected gradient steps. Each step solves a transport problem by Sinkhorn
    scaling. Its costs are the gradient at the previous T. The problem is not convex, and a small ε
    ends in a poor local minimum. Therefore ε falls from ``start_epsilon`` to ``epsilon`` in
    ``stages``. Each stage starts from the previous T and ends when T moves less than ``tolerance``,
    or after ``max_iterations`` steps. The published program uses the small ε at once, with up to
    1000 steps.

    Words i and j are anchors if T[i,j] is the largest number of its row and its column. A rotation
    is fitted to the anchors. It is then refitted ``rounds`` times to the mutual CSLS pairs (k =
    ``neighbours``) among the ``max_rank`` most frequent words.

    For unit vectors X, C = (1 − XXᵀ)/c. The gradient is then −4 X (XᵀTZ) Zᵀ / (cd), up to row and
    column constants, which do not change the plan. It takes n²d operations instead of n³. Shifting
    it to zero minima keeps the exponentials within the range of a double.

    Source: Alvarez-Melis & Jaakkola 2018; the steps are those of Peyré, Cuturi & Solomon 2016.
    """

    name: ClassVar[str] = "gwa"
    summary: ClassVar[str] = "Match words by optimal transport, without seeds."
    extra: ClassVar[str] = "ot"
    citation: ClassVar[str] = (
        "David Alvarez-Melis and Tommi Jaakkola. 2018. Gromov-Wasserstein Alignment of Word "
        "Embedding Spaces. EMNLP 2018."
    )

    words: int = parameter(2000, at_least=1, help="Match this number of most frequent words.")
    epsilon: float = parameter(
        5e-4, above=0, help="Final weight of the entropy; smaller values give a sharper coupling."
    )
    start_epsilon: float = parameter(5e-3, above=0, help="Initial weight of the entropy.")
    stages: int = parameter(
        8, at_least=1, help="Number of entropy weights from the first to the last."
    )
    tolerance: float = parameter(
        1e-8, above=0, help="A stage ends when the coupling moves less than this."
    )
    max_iterations: int = parameter(20, at_least=1, help="Maximum number of steps per stage.")
    marginals: str = parameter(
        "uniform", choices=MARGINALS, help="Weights of the words: equal, or 1/rank."
    )
    rounds: int = rounds_parameter(5)
    neighbours: int = neighbours_parameter()
    max_rank: int = max_rank_parameter()
    device: str = device_parameter()

    def __attrs_post_init__(self) -> None:
        """Validate parameters that depend on each other."""
        if self.start_epsilon < self.epsilon:
            raise ParameterError(
                "The `start_epsilon` parameter of gwa must be at least the `epsilon`, "
                f"{self.epsilon}. Got {self.start_epsilon} instead."
            )

    @property
    def needs_lexicon(self) -> bool:
        """No lexicon is used."""
        return False

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Couple the words, rotate the source onto the anchors, and refit."""
        history = list[Mapping[str, Any]]()
        most = self.stages * self.max_iterations
        with progress.stage(
            "optimal transport", total=most, unit="steps", certainty="at most"
        ) as advance:
            plan = self.couple(source[: self.words], target[: self.words], history, advance)
        pairs = Pairs(anchors(plan))
        if len(pairs) == 0:
            raise LexalignError(
                f"The coupling of gwa has no anchors at epsilon {self.epsilon}: no two words "
                "choose each other; set a smaller `epsilon` or more `stages`."
            )
        best, rounds = best_round(
            source,
            target,
            Round(pairs.rotation(source, target, self.loss), pairs),
            rounds=self.rounds,
            loss=self.loss,
            neighbours=self.neighbours,
            max_rank=self.max_rank,
            device=self.device,
            progress=progress,
        )
        return Fit(best.matrix, None, best.pairs, (*history, *rounds))

    def couple(
        self,
        source: np.ndarray,
        target: np.ndarray,
        history: list[Mapping[str, Any]],
        advance: Advance,
    ) -> np.ndarray:
        """The coupling T (n, m) of words (n, d) and (m, d); adds history entries per stage."""
        x, z = (
            to_device(unit_rows(side).astype(np.float64), self.device) for side in (source, target)
        )
        p, q = (to_device(self._weights(len(side)), self.device) for side in (x, z))
        plan, rows, columns = p[:, None] * q, 0 * p, 0 * q
        scale = 4 / (_mean_distance(x) * _mean_distance(z))
        xp = namespace(x)
        for epsilon in np.geomspace(self.start_epsilon, self.epsilon, self.stages).tolist():
            iterations, change = 0, np.inf
            while iterations < self.max_iterations and change >= self.tolerance:
                # Without what balanced them before, the costs leave little for scalings to do.
                costs = (-scale * x @ (x.T @ plan @ z)) @ z.T - rows[:, None] - columns
                lowest = xp.min(costs, axis=1)
                costs, rows = costs - lowest[:, None], rows + lowest
                lowest = xp.min(costs, axis=0)
                costs, columns = costs - lowest, columns + lowest
                moved, of_rows, of_columns = _transport(p, q, costs, epsilon)
                rows, columns = rows + of_rows, columns + of_columns
                change, plan = float(((moved - plan) ** 2).sum()) ** 0.5, moved
                iterations += 1
                advance(1)
            history.append(
                {
                    "epsilon": epsilon,
                    "iterations": iterations,
                    "change": change,
                    "objective": objective(x, z, p, q, plan),
                    "anchors": len(anchors(to_numpy(plan))),
                }
            )
        return to_numpy(plan)

    def _weights(self, count: int) -> np.ndarray:
        weights = np.ones(count) if self.marginals == "uniform" else 1 / np.arange(1.0, count + 1)
        return np.asarray(weights / weights.sum())


def anchors(plan: np.ndarray) -> np.ndarray:
    """The pairs (n, 2) whose coupling is the largest of its row and its column."""
    columns, rows = plan.argmax(axis=1), plan.argmax(axis=0)
    chosen = np.flatnonzero(rows[columns] == np.arange(len(plan)))
    return np.column_stack((chosen, columns[chosen]))


def _transport(p: Array, q: Array, costs: Array, epsilon: float) -> tuple[Array, Array, Array]:
    """The plan for these costs, and the dual prices of its rows and columns, in units of cost."""
    ot, xp = _pot(), namespace(costs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it warns of is refused below
        plan, log = ot.sinkhorn(p, q, costs, epsilon, numItermax=SCALINGS, warn=False, log=True)
        prices = [epsilon * xp.log(log[side]) for side in ("u", "v")]
    if not all(bool(xp.all(xp.isfinite(numbers))) for numbers in (plan, *prices)):
        raise LexalignError(
            f"The optimal transport of gwa overflowed at an epsilon of {epsilon:.2g}; raise "
            "`epsilon`, or use fewer `words`."
        )
    return plan, *prices


def _pot() -> Any:
    """Import POT without the array libraries that it would load and we do not use.

    JAX alone would reserve three quarters of the GPU memory.
    """
    unused = {f"POT_BACKEND_DISABLE_{name}": "1" for name in ("JAX", "TENSORFLOW", "CUPY")}
    return load("ot", feature="The method gwa", extra="ot", variables=unused)


def _mean_distance(vectors: Array) -> float:
    """The mean cosine distance between all of these unit vectors."""
    return max(1 - float((vectors.mean(0) ** 2).sum()), 1e-12)


def objective(x: Array, z: Array, p: Array, q: Array, plan: Array) -> float:
    """Σ (C[i,k] − D[j,l])² T[i,j] T[k,l]: C², D² and CD are sums over pairs of unit vectors."""

    def products(a: Array, b: Array, of_a: Array, of_b: Array, joint: Array) -> float:
        sums = [float((sum_**2).sum()) for sum_ in (a.T @ of_a, b.T @ of_b, joint)]
        return (1 - sums[0] - sums[1] + sums[2]) / (_mean_distance(a) * _mean_distance(b))

    within = (
        products(x, x, p, p, x.T @ (p[:, None] * x)),
        products(z, z, q, q, z.T @ (q[:, None] * z)),
    )
    return within[0] + within[1] - 2 * products(x, z, p, q, x.T @ plan @ z)
