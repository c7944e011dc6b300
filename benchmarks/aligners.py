"""Every aligner on real pairs: accuracy, time, and how much memory it takes beyond the vectors.

Wants a folder with ``vectors/NAME.npy`` and ``NAME.words``, and with dictionaries in the layout of
MUSE (``dictionaries/muse/en-de.0-5000.txt``) and xling-eval.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import heading, row, table
from lexalign.aligners import ALIGNERS
from lexalign.evaluate import PROTOCOLS, Evaluator
from lexalign.vectors import Embeddings, Lexicon

PAIRS = (
    ("europarl.en", "europarl.de"),
    ("europarl.en", "europarl.fr"),
    ("europarl.en", "europarl.it"),
    ("europarl.fr", "europarl.it"),
    ("web.en", "web.fr"),
    ("web.en", "web.ru"),
)
LEXICONS = {
    "muse": ("muse/{}.0-5000.txt", "muse/{}.5000-6500.txt"),
    "xling-1k": ("xling/yacle.train.freq.1k.{}.tsv", "xling/yacle.test.freq.2k.{}.tsv"),
    "xling-5k": ("xling/yacle.train.freq.5k.{}.tsv", "xling/yacle.test.freq.2k.{}.tsv"),
}


def main() -> None:
    """Measure all methods on all pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", nargs="*", choices=list(LEXICONS), default=list(LEXICONS))
    parser.add_argument("--methods", nargs="*", choices=list(ALIGNERS), default=list(ALIGNERS))
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", dest="settings")
    arguments = parser.parse_args()
    settings = dict(setting.split("=", 1) for setting in arguments.settings)
    for seeds in arguments.seeds:
        heading(f"Aligners with the seeds of {seeds} {settings or ''}")
        table("pair", "method", "P@1 nn", "P@1 csls", "MRR csls", "queries", "pairs", "seconds")
        for one, other in PAIRS:
            train, test = (
                arguments.data / "dictionaries" / name.format(f"{one[-2:]}-{other[-2:]}")
                for name in LEXICONS[seeds]
            )
            if not (train.exists() and test.exists()):
                continue
            source, target = (load(arguments.data, name) for name in (one, other))
            for method in arguments.methods:
                measure(method, settings, source, target, train, test, f"{one} {other}")


def measure(
    method: str,
    settings: dict[str, str],
    source: Embeddings,
    target: Embeddings,
    train: Path,
    test: Path,
    pair: str,
) -> None:
    """One row."""
    aligner = ALIGNERS[method]
    kinds = {name: type(getattr(aligner, name)) for name in settings if hasattr(aligner, name)}
    chosen = aligner(**{name: kinds[name](settings[name]) for name in kinds})
    began = time.perf_counter()
    alignment = chosen.fit(source, target, Lexicon.read(train, lowercase=True))
    seconds = time.perf_counter() - began
    scores = {
        retrieval: Evaluator(
            alignment.source, alignment.target, PROTOCOLS["muse"].but(retrieval=retrieval)
        ).evaluate(Lexicon.read(test))
        for retrieval in ("nn", "csls")
    }
    row(
        pair,
        method,
        f"{100 * scores['nn'].precision(1):.1f}",
        f"{100 * scores['csls'].precision(1):.1f}",
        f"{scores['csls'].mrr:.3f}",
        scores["nn"].queries,
        len(alignment.lexicon),
        f"{seconds:.1f}",
    )


def load(data: Path, name: str) -> Embeddings:
    """Vectors as they lie in the folder."""
    matrix = np.load(data / "vectors" / f"{name}.npy").astype(np.float32)
    words = (data / "vectors" / f"{name}.words").read_text("utf-8").split("\n")
    return Embeddings(words[: len(matrix)], matrix)


if __name__ == "__main__":
    main()
