"""Natural language inference in jointly trained spaces: the rows JA-* of the paper's Table 4.

Wants the folder WORK of ``benchmarks.joint_training --keep-spaces`` and the folder of the examples:
``train_en.jsonl.gz``, ``xnli.dev.en.tsv``, ``xnli.test.LANGUAGE.tsv``. ESIM is trained on the
English side of a space and tested on the other side. OUTPUT gets a JSON line for every space.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from benchmarks.joint_training import Work
from lexalign import read
from lexalign.evaluation.nli import Examples, Learner, answer, encode
from lexalign.vectors.tokens import tokeniser


def main() -> None:
    """Train one model for every refinement of a space."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("examples", "work", "output"):
        parser.add_argument(name, type=Path)
    parser.add_argument("pair", help="such as en-de")
    parser.add_argument("--aligner", default="rcsls")
    parser.add_argument("--random-seed", type=int, default=0)
    parser.add_argument("--refine", nargs="*", default=["none", "l2", "l1"])
    parser.add_argument("--device", default="cuda")
    chosen = parser.parse_args()
    work = Work(Path(), Path(), chosen.work, "", 0, chosen.device)
    for refinement in chosen.refine:
        result = accuracy(work, chosen, refinement)
        with chosen.output.open("a") as file:
            file.write(json.dumps(result) + "\n")


def accuracy(work: Work, chosen: argparse.Namespace, refinement: str) -> dict[str, Any]:
    """Train on the source of a space, and ask in both languages."""
    languages = chosen.pair.split("-")
    spaces = [
        read(work.space(chosen.pair, chosen.aligner, chosen.random_seed, refinement, side))
        for side in ("source", "target")
    ]
    tokenise = tokeniser("words")
    train, dev = (
        encode(Examples.read(chosen.examples / name, languages[0]), spaces[0].index, tokenise)
        for name in (f"train_{languages[0]}.jsonl.gz", f"xnli.dev.{languages[0]}.tsv")
    )
    began = time.perf_counter()
    trained = Learner(seed=chosen.random_seed, device=chosen.device).train(spaces[0], train, dev)
    seconds = time.perf_counter() - began
    found = {
        language: answer(
            trained.model,
            words,
            Examples.read(chosen.examples / f"xnli.test.{language}.tsv", language),
            tokenise,
        ).accuracy
        for language, words in zip(languages, spaces, strict=True)
    }
    return {
        "kind": "nli",
        "pair": chosen.pair,
        "aligner": chosen.aligner,
        "seed": chosen.random_seed,
        "refine": refinement,
        "dev": round(100 * trained.dev_accuracy, 2),
        "accuracy": {language: round(100 * one, 2) for language, one in found.items()},
        "epochs": len(trained.history),
        "seconds": round(seconds, 1),
    }


if __name__ == "__main__":
    main()
