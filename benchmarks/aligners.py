"""Every aligner on real pairs: accuracy, time, and how much memory it takes beyond the vectors.

Wants a folder with ``vectors/NAME.npy`` and ``NAME.words``, and with dictionaries in the layout of
MUSE (``dictionaries/muse/en-de.0-5000.txt``) and xling-eval.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from benchmarks.measure import heading, row, table
from benchmarks.vocabularies import enlarged
from lexalign.aligners import ALIGNERS, Aligner
from lexalign.evaluation import PROTOCOLS, Evaluator
from lexalign.parameters import parameters_of
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


LARGEST_EVALUATED = 50_000
SETTINGS: dict[str, dict[str, Any]] = {
    **{name: {} for name in ALIGNERS},
    "procb-once": {"variant": "once"},
    "vecmap-semi": {"preset": "semi-supervised"},
    "vecmap-unsupervised": {"preset": "unsupervised"},
    "contrastive-start": {"rounds": 0},
}


def main() -> None:
    """Measure all methods on all pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", nargs="*", choices=list(LEXICONS), default=list(LEXICONS))
    parser.add_argument("--methods", nargs="*", choices=list(SETTINGS), default=list(ALIGNERS))
    parser.add_argument("--pairs", nargs="*", metavar="NAME-NAME", help="such as web.en-web.fr")
    parser.add_argument("--runs", type=int, default=1, help="with the random seeds 0, 1, …")
    parser.add_argument("--device", default="cpu", help="for the methods that can use one")
    parser.add_argument(
        "--enlarge", type=int, metavar="WORDS", help="time and memory alone, of so many words"
    )
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", dest="settings")
    arguments = parser.parse_args()
    settings = dict(setting.split("=", 1) for setting in arguments.settings)
    for seeds in arguments.seeds:
        heading(f"Aligners with the seeds of {seeds} {settings or ''}, {arguments.device}")
        table(
            "pair", "method", "P@1 nn", "P@1 csls", "MRR csls", "queries", "pairs", "matched",
            "seconds", "CPU seconds", "extra memory",
        )  # fmt: skip
        for one, other in PAIRS:
            if arguments.pairs and f"{one}-{other}" not in arguments.pairs:
                continue
            train, test = (
                arguments.data / "dictionaries" / name.format(f"{one[-2:]}-{other[-2:]}")
                for name in LEXICONS[seeds]
            )
            if not (train.exists() and test.exists()):
                continue
            source, target = (load(arguments.data, name) for name in (one, other))
            if arguments.enlarge:
                source, target = (
                    enlarged(side, arguments.enlarge, seed)
                    for seed, side in enumerate((source, target))
                )
            for method in arguments.methods:
                aligner = configured(method, settings, arguments.device)
                runs = [
                    apart(measure, attrs.evolve(aligner, seed=seed), source, target, train, test)
                    for seed in range(arguments.runs if aligner.draws_random_numbers else 1)
                ]
                show(f"{one} {other}", method, runs)


def configured(method: str, settings: dict[str, str], device: str) -> Aligner:
    """The aligner with those of the settings that it has."""
    preset = SETTINGS[method]
    kind = ALIGNERS[method.split("-")[0]]
    declared = parameters_of(kind)
    chosen: dict[str, Any] = {
        name: declared[name].parse(value) for name, value in settings.items() if name in declared
    }
    if "device" in declared:
        chosen["device"] = device
    return kind(**{**chosen, **preset})


def measure(
    aligner: Aligner, source: Embeddings, target: Embeddings, train: Path, test: Path
) -> dict[str, Any]:
    """Align, and evaluate what came out."""
    lexicon = Lexicon.read(train, lowercase=True) if aligner.needs_lexicon else None
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts here
    began, cpu_began = time.perf_counter(), time.process_time()
    alignment = aligner.fit(source, target, lexicon)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    extra = memory("VmHWM") - before
    figures = {
        "pairs": len(alignment.lexicon),
        "matched": alignment.health is not None and alignment.health.matched,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "extra": extra,
    }
    if len(source) > LARGEST_EVALUATED:
        return {**figures, "queries": 0, "nn": np.nan, "csls": np.nan, "mrr": np.nan}
    device = getattr(aligner, "device", "cpu")
    scores = {
        retrieval: Evaluator(
            alignment.source,
            alignment.target,
            PROTOCOLS["muse"].but(retrieval=retrieval),
            device=device,
        ).evaluate(Lexicon.read(test))
        for retrieval in ("nn", "csls")
    }
    return {
        "nn": 100 * scores["nn"].precision(1),
        "csls": 100 * scores["csls"].precision(1),
        "mrr": scores["csls"].mrr,
        "queries": scores["nn"].queries,
        **figures,
    }


def apart(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """The result of a function that runs in a process of its own, so that its memory is its own."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(function, arguments)


def memory(name: str) -> float:
    """A figure of /proc/self/status, in bytes."""
    lines = Path("/proc/self/status").read_text().split("\n")
    return 1024 * float(next(line for line in lines if line.startswith(name)).split()[1])


def show(pair: str, method: str, runs: list[dict[str, Any]]) -> None:
    """One row: means over the runs, with the spread if there are several."""

    def figure(name: str, pattern: str) -> str:
        values = [run[name] for run in runs]
        mean = pattern.format(statistics.fmean(values))
        if len(values) == 1:
            return mean
        return f"{mean} ({pattern.format(min(values))}–{pattern.format(max(values))})"

    row(
        pair,
        method,
        figure("nn", "{:.1f}"),
        figure("csls", "{:.1f}"),
        figure("mrr", "{:.3f}"),
        runs[0]["queries"],
        figure("pairs", "{:.0f}"),
        f"{sum(bool(run['matched']) for run in runs)} of {len(runs)}",
        figure("seconds", "{:.1f}"),
        figure("cpu_seconds", "{:.1f}"),
        f"{max(run['extra'] for run in runs) / 1e6:.0f} MB",
    )


def load(data: Path, name: str) -> Embeddings:
    """Vectors as they lie in the folder."""
    matrix = np.load(data / "vectors" / f"{name}.npy").astype(np.float32)
    words = (data / "vectors" / f"{name}.words").read_text("utf-8").split("\n")
    return Embeddings(words[: len(matrix)], matrix)


if __name__ == "__main__":
    main()
