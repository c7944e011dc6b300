"""The same vectors and the same lexicon by the rules of every protocol.

Aligns two files of vectors by Procrustes with a training lexicon, then evaluates them on a test
lexicon by every protocol as it is, and with nearest neighbours and CSLS.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.measure import heading, row, table
from lexalign.aligners import Procrustes
from lexalign.evaluation import PROTOCOLS, Evaluator
from lexalign.vectors import Lexicon, read


def main() -> None:
    """Evaluate by all protocols."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    arguments = parser.parse_args()
    alignment = Procrustes().fit(
        read(arguments.source), read(arguments.target), Lexicon.read(arguments.train)
    )
    test = Lexicon.read(arguments.test)
    heading(f"{arguments.source.name} to {arguments.target.name} on {arguments.test.name}")
    table("protocol", "P@1", "P@5", "P@10", "MRR", "coverage", "queries")
    for protocol in PROTOCOLS.values():
        for rules in dict.fromkeys(
            (protocol, protocol.but(retrieval="nn"), protocol.but(retrieval="csls"))
        ):
            evaluator = Evaluator(alignment.source, alignment.target, rules)
            result = evaluator.evaluate(test)
            scores = result.scores()
            row(
                rules.name,
                *(f"{100 * scores[f'p@{k}']:.1f}" for k in (1, 5, 10)),
                f"{scores['mrr']:.3f}",
                f"{100 * result.coverage:.1f} %",
                f"{result.queries:,}",
            )


if __name__ == "__main__":
    main()
