"""Evaluating 1,500 queries with CSLS in 200,000 × 300 against the bare products it needs.

These are all similarities of both vocabularies, for the neighbourhoods, and those of the queries to
the target, for the ranks. The peak of memory is that of the evaluation alone, vectors included.
"""

from __future__ import annotations

import argparse
import resource

from benchmarks.measure import heading, interleaved, row, table
from benchmarks.recorded_ratios import Ratios
from benchmarks.vocabularies import aligned_demo, enlarged
from lexalign.arrays import to_device
from lexalign.demo import demo_lexicon
from lexalign.evaluation import evaluate
from lexalign.vectors import Embeddings, Lexicon

QUERIES_AT_ONCE = 1024


def main() -> Ratios:
    """Measure on one device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=1_500)
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    source, target = (
        enlarged(side, arguments.rows, seed) for seed, side in enumerate(aligned_demo(), start=1)
    )
    lexicon = questions(arguments.queries, source, target)
    heading(f"Evaluation in {arguments.rows:,} × {source.dimension}, {arguments.device}")
    before = peak()
    scores, used = [], []

    def evaluation() -> None:
        scores.append(evaluate(source, target, lexicon, device=arguments.device))
        used.append(peak())

    x, y = (to_device(side.matrix, arguments.device) for side in (source, target))

    def products() -> None:
        for queries, keys in ((y, x), (x[: scores[0].queries], y)):
            for start in range(0, len(queries), QUERIES_AT_ONCE):
                product = queries[start : start + QUERIES_AT_ONCE] @ keys.T
            float(product[0, 0])

    times = interleaved({"evaluation": evaluation, "products": products}, arguments.repeats)
    ours, bare = times["evaluation"], times["products"]
    table(f"{scores[0].queries:,} queries, csls", "median (spread)", "ratio")
    row("bare products", bare, "1")
    row("evaluation", ours, f"{ours.median / bare.median:.2f}")
    print(
        f"\nP@1 {scores[0].precision(1):.3f}, MRR {scores[0].mrr:.3f}; peak {used[0]:.0f} MB, "
        f"of which {before:.0f} MB were there before (vectors: {matrices(source, target):.0f} MB)"
    )
    return {"evaluation / bare products": ours.share_of(bare)}


def questions(count: int, source: Embeddings, target: Embeddings) -> Lexicon:
    """The test and seed pairs of the demonstration; beyond those, words of equal rank."""
    real = [*demo_lexicon("test"), *demo_lexicon("seeds")]
    others = zip(source.words[10_000:], target.words[10_000:], strict=True)
    return Lexicon([*real, *others][:count])


def matrices(source: Embeddings, target: Embeddings) -> float:
    """The size of the vectors in MB."""
    return float(source.matrix.nbytes + target.matrix.nbytes) / 1e6


def peak() -> float:
    """The largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    main()
