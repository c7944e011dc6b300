"""Iterative closest points: match two clouds of principal components, then refit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from lexalign.aligners.aligner import Aligner, Fit, require_enough_words
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.rounds import Round, best_round, rounds_parameter
from lexalign.aligners.similarity_distribution import match_by_similarity_distribution
from lexalign.arrays import Array, device_parameter, namespace, to_device, to_numpy
from lexalign.errors import LexalignError
from lexalign.parameters import parameter
from lexalign.procrustes import fitted_rotation
from lexalign.progress import Progress
from lexalign.retrieval.penalties import neighbours_parameter
from lexalign.retrieval.search import candidates
from lexalign.spaces.normalise import unit_rows


class CloudFit(NamedTuple):
    """A rotation (k, k) of the components, the nearest words in both directions, and their
    distance.

    ``reconstruction`` is the mean squared distance as a share of the variance.
    """

    matrix: Array
    forward: Array
    backward: Array
    reconstruction: float
    epochs: int


@attrs.frozen(kw_only=True)
class Icp(Aligner):
    """Match two clouds of words by iterated nearest neighbours, from several starts.

    X and Z are the first ``components`` principal components of the ``words`` most frequent words,
    scaled to unit length. The problem is

        min over orthogonal T of  Σᵢ minⱼ ‖xᵢT − zⱼ‖² + Σⱼ minᵢ ‖zⱼTᵀ − xᵢ‖²

    It alternates between the nearest neighbours in both directions and T in closed form, until no
    neighbour changes or ``epochs`` are over. The published program has two unconstrained maps, one
    per direction. It adds 0.01 times the cycle losses ‖xT_X T_Z − x‖² and ‖zT_Z T_X − z‖², which
    make them inverse. Such maps can collapse to a few dimensions, where all points are close. An
    orthogonal map and its transpose have no cycle loss and cannot collapse.

    The result depends on the start, so there are several ``starts``, and the lowest sum wins. The
    first start is T = I, with the sign of each component set to make its third moment positive.
    Published restarts negate random components. If the languages are not nearly isometric, the
    order of the components differs, too. Here each other start is therefore a rotation onto random
    pairs. They are half of the pairs with the most similar distributions of similarities among the
    ``start_words`` most frequent words (see ``similarity_distribution``).

    Mutual nearest neighbours give the first rotation in the full dimension. It is then refitted
    ``rounds`` times to the mutual CSLS pairs (k = ``neighbours``) among the ``fine_words`` most
    frequent words.

    Source: Hoshen & Wolf 2018.
    """

    name: ClassVar[str] = "icp"
    summary: ClassVar[str] = "Match the spaces as clouds of points, without seeds."
    citation: ClassVar[str] = (
        "Yedid Hoshen and Lior Wolf. 2018. Non-Adversarial Unsupervised Word Translation. "
        "EMNLP 2018."
    )

    words: int = parameter(5000, at_least=1, help="Match this number of most frequent words.")
    components: int = parameter(25, at_least=1, help="Number of principal components.")
    starts: int = parameter(
        10, at_least=1, help="Number of starts; the start with the closest fit wins."
    )
    start_words: int = parameter(
        4000, at_least=1, help="Find starts among this number of most frequent words."
    )
    epochs: int = parameter(100, at_least=1, help="Maximum number of epochs per start.")
    fine_words: int = parameter(
        7500,
        at_least=1,
        help="Search the final mutual pairs among this number of most frequent words.",
    )
    rounds: int = rounds_parameter(5)
    neighbours: int = neighbours_parameter()
    device: str = device_parameter()

    def __attrs_post_init__(self) -> None:
        """Validate parameters that depend on each other."""
        require_enough_words(
            self,
            self.neighbours,
            words=self.words,
            start_words=self.start_words,
            fine_words=self.fine_words,
        )

    @property
    def needs_lexicon(self) -> bool:
        """No lexicon is used."""
        return False

    @property
    def draws_random_numbers(self) -> bool:
        """The starts after the first one are random."""
        return True

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Match the clouds, rotate the source onto the nearest words, and refit."""
        pairs, history = self._match(source[: self.words], target[: self.words], progress)
        best, rounds = best_round(
            source,
            target,
            Round(pairs.rotation(source, target, self.loss), pairs),
            rounds=self.rounds,
            loss=self.loss,
            neighbours=self.neighbours,
            max_rank=self.fine_words,
            device=self.device,
            progress=progress,
        )
        return Fit(best.matrix, None, best.pairs, (*history, *rounds))

    def _match(
        self, source: np.ndarray, target: np.ndarray, progress: Progress
    ) -> tuple[Pairs, list[Mapping[str, Any]]]:
        """The mutual nearest words under the best T, and one history entry per start."""
        x, z = (principal_components(side, self.components) for side in (source, target))
        words, others = (to_device(unit_rows(side), self.device) for side in (x, z))
        fits = list[CloudFit]()
        with progress.stage(
            "matching from several starts", total=self.starts, unit="starts"
        ) as advance:
            for start in self._starts(source, target, x, z):
                start = to_device(start, self.device)
                fits.append(closest_points(words, others, start, self.epochs))
                advance(1)
        best = min(range(len(fits)), key=lambda number: fits[number].reconstruction)
        forward, backward = (to_numpy(side) for side in fits[best][1:3])
        mutual = np.flatnonzero(backward[forward] == np.arange(len(forward)))
        history = list[Mapping[str, Any]](
            {"start": number, "epochs": fit.epochs, "reconstruction": fit.reconstruction}
            for number, fit in enumerate(fits)
        )
        history.append({"best start": best, "pairs": len(mutual)})
        return Pairs(np.column_stack((mutual, forward[mutual]))), history

    def _starts(
        self, source: np.ndarray, target: np.ndarray, x: np.ndarray, z: np.ndarray
    ) -> Iterator[np.ndarray]:
        """The initial T of each start, float32, (k, k)."""
        yield np.eye(x.shape[1], dtype=np.float32)
        if self.starts == 1:
            return
        random = np.random.default_rng(self.seed)
        alike = match_by_similarity_distribution(
            source,
            target,
            words=self.start_words,
            neighbours=self.neighbours,
            steps=self.normalise,
            device=self.device,
        ).rows
        for _ in range(1, self.starts):
            half = alike[random.random(len(alike)) < 0.5]
            yield fitted_rotation(x[half[:, 0]], z[half[:, 1]], "l2")


def principal_components(vectors: np.ndarray, count: int) -> np.ndarray:
    """The coordinates (n, k), float32, on the axes of largest variance, with positive skew."""
    centred = vectors - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    found = centred @ axes[:, ::-1][:, :count]
    return np.asarray(found * np.where((found**3).sum(axis=0) < 0, -1, 1), dtype=np.float32)


def closest_points(x: Array, z: Array, matrix: Array, epochs: int) -> CloudFit:
    """Alternate nearest neighbours and rotation, starting from ``matrix``."""
    xp, fit = namespace(x), None
    lengths_x, lengths_z = ((side**2).sum(1) for side in (x, z))
    variance = float(lengths_x.mean() + lengths_z.mean())
    if not variance > 0:
        raise LexalignError(
            "All vectors are equal, so the words cannot be distinguished; check the vectors of "
            "both languages."
        )
    for epoch in range(1, epochs + 1):
        mapped = x @ matrix
        nearness, forward = (side[:, 0] for side in candidates(mapped, z, 1, 0.5 * lengths_z))
        closeness, backward = (side[:, 0] for side in candidates(z, mapped, 1, 0.5 * lengths_x))
        # The score of a neighbour is x·z − z·z/2, so x·x less twice that is the squared distance.
        reconstruction = 1 - 2 * float(nearness.mean() + closeness.mean()) / variance
        settled = fit is not None and bool(
            xp.all(forward == fit.forward) and xp.all(backward == fit.backward)
        )
        fit = CloudFit(matrix, forward, backward, reconstruction, epoch)
        if settled:
            break
        matrix = fitted_rotation(xp.concat((x, x[backward])), xp.concat((z[forward], z)), "l2")
    assert fit is not None
    return fit
