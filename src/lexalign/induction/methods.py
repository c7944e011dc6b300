"""The methods that a dictionary may start from: an aligner, perhaps with a refinement after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lexalign.aligners import Aligner, Contrastive, Dlv, ProcB, Procrustes, Rcsls, VecMap
from lexalign.aligners.pairs import Pairs
from lexalign.induction.view import ViewMaps, mapped
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.vectors import Embeddings


@dataclass(frozen=True)
class Method:
    """An aligner and the refinement after it, if any.

    Parameters
    ----------
    name : str
        As one would write it on the command line.
    aligner : Aligner
        Brings the two sides into one space.
    products : float
        What a fit costs, about, in products of the two matrices.
    refiner : Refiner, optional
        Rotates the source after that.
    """

    name: str
    aligner: Aligner
    products: float
    refiner: Refiner | None = None

    def fit(
        self,
        source: np.ndarray,
        target: np.ndarray,
        seeds: Pairs,
        progress: Progress | None = None,
    ) -> ViewMaps:
        """The maps of normalised vectors, (n, d) and (m, d), fitted to seeds."""
        fit = self.aligner.learn(source, target, seeds, progress or Progress())
        maps = ViewMaps(fit.source, fit.target)
        if self.refiner is None:
            return maps
        one, other = (
            Embeddings(range_words(len(side)), mapped(side, matrix))
            for side, matrix in ((source, maps.source), (target, maps.target))
        )
        rotation = self.refiner.fit(one, other).map.source.matrix
        if rotation is None or maps.source is None:
            return maps if rotation is None else replace(maps, source=rotation)
        return replace(maps, source=maps.source @ rotation)


def methods_to_try(device: str, seed: int) -> list[Method]:
    """The methods with seeds, cheap ones first."""
    once = ProcB(variant="once", final="vecmap")
    semi_supervised = VecMap(preset="semi-supervised", device=device, seed=seed)
    return [
        Method("procrustes", Procrustes(), 0),
        Method("vecmap", VecMap(), 0),
        Method("procb --variant once", ProcB(variant="once"), 2),
        Method("procb --variant once --final vecmap", once, 2),
        Method("procb --final vecmap", ProcB(final="vecmap"), 8),
        Method("procb", ProcB(), 8),
        Method("rcsls", Rcsls(), 4),
        Method("dlv", Dlv(), 10),
        Method("contrastive", Contrastive(device=device, seed=seed), 25),
        Method("vecmap --preset semi-supervised", semi_supervised, 60),
    ]


def refined_methods(method: Method, device: str) -> list[Method]:
    """A method with each refinement after it."""
    refiners = {
        "l1": Refiner(loss="l1", solver="flow", device=device),
        "l2": Refiner(loss="l2", solver="minimum", rounds=3, device=device),
        "welsch": Refiner(loss="welsch", solver="minimum", rounds=3, device=device),
    }
    return [
        Method(f"{method.name}, refined by {loss}", method.aligner, method.products + 6, refiner)
        for loss, refiner in refiners.items()
    ]


METHOD_NAMES = tuple(method.name for method in methods_to_try("cpu", 0))


def named_method(name: str, device: str, seed: int) -> Method:
    """The method of one of ``METHOD_NAMES``; the bare name of an aligner stands for its default."""
    return next(method for method in methods_to_try(device, seed) if method.name == name)


def range_words(count: int) -> list[str]:
    """Any different words."""
    return [str(number) for number in range(count)]
