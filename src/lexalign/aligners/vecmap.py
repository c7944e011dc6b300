"""VecMap: whiten, rotate, re-weight, de-whiten on both sides, perhaps after self-learning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from lexalign.aligners.aligner import Aligner, Fit, require_choice
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.self_learning import SelfLearning
from lexalign.aligners.similarity_distribution import match_by_similarity_distribution
from lexalign.arrays import require_device
from lexalign.checkpoint import Checkpoint
from lexalign.errors import LexalignError
from lexalign.progress import Progress

PRESETS = ("supervised", "semi-supervised", "unsupervised")
FINALS = ("symmetric", "rotation")
FINAL_PAIRS = ("mutual", "union")


@dataclass(frozen=True, kw_only=True)
class VecMap(Aligner):
    """Map both sides by the multi-step framework, from a lexicon that may be learned first.

    With X and Y the pairs' vectors, A = (XᵀX)^(−1/2) and B = (YᵀY)^(−1/2) the whitening of each
    side, and USVᵀ the SVD of (XA)ᵀ(YB), the ``final`` maps "symmetric" are

        A · U · S^r · Uᵀ A⁻¹ U   and   B · V · S^r · Vᵀ B⁻¹ V

    that is whitening, the orthogonal map, re-weighting by the correlations S to the power r
    (``reweight``), and de-whitening in the rotated basis. With "rotation" it is the rotation of the
    source alone, and the target stays as it is.

    The ``preset`` "supervised" takes the seeds for pairs. "semi-supervised" starts self-learning
    from them, among the ``vocabulary`` most frequent words of each side, and takes its last
    dictionary. "unsupervised" needs no seeds: self-learning starts from words among the first
    ``start_words`` whose similarities to their own language are distributed alike.
    ``explore_words``, ``keep``, ``patience`` and ``neighbours`` are those of self-learning, see
    there. Of its last dictionary
    the final maps take the pairs that chose each other (``final_pairs`` "mutual"); the published
    program takes the "union" of both directions. With a ``checkpoint``, the name of a folder, the
    state of self-learning is kept there, and it goes on from there after a stop.

    Sources: Artetxe, Labaka & Agirre 2018a for the maps, 2018b for self-learning.
    """

    name: ClassVar[str] = "vecmap"
    citation: ClassVar[str] = (
        "Mikel Artetxe, Gorka Labaka and Eneko Agirre. 2018. Generalizing and Improving Bilingual "
        "Word Embedding Mappings with a Multi-Step Framework of Linear Transformations. AAAI 2018."
    )

    preset: str = "supervised"
    final: str = "symmetric"
    final_pairs: str = "mutual"
    reweight: float = 0.5
    start_words: int = 4000
    vocabulary: int = 20_000
    neighbours: int = 10
    explore_words: int = 5000
    keep: float = 0.1
    patience: int = 50
    device: str = "cpu"
    checkpoint: str = ""

    def __post_init__(self) -> None:
        """Refuse values that are none, and losses that the whitened problem has no room for."""
        super().__post_init__()
        require_choice("preset", self.preset, PRESETS)
        require_choice("final", self.final, FINALS)
        require_choice("final_pairs", self.final_pairs, FINAL_PAIRS)
        self._self_learning()
        require_device(self.device)
        if not 0 <= self.reweight < np.inf:
            raise LexalignError(
                f"The 'reweight' must be finite and not negative. Got {self.reweight} instead."
            )
        for name in ("start_words", "vocabulary"):
            if getattr(self, name) < self.neighbours:
                raise LexalignError(
                    f"The '{name}' of vecmap must be at least {self.neighbours}, the number of "
                    f"neighbours. Got {getattr(self, name)} instead."
                )
        if self.loss != "l2" and self.preset == "supervised" and self.final == "symmetric":
            raise LexalignError(
                "The supervised map of vecmap comes from correlations, for which only the loss l2 "
                f"is defined. Got {self.loss!r} instead; it has a place in self-learning (preset "
                "semi-supervised) and in the final rotation."
            )
        if self.unequal == "rectangular" and self.moves_target:
            raise LexalignError(
                "The symmetric maps of vecmap need two full spaces of one dimension; set 'unequal' "
                "to pca, or 'final' to rotation."
            )

    @property
    def needs_lexicon(self) -> bool:
        """Unless it is unsupervised."""
        return self.preset != "unsupervised"

    @property
    def draws_random_numbers(self) -> bool:
        """Self-learning does."""
        return self.preset != "supervised"

    @property
    def moves_target(self) -> bool:
        """The symmetric maps do."""
        return self.final == "symmetric"

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Find the pairs, then the maps of the closed form above."""
        pairs, history = seeds, tuple[Mapping[str, Any], ...](({"pairs": len(seeds)},))
        if self.preset == "unsupervised":
            with progress.stage("first dictionary"):
                pairs = match_by_similarity_distribution(
                    source,
                    target,
                    words=self.start_words,
                    neighbours=self.neighbours,
                    steps=self.normalise,
                    device=self.device,
                )
        if self.preset != "supervised":
            frequent = source[: self.vocabulary], target[: self.vocabulary]
            start = pairs.rotation(source, target, self.loss)
            pairs, history = self._self_learning().learn(
                *frequent,
                start,
                np.random.default_rng(self.seed),
                progress,
                Checkpoint.of(self.checkpoint, self.name, self._settings(), *frequent, start),
            )
            if self.final_pairs == "mutual":
                pairs = _chosen_twice(pairs)
        with progress.stage("aligning"):
            if self.final == "rotation":
                return Fit(pairs.rotation(source, target, self.loss), None, pairs, history)
            maps = symmetric_maps(source, target, pairs, self.reweight)
        return Fit(*maps, pairs, history)

    def _self_learning(self) -> SelfLearning:
        return SelfLearning(
            loss=self.loss,
            neighbours=self.neighbours,
            keep=self.keep,
            patience=self.patience,
            explore_words=self.explore_words,
            device=self.device,
        )

    def _settings(self) -> dict[str, Any]:
        """What self-learning depends on, besides vectors and start."""
        return {**asdict(self._self_learning()), "seed": self.seed}


def _chosen_twice(pairs: Pairs) -> Pairs:
    rows, counts = np.unique(pairs.rows, axis=0, return_counts=True)
    return Pairs(rows[counts > 1])


def symmetric_maps(
    source: np.ndarray, target: np.ndarray, pairs: Pairs, reweight: float
) -> tuple[np.ndarray, np.ndarray]:
    """The matrices of both sides, float64, (d, d)."""
    x = source[pairs.rows[:, 0]].astype(np.float64)
    y = target[pairs.rows[:, 1]].astype(np.float64)
    if pairs.weights is not None:
        root = np.sqrt(pairs.weights)[:, None]
        x, y = root * x, root * y
    whiten_x, unwhiten_x = _whitening(x)
    whiten_y, unwhiten_y = _whitening(y)
    left, correlations, right = np.linalg.svd((x @ whiten_x).T @ (y @ whiten_y))
    scale = correlations**reweight
    return (
        (whiten_x @ left * scale) @ left.T @ unwhiten_x @ left,
        (whiten_y @ right.T * scale) @ right @ unwhiten_y @ right.T,
    )


def _whitening(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(VᵀV)^(−1/2) and its inverse."""
    _, lengths, axes = np.linalg.svd(vectors, full_matrices=False)
    if len(vectors) < vectors.shape[1] or lengths[-1] < 1e-9 * lengths[0]:
        raise LexalignError(
            f"Whitening needs pairs that span all {vectors.shape[1]} dimensions, but the "
            f"{len(vectors)} at hand do not; give more seeds, or use procrustes or procb."
        )
    return (axes.T / lengths) @ axes, (axes.T * lengths) @ axes
