"""The variants of Proc-B and its final maps on real pairs, by the protocol of xling-eval.

Wants the folder of ``benchmarks.aligners``. A dictionary that exists in the other direction only is
turned round. To grow a dictionary once for both final maps, the maps "vecmap" are fitted by
supervised VecMap to the seeds and the last dictionary, which gives the same.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.aligners import LEXICONS, PAIRS, load
from benchmarks.measure import heading, row, table
from lexalign.aligners import Alignment, ProcB, VecMap
from lexalign.aligners.procb import VARIANTS
from lexalign.evaluation import evaluate
from lexalign.vectors import Lexicon

SEEDS = ("xling-1k", "xling-5k")


def main() -> None:
    """Measure both variants with both final maps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", nargs="*", choices=SEEDS, default=SEEDS)
    parser.add_argument("--pairs", nargs="*", metavar="NAME-NAME", help="such as web.en-web.fr")
    parser.add_argument("--variants", nargs="*", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--normalise", default=ProcB().normalise)
    arguments = parser.parse_args()
    heading(f"Proc-B, vectors {arguments.normalise}")
    table(
        "pair", "seeds", "variant", "final", "P@1 nn", "P@1 csls", "MRR nn", "MRR csls", "queries",
        "rounds", "pairs", "seconds",
    )  # fmt: skip
    for one, other in PAIRS:
        if arguments.pairs and f"{one}-{other}" not in arguments.pairs:
            continue
        source, target = (load(arguments.data, name) for name in (one, other))
        for seeds in arguments.seeds:
            train, test = (
                dictionary(arguments.data, name, one[-2:], other[-2:]) for name in LEXICONS[seeds]
            )
            for variant in arguments.variants:
                began = time.perf_counter()
                aligner = ProcB(variant=variant, normalise=arguments.normalise)
                rotated = aligner.fit(source, target, train)
                seconds = time.perf_counter() - began
                lexicon = joined(train, rotated.lexicon)
                mapped = VecMap(normalise=arguments.normalise).fit(source, target, lexicon)
                for final, found in (("rotation", rotated), ("vecmap", mapped)):
                    row(
                        f"{one} {other}", seeds, variant, final, *figures(found, test),
                        len(rotated.history) - 1, f"{len(rotated.lexicon):,}", f"{seconds:.0f}",
                    )  # fmt: skip


def dictionary(data: Path, name: str, source: str, target: str) -> Lexicon:
    """The lexicon of two languages in lower case, as the program of the method reads it."""
    folder = data / "dictionaries"
    path = folder / name.format(f"{source}-{target}")
    if path.exists():
        return Lexicon.read(path, lowercase=True)
    return Lexicon.read(folder / name.format(f"{target}-{source}"), lowercase=True).swapped()


def joined(seeds: Lexicon, found: Lexicon) -> Lexicon:
    """The seeds, and after them the pairs that are new."""
    known = set(seeds.pairs)
    return Lexicon([*seeds.pairs, *(pair for pair in found.pairs if pair not in known)])


def figures(found: Alignment, test: Lexicon) -> list[str]:
    """P@1 and MRR of nearest neighbours and of CSLS, in per cent, and the number of queries."""
    scores = [
        evaluate(found.source, found.target, test, protocol="xling", retrieval=retrieval)
        for retrieval in ("nn", "csls")
    ]
    precisions = [f"{100 * score.precision(1):.1f}" for score in scores]
    return [*precisions, *(f"{100 * score.mrr:.1f}" for score in scores), f"{scores[0].queries:,}"]


if __name__ == "__main__":
    main()
