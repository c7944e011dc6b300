"""The learned ranking in the explorer: seconds to load it, milliseconds a word, and memory.

``python -m benchmarks.run_ranking --rows 50000`` induces from the embedded vectors, 10,000 words a
side, then adds rare words. Their densities are borrowed from real words, as finding them takes
minutes. One call measures one size, so that memory of another does not count.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import heading, row, table
from benchmarks.vocabularies import enlarged
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.explore.run_ranking import RunRanking, load_run_ranking
from lexalign.induction.ranking_files import FILES
from lexalign.runs import LAYOUT, Run
from lexalign.vectors import write

PROGRAM = "from lexalign.cli import main; main()"
QUERIES = 40


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    arguments = parser.parse_args()
    heading("The learned ranking in the explorer, 300 dimensions")
    with tempfile.TemporaryDirectory() as name:
        run = induced(Path(name))
        table("words a side", "load", "a word, median", "slowest", "memory", "vectors of a side")
        measure(run, arguments.rows)


def measure(run: Run, rows: int) -> None:
    """Load the ranking for as many words, and rank the translations of some."""
    from threadpoolctl import threadpool_limits

    source, target = (
        enlarged(side, rows, seed) for seed, side in enumerate((run.source, run.target), start=1)
    )
    _borrow_densities(run.path / LAYOUT.ranking / FILES.views, rows)
    generator, before = np.random.default_rng(0), _memory()
    with threadpool_limits(1, "blas"):  # As the server does.
        began = time.perf_counter()
        ranking = load_run_ranking(run, source, target)
        loaded = time.perf_counter() - began
        seconds = sorted(
            _ranked(ranking, side, int(word))
            for side in ("source", "target")
            for word in generator.integers(0, 5_000, QUERIES // 2)
        )
    row(
        f"{rows:,}",
        f"{loaded:.1f} s",
        f"{1000 * seconds[len(seconds) // 2]:.0f} ms",
        f"{1000 * seconds[-1]:.0f} ms",
        f"{(_memory() - before) >> 20:,} MB",
        f"{source.matrix.nbytes >> 20:,} MB",
    )


def induced(folder: Path) -> Run:
    """An induction from the embedded vectors, by one method; another process takes its memory."""
    for language in ("en", "de"):
        write(demo_embeddings(language), folder / f"{language}.npz")
    demo_lexicon("seeds").write(folder / "seeds.tsv")
    files = folder / "en.npz", folder / "de.npz", "--lexicon", folder / "seeds.tsv"
    options = "--output", folder / "run", "--method", "procb", "--format", "npz"
    command = [sys.executable, "-c", PROGRAM, "induce", *map(str, (*files, *options))]
    subprocess.run(command, check=True, capture_output=True)
    return Run.open(folder / "run")


def _ranked(ranking: RunRanking, side: str, word: int) -> float:
    began = time.perf_counter()
    ranking.candidates(side, word)
    return time.perf_counter() - began


def _borrow_densities(path: Path, rows: int) -> None:
    from safetensors.numpy import load_file, save_file

    tensors = load_file(path)
    for name, values in tensors.items():
        if name.endswith(".density"):
            tensors[name] = np.resize(values, rows)
    save_file(tensors, path)


def _memory() -> int:
    """Bytes of this process that are in memory now."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) << 10


if __name__ == "__main__":
    main()
