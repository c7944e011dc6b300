"""Shards: parts of a batch, each computed by one thread.

Torch divides every operation among its threads, which then wait for each other and keep their cores
busy. Beside other work, this takes twice the CPU time. Shards also save memory: the C library
reuses the memory of one shard for the next. Tensors of a whole batch go back to the system and are
mapped again at every operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lexalign.threads import one_thread_in_torch, spread

SHARD = 64
"""Pairs per shard; smaller products are slower, and fewer shards use fewer cores."""

Result = TypeVar("Result")


def shards(count: int) -> int:
    """Return the number of shards for a number of pairs."""
    return -(-count // SHARD)


def in_shards(function: Callable[[int, slice], Result], count: int) -> list[Result]:
    """Apply a function of torch to every shard of pairs, on the CPU.

    Parameters
    ----------
    function
        Receives the number of the shard and its slice of the pairs. It must set the state that
        torch keeps per thread, such as ``inference_mode``.
    count
        Number of pairs.

    Returns
    -------
    list
        The results of the function, in the order of the shards. The shards do not depend on the
        number of threads.
    """
    import torch

    def alone(part: slice) -> Result:
        torch.set_num_threads(1)  # for operations that this thread starts
        return function(part.start // SHARD, part)

    with one_thread_in_torch():
        return spread(alone, count, SHARD)
