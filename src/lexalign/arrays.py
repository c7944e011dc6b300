"""Functions for NumPy arrays and torch tensors alike, through the array API standard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from lexalign.errors import LexalignError
from lexalign.libraries import load
from lexalign.parameters import parameter

Array: TypeAlias = Any
"""A NumPy array or a torch tensor; functions that take one return the same kind."""

DEVICES = ("cpu", "cuda")


def namespace(*arrays: Array) -> Any:
    """The array API namespace of these arrays, all of one kind."""
    import array_api_compat

    return array_api_compat.array_namespace(*arrays)


def is_numpy(array: Array) -> bool:
    """Whether this is a NumPy array; every other array here is a torch tensor."""
    return isinstance(array, np.ndarray)


def sign(array: Array) -> Array:
    """The signs of finite numbers; faster than the standard's function, which also handles NaN."""
    if isinstance(array, np.ndarray):
        return np.sign(array)
    return array.sign()


def to_device(array: np.ndarray, device: str) -> Array:
    """Move a NumPy array to a device: unchanged for "cpu", a torch tensor on the GPU for "cuda"."""
    if device == "cpu":
        return array
    require_device(device)
    import torch

    return torch.tensor(array, device=device)


def like(array: np.ndarray, other: Array) -> Array:
    """Move a NumPy array to the device of another array."""
    return array if is_numpy(other) else namespace(other).asarray(array, device=other.device)


def to_numpy(array: Array) -> np.ndarray:
    """Convert an array to a NumPy array."""
    return array if isinstance(array, np.ndarray) else array.cpu().numpy()


def require_device(device: str) -> None:
    """Raise if this machine does not have the device; call it before the work begins."""
    if device not in DEVICES:
        raise LexalignError(f"The `device` must be one of {DEVICES}. Got {device!r} instead.")
    if device == "cuda":
        # Read when the GPU is first used; else its products and LSTMs may sum in any order.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch = load("torch", feature="The device 'cuda'", extra="torch")
        if not torch.cuda.is_available():
            raise LexalignError(
                'This machine has no CUDA device that torch can use; choose `device="cpu"`.'
            )


def device_parameter() -> Any:
    """Declare the device to compute on."""
    return parameter("cpu", choices=DEVICES, check=require_device, help="Device to compute on.")


def blocks(count: int, size: int) -> Iterator[slice]:
    """Yield consecutive slices of at most ``size`` that cover ``range(count)``."""
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
