"""Candidates on the CPU: the exhaustive search of faiss."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from lexalign.libraries import environment
from lexalign.progress import Advance, unseen
from lexalign.threads import MOST_BLOCKS, spread

KERNEL = "OPENBLAS_CORETYPE"
QUERIES_AT_ONCE = 1024
FEWEST_QUERIES = 64
KEYS_AT_ONCE = 8192


def candidates(
    queries: np.ndarray,
    keys: np.ndarray,
    count: int,
    penalty: np.ndarray | None,
    advance: Advance = unseen,
) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` keys of largest x·y − penalty(y), with scores in single precision.

    The penalty is one more coordinate: (x, 1)·(y, −penalty(y)).
    """
    if penalty is not None:
        queries = np.column_stack((queries, np.ones(len(queries), dtype=np.float32)))
        keys = np.column_stack((keys, -penalty.astype(np.float32)))
    faiss = _faiss()
    queries, keys = (np.ascontiguousarray(side, dtype=np.float32) for side in (queries, keys))
    scores = np.empty((len(queries), count), np.float32)
    indices = np.empty((len(queries), count), np.int64)

    def search(rows: slice) -> None:
        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)  # in this thread
        scores[rows], indices[rows] = faiss.knn(
            queries[rows], keys, count, metric=faiss.METRIC_INNER_PRODUCT
        )
        faiss.omp_set_num_threads(before)
        advance((rows.stop - rows.start) * len(keys))

    size = min(QUERIES_AT_ONCE, max(FEWEST_QUERIES, -(-len(queries) // MOST_BLOCKS)))
    spread(search, len(queries), size)
    return scores, indices


@cache
def _faiss() -> Any:
    """Import faiss with a matrix product that fits this processor.

    The wheels of faiss carry an OpenBLAS that is older than many processors and then falls back to
    its slowest kernel, at a fraction of the speed. OpenBLAS reads the kernel's name when it is
    loaded.
    """
    kernel = os.environ.get(KERNEL) or _openblas_kernel()
    with environment({KERNEL: kernel} if kernel else {}):
        import faiss
    # Below its threshold faiss forgoes matrix products, at a fraction of the speed.
    faiss.cvar.distance_compute_blas_threshold = 1
    faiss.cvar.distance_compute_blas_query_bs = QUERIES_AT_ONCE
    faiss.cvar.distance_compute_blas_database_bs = KEYS_AT_ONCE
    return faiss


def _openblas_kernel() -> str | None:
    """The x86 kernel family for the instruction sets that NumPy found, if any."""
    try:
        from numpy._core._multiarray_umath import __cpu_features__ as features
    except ImportError:
        return None
    if features.get("AVX512_SKX"):
        return "SkylakeX"
    return "Haswell" if features.get("AVX2") and features.get("FMA3") else None
