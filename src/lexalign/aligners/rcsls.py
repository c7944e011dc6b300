"""Relaxed CSLS: a linear map that minimises the CSLS retrieval criterion.

Examples
--------
>>> import lexalign
>>> from lexalign.demo import demo_embeddings, demo_lexicon
>>> english, german = (demo_embeddings(language).top(500) for language in ("en", "de"))
>>> aligned = lexalign.align("rcsls", english, german, demo_lexicon("seeds"), iterations=3)
>>> aligned.history[-1]["loss"] < aligned.history[0]["loss"]
True
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.aligner import Aligner, Fit
from lexalign.aligners.pairs import Pairs
from lexalign.parameters import parameter
from lexalign.progress import Progress
from lexalign.retrieval import top_k
from lexalign.retrieval.penalties import neighbours_parameter
from lexalign.spaces.normalise import normalise_parameter
from lexalign.threads import product

SMALLEST_RATE = 1e-4


@attrs.frozen(kw_only=True)
class Rcsls(Aligner):
    """Minimise the CSLS loss over linear maps M, starting from the Procrustes rotation of the
    seeds.

        f(M) = mean over seeds of −2 xᵢM·yᵢ + mean over y ∈ N(xᵢM) of xᵢM·y
                                            + mean over x ∈ N(yᵢ) of xM·yᵢ

    where N(xᵢM) holds the ``neighbours`` nearest of the ``max_negatives`` most frequent targets,
    and N(yᵢ) the nearest mapped sources. Gradient descent runs for ``iterations`` steps of length
    ``learning_rate``. A step that raises f is undone, and the rate is halved. With ``spectral``,
    each step ends with a projection of M onto the maps of norm at most 1, which keeps the problem
    convex.

    Source: Joulin, Bojanowski, Mikolov, Jégou & Grave 2018.
    """

    name: ClassVar[str] = "rcsls"
    summary: ClassVar[str] = "Minimise the CSLS loss of the seeds."
    citation: ClassVar[str] = (
        "Armand Joulin, Piotr Bojanowski, Tomas Mikolov, Hervé Jégou and Edouard Grave. 2018. Loss "
        "in Translation: Learning Bilingual Word Mapping with a Retrieval Criterion. EMNLP 2018."
    )

    normalise: str = normalise_parameter("unit")
    iterations: int = parameter(10, at_least=1, help="Number of gradient steps.")
    learning_rate: float = parameter(
        1.0, above=0, help="Initial step length; halved after a step that raises the loss."
    )
    neighbours: int = neighbours_parameter()
    max_negatives: int = parameter(
        200_000, at_least=1, help="Search neighbours among this number of most frequent words."
    )
    spectral: bool = parameter(
        False, help="Keep the spectral norm of the map at most 1, which makes the problem convex."
    )

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Descend from the Procrustes rotation."""
        matrix, rate = seeds.rotation(source, target, self.loss), self.learning_rate
        history = list[Mapping[str, Any]]()
        with progress.stage(
            "aligning", total=self.iterations, unit="steps", certainty="at most"
        ) as advance:
            value, gradient = self._evaluate(source, target, seeds, matrix)
            history.append({"iteration": 0, "loss": value, "learning_rate": rate})
            for iteration in range(1, self.iterations + 1):
                moved = self._projected(matrix - rate * gradient)
                new_value, new_gradient = self._evaluate(source, target, seeds, moved)
                better = new_value <= value
                if better:
                    matrix, value, gradient = moved, new_value, new_gradient
                else:
                    rate /= 2
                entry = {"iteration": iteration, "loss": new_value, "learning_rate": rate}
                history.append({**entry, "kept": better})
                advance(1)
                if rate < SMALLEST_RATE:
                    break
        return Fit(matrix, None, seeds, tuple(history))

    def _evaluate(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, matrix: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """f(M) and its gradient; neighbours are exact, and no n × m matrix is stored."""
        from scipy.sparse import coo_array

        sources, targets = source[: self.max_negatives], target[: self.max_negatives]
        # A word of many seeds has one neighbourhood, and is searched once.
        rows, of_row = np.unique(seeds.rows[:, 0], return_inverse=True)
        columns, of_column = np.unique(seeds.rows[:, 1], return_inverse=True)
        x, y = source[rows], target[columns]
        small, k = matrix.astype(np.float32), self.neighbours
        near_targets = top_k(product(x, small), targets, k).indices
        near_sources = top_k(y, product(sources, small), k).indices
        shares = _shares(seeds)
        pairs = coo_array((shares, (of_row, of_column)), shape=(len(rows), len(columns)))
        of_x, of_y = (np.bincount(each, shares)[:, None] for each in (of_row, of_column))
        gradient = product(x.T, of_x * _means(targets, near_targets) - 2 * (pairs @ y))
        gradient += product((of_y * _means(sources, near_sources)).T, y)
        # f is linear in M as long as the neighbours stay, so its value is the gradient times M.
        return float((gradient * matrix).sum()), gradient

    def _projected(self, matrix: np.ndarray) -> np.ndarray:
        """The nearest matrix of spectral norm at most 1, if ``spectral`` is set."""
        if not self.spectral:
            return matrix
        left, values, right = np.linalg.svd(matrix)
        return np.asarray((left * np.minimum(values, 1.0)) @ right)


def _shares(seeds: Pairs) -> np.ndarray:
    """The weight of each seed in the mean."""
    weights = np.ones(len(seeds)) if seeds.weights is None else seeds.weights
    return np.asarray(weights / weights.sum())


def _means(vectors: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """The mean, float64, of the vectors at every row of indices (n, k)."""
    total = np.zeros((len(indices), vectors.shape[1]))
    for column in indices.T:
        total += vectors[column]
    return np.asarray(total / indices.shape[1])
