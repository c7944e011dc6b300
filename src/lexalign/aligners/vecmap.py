"""VecMap: whiten, rotate, re-weight, de-whiten on both sides, perhaps after self-learning.

Examples
--------
>>> import numpy as np
>>> import lexalign
>>> vectors = np.random.default_rng(0).normal(size=(60, 8))
>>> english = lexalign.Embeddings([f"en{i}" for i in range(60)], vectors)
>>> german = lexalign.Embeddings([f"de{i}" for i in range(60)], vectors[:, ::-1])
>>> seeds = lexalign.Lexicon([(f"en{i}", f"de{i}") for i in range(20)])
>>> aligned = lexalign.align("vecmap", english, german, seeds)
>>> bool(np.allclose(aligned.source.matrix, aligned.target.matrix, atol=1e-4))
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.aligner import Aligner, Fit, require_enough_words
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.self_learning import SelfLearning
from lexalign.aligners.similarity_distribution import match_by_similarity_distribution
from lexalign.aligners.symmetric_maps import (
    ROTATION,
    require_full_spaces,
    require_l2,
    reweight_parameter,
    symmetric_maps,
)
from lexalign.arrays import device_parameter
from lexalign.checkpoint import Checkpoint, checkpoint_parameter
from lexalign.parameters import parameter
from lexalign.progress import Progress
from lexalign.retrieval.penalties import neighbours_parameter

PRESETS = ("supervised", "semi-supervised", "unsupervised")
FINALS = ("symmetric", "rotation")
FINAL_PAIRS = ("mutual", "union")


@attrs.frozen(kw_only=True)
class VecMap(Aligner):
    """Map both sides with VecMap, from seeds or without.

    The ``final`` choice "symmetric" maps both sides. It whitens each side and rotates both. It
    weights each dimension by its correlation, to the power ``reweight``. Then it undoes the
    whitening in the rotated basis. The formula is in ``lexalign.aligners.symmetric_maps``.
    "rotation" rotates the source and keeps the target.

    The ``preset`` "supervised" fits the maps to the seeds. "semi-supervised" starts self-learning
    from the seeds, and "unsupervised" starts without them. Both use the ``vocabulary`` most
    frequent words of each side, and fit the maps to the last dictionary of self-learning. Without
    seeds, the first pairs are among the ``start_words`` most frequent words. Two words are a pair
    if their similarities to the words of their own language have a similar distribution.

    Self-learning has several stages. The first stage uses the ``explore_words`` most frequent
    words. It keeps a random share ``keep`` of the similarities and drops the others. Later stages
    use more words and keep more. A stage ends after ``patience`` rounds in which the mean
    similarity of the pairs did not rise.

    By default, the maps are fitted to the mutual pairs of the last dictionary. With the
    ``final_pairs`` "union", they are fitted to the pairs of either direction, as in the published
    program. With a ``checkpoint`` folder, self-learning saves its state there, and resumes from it.

    Sources: Artetxe, Labaka & Agirre 2018a for the maps, 2018b for self-learning.
    """

    name: ClassVar[str] = "vecmap"
    summary: ClassVar[str] = "Map both sides with VecMap, from seeds or without."
    citation: ClassVar[str] = (
        "Mikel Artetxe, Gorka Labaka and Eneko Agirre. 2018. Generalizing and Improving Bilingual "
        "Word Embedding Mappings with a Multi-Step Framework of Linear Transformations. AAAI 2018."
    )

    preset: str = parameter(
        "supervised",
        choices=PRESETS,
        help="Fit the maps to the seeds, self-learn from the seeds, or self-learn without seeds.",
    )
    final: str = parameter(
        "symmetric", choices=FINALS, help="Map both sides, or rotate the source alone."
    )
    final_pairs: str = parameter(
        "mutual",
        choices=FINAL_PAIRS,
        help=(
            "Pairs of self-learning for the final maps: chosen in both directions (mutual), "
            "or in either (union)."
        ),
    )
    reweight: float = reweight_parameter()
    start_words: int = parameter(
        4000,
        at_least=1,
        help="Without seeds: find the first pairs among this number of most frequent words.",
    )
    vocabulary: int = parameter(
        20_000, at_least=1, help="Number of most frequent words per side in self-learning."
    )
    neighbours: int = neighbours_parameter()
    explore_words: int = parameter(
        5000, at_least=1, help="Number of most frequent words in the first stage of self-learning."
    )
    keep: float = parameter(
        0.1,
        above=0,
        at_most=1,
        help="Share of the similarities that the first stage keeps; it drops the others at random.",
    )
    patience: int = parameter(
        50,
        at_least=1,
        help="A stage of self-learning ends after this number of rounds without a gain.",
    )
    later_patience: int = parameter(
        5,
        at_least=1,
        help="The patience of later stages, if the health check says that the spaces match.",
    )
    settled: float = parameter(
        0.99,
        above=0,
        at_most=1,
        help="The last stage also ends if this share of the words keep their partner in a round.",
    )
    device: str = device_parameter()
    checkpoint: str = checkpoint_parameter()

    def __attrs_post_init__(self) -> None:
        """Validate parameters that depend on each other."""
        require_enough_words(
            self,
            self.neighbours,
            start_words=self.start_words,
            vocabulary=self.vocabulary,
            explore_words=self.explore_words,
        )
        if self.moves_target:
            if self.preset == "supervised":
                require_l2(self, f'`preset="semi-supervised"` or {ROTATION}')
            require_full_spaces(self)

    @property
    def needs_lexicon(self) -> bool:
        """All presets except "unsupervised" need a lexicon."""
        return self.preset != "unsupervised"

    @property
    def draws_random_numbers(self) -> bool:
        """Self-learning uses random numbers."""
        return self.preset != "supervised"

    @property
    def moves_target(self) -> bool:
        """The symmetric maps move the target."""
        return self.final == "symmetric"

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Find the pairs, then the maps."""
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
            pairs, history = self.self_learning.learn(
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

    @property
    def self_learning(self) -> SelfLearning:
        """Self-learning with these parameters."""
        return SelfLearning(
            loss=self.loss,
            neighbours=self.neighbours,
            keep=self.keep,
            patience=self.patience,
            later_patience=self.later_patience,
            settled=self.settled,
            explore_words=self.explore_words,
            device=self.device,
        )

    def _settings(self) -> dict[str, Any]:
        """The settings that affect self-learning, besides vectors and start."""
        return {**asdict(self.self_learning), "seed": self.seed}


def _chosen_twice(pairs: Pairs) -> Pairs:
    rows, counts = np.unique(pairs.rows, axis=0, return_counts=True)
    return Pairs(rows[counts > 1])
