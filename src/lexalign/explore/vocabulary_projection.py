"""Words of two languages on a plane, the same every time.

With openTSNE (the extra ``map``), words are placed by their neighbours of both languages: t-SNE of
the weights of ``vocabulary_graph``. Without it, and for a few words, the axes are the two principal
components. They show the directions of largest variance, and keep few neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from lexalign.errors import LexalignError
from lexalign.explore.vocabulary_graph import NEIGHBOURS, bilingual_graph
from lexalign.libraries import load

METHODS = ("neighbours", "components")
SEED = 0
STEPS = (250, 500)
"""Iterations of t-SNE with exaggerated attraction, and without: the defaults of openTSNE."""

EXAGGERATIONS = (12, 1)
STEPS_A_REPORT = 10
START, SMALLEST = 1e-4, 1e-12
FEWEST_WORDS = 5 * NEIGHBOURS
MOST_IN_A_TREE = 5_000
"""Up to this number of words, the Barnes-Hut tree is faster than interpolation on a grid."""

Report = Callable[[float], None]


def planned_method(source: np.ndarray, target: np.ndarray) -> str:
    """How words will be drawn on this installation: by "neighbours" or by "components"."""
    enough = min(len(source), len(target)) >= FEWEST_WORDS
    return METHODS[0] if enough and find_spec("openTSNE") is not None else METHODS[1]


def project(
    source: np.ndarray, target: np.ndarray, method: str, report: Report = lambda share: None
) -> np.ndarray:
    """Draw words of unit length on a plane.

    Parameters
    ----------
    source, target : ndarray of float32, shapes (n, d) and (m, d)
        Words of unit length in one space.
    method : str
        One of ``METHODS``.
    report : callable
        Called with the share that is done.

    Returns
    -------
    ndarray of float64, shape (n + m, 2)
        The points of the source, then those of the target.

    Raises
    ------
    LexalignError
        If the points are not all finite.
    """
    if method == "components":
        points = principal_plane(np.concatenate((source, target)))
    else:
        points = drawn_by_neighbours(source, target, report)
    if not np.isfinite(points).all():
        raise LexalignError(
            "The map of the vocabulary has points that are not finite; check the vectors."
        )
    return points


def principal_plane(words: np.ndarray) -> np.ndarray:
    """Words, (n, d), on the plane of their two principal components, (n, 2) float64."""
    centred = words - words.mean(axis=0, dtype=np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    axes = directions[:, ::-1][:, :2]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None, :], axis=0)
    points = centred @ (axes * np.where(largest < 0, -1.0, 1.0))
    return np.pad(points, ((0, 0), (0, 2 - points.shape[1])))


def drawn_by_neighbours(
    source: np.ndarray, target: np.ndarray, report: Report = lambda share: None
) -> np.ndarray:
    """Words of unit length by t-SNE of their neighbours of both languages, (n + m, 2) float64.

    It starts from the principal components of the words, each language centred: the difference of
    the two centres would otherwise be the first axis.
    """
    library = load("openTSNE", feature="A map by neighbours", extra="map")
    graph = bilingual_graph(source, target)
    start = principal_plane(np.concatenate([side - side.mean(axis=0) for side in (source, target)]))
    start *= START / max(float(start[:, 0].std()), SMALLEST)
    done, whole = 0, sum(STEPS)

    def advance(iteration: int, *_: object) -> None:
        report((done + iteration) / whole)

    plane = library.TSNEEmbedding(
        start,
        library.affinity.PrecomputedAffinities(graph),
        negative_gradient_method="bh" if len(start) <= MOST_IN_A_TREE else "fft",
        n_jobs=1,
        random_state=SEED,
        callbacks=advance,
        callbacks_every_iters=STEPS_A_REPORT,
    )
    for steps, exaggeration in zip(STEPS, EXAGGERATIONS, strict=True):
        plane = plane.optimize(steps, exaggeration=exaggeration)
        done += steps
    return np.asarray(plane, dtype=np.float64)
