"""One pool of threads that share work in blocks of rows.

The threads of a linear algebra library wait for each other inside every product, and keep their
cores busy meanwhile. On a shared machine, all wait for the slowest thread. Here one thread computes
each block, with single-threaded products. Idle threads sleep.

The blocks do not depend on the number of threads, so the results do not either.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import numpy as np

from lexalign.arrays import Array, blocks, is_numpy

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Environment variables that limit threads; the first one that is set counts."""

OPERATIONS_AT_ONCE = 2e7
"""Multiplications per block: about a millisecond, a hundred times the overhead of a block."""

MOST_BLOCKS = 16

Result = TypeVar("Result")


def said_threads() -> int | None:
    """The number of threads that the environment sets, if any."""
    said = os.environ.get(VARIABLES[0], "")
    return int(said) if said.isdecimal() and int(said) else None


def usable_cores() -> int:
    """The number of cores that this process can use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1


def processors() -> int:
    """The number of threads to use."""
    return said_threads() or usable_cores()


def spread(function: Callable[[slice], Result], count: int, size: int) -> list[Result]:
    """Apply a function to each block of ``size`` rows, and return the results in order.

    Nested calls run their blocks one after the other.
    """
    parts = list(blocks(count, size))
    if getattr(_LOCAL, "busy", False):
        return [function(part) for part in parts]
    with single_threaded_products():
        if len(parts) < 2 or processors() < 2:
            return [function(part) for part in parts]
        return list(_pool().map(_marked(function), parts))


def in_blocks(
    function: Callable[[slice], Result], like: Array, count: int, size: int
) -> list[Result]:
    """Apply a function to each block of rows: by ``spread`` on the CPU, in turn on a GPU."""
    if is_numpy(like):
        return spread(function, count, size)
    return [function(part) for part in blocks(count, size)]


def product(left: Array, right: Array, out: Array | None = None) -> Array:
    """The matrix product (n, k) × (k, m), computed in blocks of rows on the CPU."""
    if not is_numpy(left):
        return left @ right
    rows, inner, columns = len(left), left.shape[1], right.shape[1]
    parts = min(MOST_BLOCKS, rows, int(float(rows) * inner * columns // OPERATIONS_AT_ONCE))
    result = np.empty((rows, columns), np.result_type(left, right)) if out is None else out
    if parts < 2:
        with single_threaded_products():
            return np.matmul(left, right, out=result)
    spread(lambda part: np.matmul(left[part], right, out=result[part]), rows, -(-rows // parts))
    return result


@contextmanager
def single_threaded_products() -> Iterator[None]:
    """Limit NumPy's products to the calling thread inside the block."""
    with _USERS:
        _USERS.count += 1
        if _USERS.count == 1:
            _USERS.limit = _numpy_library().limit(limits=1)
    try:
        yield
    finally:
        with _USERS:
            _USERS.count -= 1
            if _USERS.count == 0:
                _USERS.limit.restore_original_limits()


@contextmanager
def one_thread_in_torch(device: str = "cpu") -> Iterator[None]:
    """Limit torch to the calling thread inside the block; no effect on a GPU."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1 if device == "cpu" else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _Users:
    """The number of active callers, and its lock."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Reset to no callers."""
        self._lock = threading.Lock()
        self.count, self.limit = 0, None  # type: int, Any

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_USERS, _LOCAL = _Users(), threading.local()


def _marked(function: Callable[[slice], Result]) -> Callable[[slice], Result]:
    """The function with a mark that its thread works for ``spread``."""

    def run(part: slice) -> Result:
        _LOCAL.busy = True
        try:
            return function(part)
        finally:
            _LOCAL.busy = False

    return run


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(processors(), thread_name_prefix="lexalign")


@cache
def _numpy_library() -> Any:
    """The thread control of the libraries that NumPy uses for products."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def _after_fork() -> None:
    """Start afresh in a forked process, which inherits neither threads nor lock holders."""
    _pool.cache_clear()
    _USERS.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
