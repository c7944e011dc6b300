"""The methods that a dictionary can start from: an aligner, and an optional refinement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from lexalign.aligners import Aligner, Contrastive, Dlv, ProcB, Procrustes, Rcsls, VecMap
from lexalign.aligners.alignment import Alignment, moved
from lexalign.aligners.health import examine
from lexalign.aligners.pairs import Pairs
from lexalign.induction.view import ViewMaps, mapped
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.spaces import LinearMap, NormalisedSpace, Side
from lexalign.spaces.side import matrix_product
from lexalign.vectors import Embeddings, Lexicon

FITTED_WORDS = 10_000
"""Number of most frequent words per side to which a method is fitted, besides the seeds. Time grows
with the square of this number, and more words gain nothing (see docs/results/induction.md).
"""

GIVEN = "given"
UNSUPERVISED = "vecmap --preset unsupervised"


@dataclass(frozen=True)
class FittingWords:
    """The words to which a method is fitted: the most frequent words of each side, and all seeds.

    ``source`` and ``target`` are ascending rows of the vocabularies.
    """

    source: np.ndarray
    target: np.ndarray

    @classmethod
    def of(cls, seeds: Pairs, sources: int, targets: int) -> FittingWords:
        """The fitting words of vocabularies of these sizes."""
        sides = zip(seeds.rows.T, (sources, targets), strict=True)
        return cls(*(np.union1d(np.arange(min(FITTED_WORDS, size)), rows) for rows, size in sides))

    def pairs(self, seeds: Pairs) -> Pairs:
        """The seeds as rows of these words."""
        places = [
            np.searchsorted(words, rows)
            for words, rows in zip((self.source, self.target), seeds.rows.T, strict=True)
        ]
        return replace(seeds, rows=np.column_stack(places))


@dataclass(frozen=True)
class Method:
    """An aligner and an optional refinement.

    Parameters
    ----------
    name : str
        The method and its options, as on the command line.
    aligner : Aligner or None
        The aligner; None if the sides already share one space.
    products : float
        Approximate cost of a fit, in products of the fitted words of both sides.
    refiner : Refiner, optional
        The refinement after the alignment.
    """

    name: str
    aligner: Aligner | None
    products: float
    refiner: Refiner | None = None

    def fit(
        self,
        source: np.ndarray,
        target: np.ndarray,
        seeds: Pairs,
        progress: Progress | None = None,
    ) -> ViewMaps:
        """Return the maps of normalised vectors, (n, d) and (m, d), fitted to seeds."""
        if self.aligner is None:
            return ViewMaps(None, None)
        words = FittingWords.of(seeds, len(source), len(target))
        one, other = source[words.source], target[words.target]
        fit = self.aligner.learn(one, other, words.pairs(seeds), progress or Progress())
        return self.refine(source, target, seeds, ViewMaps(fit.source, fit.target))

    def refine(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, maps: ViewMaps
    ) -> ViewMaps:
        """Return the maps of the aligner, followed by the refinement if there is one."""
        if self.refiner is None:
            return maps
        words = FittingWords.of(seeds, len(source), len(target))
        one, other = (
            Embeddings([str(row) for row in rows.tolist()], mapped(side[rows], matrix))
            for side, rows, matrix in (
                (source, words.source, maps.source),
                (target, words.target, maps.target),
            )
        )
        rotation = self.refiner.fit(one, other).map.source.matrix
        if rotation is None or maps.source is None:
            return maps if rotation is None else replace(maps, source=rotation)
        return replace(maps, source=maps.source @ rotation)

    def align(
        self, source: NormalisedSpace, target: NormalisedSpace, seeds: Pairs, progress: Progress
    ) -> Alignment:
        """Return the alignment of all words."""
        if self.aligner is None:
            return _as_it_is(source, target, progress)
        words = FittingWords.of(seeds, len(source.words), len(target.words))
        lexicon = None
        if self.aligner.needs_lexicon:
            lexicon = seeds.lexicon(source.words, target.words)
        some = source.only(words.source), target.only(words.target)
        aligned = self.aligner.fit_normalised(*some, lexicon, progress)
        if self.refiner is not None:
            refined = self.refiner.fit(aligned.source, aligned.target, progress)
            aligned = replace(refined, map=aligned.map.followed_by(refined.map))
        maps = maps_of(aligned)
        return replace(
            aligned,
            source_of=partial(moved, source.words, maps.source),
            target_of=partial(moved, target.words, maps.target),
        )


def maps_of(aligned: Alignment) -> ViewMaps:
    """The maps of an alignment as one matrix per side, including normalisation steps in between."""
    return ViewMaps(
        *(
            matrix_product(*(stage.matrix for stage in side.stages))
            for side in (aligned.map.source, aligned.map.target)
        )
    )


def methods_to_try(device: str, seed: int) -> list[Method]:
    """The methods to try with seeds, cheap ones first."""
    tuned = partial(Contrastive, start="procb", held_out=0, device=device, seed=seed)
    self_learning = partial(VecMap, preset="semi-supervised", device=device, seed=seed)
    return [
        Method("procrustes", Procrustes(), 0),
        Method("vecmap", VecMap(), 0),
        Method("procb --variant once", ProcB(variant="once"), 2),
        Method("procb --variant once --final vecmap", ProcB(variant="once", final="vecmap"), 2),
        Method("rcsls", Rcsls(), 4),
        Method("procb --final vecmap", ProcB(final="vecmap"), 16),
        Method("contrastive --rounds 1", tuned(rounds=1), 16),
        Method("contrastive", tuned(rounds=2), 24),
        Method("procb", ProcB(), 16),
        Method("dlv", Dlv(), 20),
        Method("vecmap --preset semi-supervised", self_learning(keep=1.0, patience=3), 60),
    ]


def refined_methods(method: Method, device: str) -> list[Method]:
    """A method followed by each refinement."""
    refiners = {
        "l1": Refiner(loss="l1", solver="flow", device=device),
        "l2": Refiner(loss="l2", solver="minimum", rounds=3, device=device),
        "welsch": Refiner(loss="welsch", solver="minimum", rounds=3, device=device),
    }
    return [
        Method(f"{method.name}, refined by {loss}", method.aligner, 6, refiner)
        for loss, refiner in refiners.items()
    ]


def _as_it_is(source: NormalisedSpace, target: NormalisedSpace, progress: Progress) -> Alignment:
    """An alignment of two embeddings that already share one space."""
    with progress.stage("health check"):
        matrices = source.words.matrix, target.words.matrix
        health = examine(matrices, matrices, (source.words.index, target.words.index))
    return Alignment(
        source_of=partial(moved, source.words, None),
        target_of=partial(moved, target.words, None),
        map=LinearMap(Side.of(source), Side.of(target), provenance={"method": GIVEN}),
        lexicon=Lexicon([]),
        history=(),
        citation="",
        health=health,
    )


METHOD_NAMES = (*(method.name for method in methods_to_try("cpu", 0)), UNSUPERVISED, GIVEN)


def named_method(name: str, device: str, seed: int) -> Method:
    """The method of one of ``METHOD_NAMES``."""
    unsupervised = VecMap(preset="unsupervised", device=device, seed=seed)
    others = [Method(UNSUPERVISED, unsupervised, 1000), Method(GIVEN, None, 0)]
    return next(one for one in (*methods_to_try(device, seed), *others) if one.name == name)
