"""Ways to draw a vocabulary on a plane: seconds, memory, and how many neighbours stay neighbours.

``python -m benchmarks.vocabulary_projections RUN --lexicon TEST.txt --method tsne`` draws the
10,000 most frequent words of each side of an aligned run. One call measures one method, so that the
memory of another does not count; set OMP_NUM_THREADS=1. ``space`` measures the vectors themselves.
``umap`` and ``pacmap`` need umap-learn and pacmap, which no extra of Lexalign installs; ``tsne``
needs the extra ``map``.

- kept: the share of the 10 nearest words of the space, of either language, that are among the 10
  nearest points.
- translated: the share of the words of the lexicon with a translation among the 10 nearest points,
  and among the 10 nearest points of the other language.
- mixed: the share of the 10 nearest points that are of the other language; 50 % if the languages
  do not separate.
"""

from __future__ import annotations

import argparse
import importlib
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import heading, row, table
from lexalign.explore.vocabulary_graph import bilingual_graph
from lexalign.explore.vocabulary_projection import (
    SEED,
    drawn_by_neighbours,
    principal_plane,
)
from lexalign.retrieval import top_k
from lexalign.runs import Run
from lexalign.vectors import Embeddings, Lexicon

NEIGHBOURS = 10


def main() -> None:
    """Measure one method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--lexicon", type=Path, required=True)
    parser.add_argument("--method", choices=sorted(METHODS), required=True)
    parser.add_argument("--words", type=int, default=10_000)
    parser.add_argument("--centred", action="store_true", help="centre each language first")
    parser.add_argument("--save", type=Path, help="write the points to this .npy file")
    arguments = parser.parse_args()
    run = Run.open(arguments.run, limit=arguments.words)
    sides = [_unit(side, centre=arguments.centred) for side in (run.source, run.target)]
    started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    points = np.asarray(METHODS[arguments.method](*sides))
    seconds = time.process_time() - began
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - started) >> 10
    if arguments.save is not None:
        np.save(arguments.save, points)
    quality = measured(run.source, run.target, Lexicon.read(arguments.lexicon), points)
    heading(f"{len(points):,} words on a plane, one thread")
    table("method", "CPU time", "memory", "kept", "translated", "of other language", "mixed")
    name = f"{arguments.method}, centred" if arguments.centred else arguments.method
    shares = (f"{100 * share:.1f} %" for share in quality)
    row(name, f"{seconds:.0f} s", f"{memory:,} MB", *shares)


def measured(
    source: Embeddings, target: Embeddings, lexicon: Lexicon, points: np.ndarray
) -> tuple[float, float, float, float]:
    """The shares kept, translated, translated within the other language, and mixed."""
    count = len(source)
    words = np.concatenate([_unit(side) for side in (source, target)])
    wanted = _others(_nearest(words, words, NEIGHBOURS + 1))
    drawn = _others(_nearest(points, points, NEIGHBOURS + 1))
    kept = np.mean([len(np.intersect1d(*both)) for both in zip(wanted, drawn, strict=True)])
    mixed = ((drawn >= count) != (np.arange(len(points))[:, None] >= count)).mean()
    across = np.concatenate(
        (
            _nearest(points[:count], points[count:], NEIGHBOURS) + count,
            _nearest(points[count:], points[:count], NEIGHBOURS),
        )
    )
    translations: dict[int, set[int]] = {}
    for one, other in lexicon.pairs:
        if one in source.index and other in target.index:
            rows = source.index[one], target.index[other] + count
            translations.setdefault(rows[0], set()).add(rows[1])
            translations.setdefault(rows[1], set()).add(rows[0])
    among, beside = (
        np.mean([bool(found & set(near[word])) for word, found in translations.items()])
        for near in (drawn, across)
    )
    return float(kept) / NEIGHBOURS, float(among), float(beside), float(mixed)


def _nearest(points: np.ndarray, others: np.ndarray, count: int) -> np.ndarray:
    """The nearest of the others: on a plane by distance, in a space by cosine."""
    if points.shape[1] > 2:
        return top_k(points, others, count).indices
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(others).query(points, count)[1])


def _others(rows: np.ndarray) -> np.ndarray:
    """Each row without the word itself; the farthest goes where it is not among them."""
    return np.array(
        [line[line != own][: rows.shape[1] - 1] for own, line in enumerate(rows.astype(np.int64))]
    )


def _unit(side: Embeddings, *, centre: bool = False) -> np.ndarray:
    matrix = side.matrix / np.linalg.norm(side.matrix, axis=1, keepdims=True)
    if centre:
        matrix = matrix - matrix.mean(axis=0)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix, dtype=np.float32)


def _library(name: str) -> Any:
    return importlib.import_module(name)


def _space(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The space itself, to compare."""
    return np.concatenate((source, target))


def _pca(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    return principal_plane(np.concatenate((source, target)))


def _tsne(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The usual one: neighbours of either language, found by openTSNE itself."""
    settings = {"metric": "cosine", "random_state": SEED, "n_jobs": 1}
    found = _library("openTSNE").TSNE(**settings).fit(np.concatenate((source, target)))
    return np.asarray(found)


def _bilingual(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    return drawn_by_neighbours(source, target)


def _umap(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    settings = {"metric": "cosine", "random_state": SEED, "n_jobs": 1}
    found = _library("umap").UMAP(**settings).fit_transform(np.concatenate((source, target)))
    return np.asarray(found)


def _umap_bilingual(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """UMAP's own layout of the graph that has neighbours of both languages."""
    both = np.concatenate((source, target))
    graph = bilingual_graph(source, target).tocoo()
    graph.data /= graph.data.max()
    umap = _library("umap.umap_")
    a, b = umap.find_ab_params(1.0, 0.1)
    found, _ = umap.simplicial_set_embedding(
        both, graph, 2, 1.0, a, b, 1.0, 5, 200, "spectral", np.random.RandomState(SEED),
        "cosine", {}, False, {}, False, parallel=False,
    )  # fmt: skip
    return np.asarray(found)


def _pacmap(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    found = _library("pacmap").PaCMAP(n_components=2, random_state=SEED, distance="angular")
    return np.asarray(found.fit_transform(np.concatenate((source, target)), init="pca"))


METHODS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "space": _space,
    "pca": _pca,
    "tsne": _tsne,
    "tsne-bilingual": _bilingual,
    "umap": _umap,
    "umap-bilingual": _umap_bilingual,
    "pacmap": _pacmap,
}

if __name__ == "__main__":
    main()
