"""Batches in shards, each of which one thread computes from beginning to end.

The threads of torch share every single operation, wait for each other after it, and spin while they
wait: beside other work that takes twice the CPU time. Shards also save memory. What one needs is
kept by the C library for the next one; tensors of a whole batch are given back to the system and
mapped again, page by page, at every operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lexalign.threads import one_thread_in_torch, spread

SHARD = 64
"""Pairs in a shard; smaller products are slower, and fewer shards occupy fewer cores."""

Result = TypeVar("Result")


def shards(count: int) -> int:
    """Return how many shards that many pairs make."""
    return -(-count // SHARD)


def in_shards(function: Callable[[int, slice], Result], count: int) -> list[Result]:
    """Apply a function of torch to every shard of pairs, on the CPU.

    Parameters
    ----------
    function
        Takes the number of the shard and its slice of the pairs. It has to set what torch keeps for
        each thread, such as ``inference_mode``.
    count
        Number of pairs.

    Returns
    -------
    list
        What the function returns, in the order of the shards, which do not depend on the number of
        threads.
    """
    import torch

    def alone(part: slice) -> Result:
        torch.set_num_threads(1)  # for operations that this thread starts
        return function(part.start // SHARD, part)

    with one_thread_in_torch():
        return spread(alone, count, SHARD)
