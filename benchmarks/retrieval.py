"""Exact retrieval at full size: top-10 against the bare product, mutual pairs against all of it."""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.measure import Timing, heading, interleaved, row, table, timed
from benchmarks.recorded_ratios import Ratios
from benchmarks.vocabularies import aligned_demo, enlarged
from lexalign.arrays import Array, to_device
from lexalign.retrieval import mutual_pairs, penalty, top_k


def main() -> Ratios:
    """Measure on one device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-naive", action="store_true", help="skip all neighbourhoods, minutes")
    arguments = parser.parse_args()
    sides = enumerate(aligned_demo(), start=1)
    source, target = (
        to_device(enlarged(side, arguments.rows, seed).matrix, arguments.device)
        for seed, side in sides
    )
    heading(f"Retrieval in {arguments.rows:,} × {source.shape[1]}, {arguments.device}")
    return search(source[:10_000], target, arguments.repeats) | mutual(
        source, target, arguments.repeats, arguments.no_naive
    )


def search(queries: Array, keys: Array, repeats: int) -> Ratios:
    """Top-10 of 10,000 queries."""
    times = interleaved(
        {
            "bare product": lambda: bare_product(queries, keys),
            "top_k": lambda: top_k(queries, keys, 10),
        },
        repeats,
    )
    table("top-10 of 10,000", "median (spread)", "ratio")
    for name, timing in times.items():
        row(name, timing, f"{timing.median / times['bare product'].median:.2f}")
    return {"top_k / bare product": times["top_k"].share_of(times["bare product"])}


def bare_product(queries: Array, keys: Array) -> None:
    """The similarities alone, in blocks of 1,000 queries, thrown away."""
    for start in range(0, len(queries), 1000):
        product = queries[start : start + 1000] @ keys.T
    float(product[0, 0])


def mutual(source: Array, target: Array, repeats: int, no_naive: bool) -> Ratios:
    """Mutual pairs among 10,000 ranks of each side, against the product of 10,000 with all."""
    found = []
    times = interleaved(
        {
            "bare product": lambda: bare_product(source[:10_000], target),
            "with bounds": lambda: found.append(mutual_pairs(source, target)),
        },
        repeats,
    )
    fast = times["with bounds"]
    ratios = {"mutual pairs / bare product": fast.share_of(times["bare product"])}
    print()
    table("mutual CSLS pairs, max rank 10,000", "median (spread)", "ratio", "pairs")
    row("bare product, 10,000 by all", times["bare product"], "", "")
    row("with bounds", fast, "1", len(found[0]))
    if no_naive:
        return ratios
    pairs = list[set[tuple[int, int]]]()
    naive: Timing = timed(lambda: pairs.append(all_neighbourhoods(source, target, 10_000)), 1)
    row("all neighbourhoods", naive, f"{naive.median / fast.median:.1f}", len(pairs[0]))
    same = pairs[0] == {(i, j) for i, j in found[0].pairs.tolist()}
    print(f"\nidentical pairs: {same}")
    return ratios


def all_neighbourhoods(source: Array, target: Array, max_rank: int) -> set[tuple[int, int]]:
    """The same pairs without bounds."""
    of_target = penalty("csls", target, source).values
    of_source = penalty("csls", source, target).values
    forward = top_k(source[:max_rank], target, 1, of_target).indices[:, 0]
    backward = top_k(target[:max_rank], source, 1, of_source).indices[:, 0]
    ranks = np.flatnonzero(forward < max_rank)
    ranks = ranks[backward[forward[ranks]] == ranks]
    return {(int(rank), int(forward[rank])) for rank in ranks}


if __name__ == "__main__":
    main()
