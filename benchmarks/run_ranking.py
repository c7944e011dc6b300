"""The learned ranking in the explorer: seconds to load it, milliseconds a word, and memory.

``python -m benchmarks.run_ranking --rows 50000`` induces from the embedded vectors, 10,000 words a
side, then adds rare words. Their densities are borrowed from real words, as finding them takes
minutes. One call measures one size, so that memory of another does not count. ``--run DIR`` takes
the induced run of ``lexalign demo`` instead of making one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import heading, row, table
from benchmarks.vocabularies import enlarged
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.digests import sha256
from lexalign.explore.run_ranking import RunRanking, load_run_ranking
from lexalign.induction import ranking_files
from lexalign.induction.ranking_files import FILES
from lexalign.runs import LAYOUT, Run
from lexalign.spaces.linear_map import SIDES
from lexalign.vectors import write

PROGRAM = "from lexalign.cli import main; main()"
QUERIES = 40


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--run", type=Path)
    arguments = parser.parse_args()
    heading("The learned ranking in the explorer, 300 dimensions")
    with tempfile.TemporaryDirectory() as name:
        run = induced(Path(name)) if arguments.run is None else copied(arguments.run, Path(name))
        print(f"Load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        columns = ("words a side", "load", "a word, median", "slowest", "computes", "memory")
        table(*columns, "vectors of a side")
        measure(run, arguments.rows)


def measure(run: Run, rows: int) -> None:
    """Load the ranking for as many words, and rank the translations of some."""
    from threadpoolctl import threadpool_limits

    source, target = (
        enlarged(side, rows, seed) for seed, side in enumerate((run.source, run.target), start=1)
    )
    _borrow_densities(run.path / LAYOUT.ranking, rows)
    generator, before = np.random.default_rng(0), _memory()
    with threadpool_limits(1, "blas"):  # As the server does.
        began = time.perf_counter()
        ranking = load_run_ranking(run, source, target)
        loaded = time.perf_counter() - began
        sides = [side for side in SIDES if ranking.of_side(side)]
        began = time.process_time()
        seconds = sorted(
            _ranked(ranking, side, int(word))
            for side in sides
            for word in generator.integers(0, 5_000, QUERIES // len(sides))
        )
        computed = (time.process_time() - began) / QUERIES
    row(
        f"{rows:,}",
        f"{loaded:.1f} s",
        f"{1000 * seconds[len(seconds) // 2]:.0f} ms",
        f"{1000 * seconds[-1]:.0f} ms",
        f"{1000 * computed:.0f} ms",
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


def copied(run: Path, folder: Path) -> Run:
    """A copy of a run, without what an explorer keeps in it."""
    shutil.copytree(run, folder / "run", ignore=shutil.ignore_patterns(".explore"))
    return Run.open(folder / "run")


def enlarged_run(run: Run, rows: int, folder: Path) -> Path:
    """The folder of an induced run with as many words a side as asked for."""
    folder = copied(run.path, folder).path
    for seed, (side, file) in enumerate(
        zip((run.source, run.target), Run.open(folder).files, strict=True), start=1
    ):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
        write(enlarged(side, rows, seed), file)
    _borrow_densities(folder / LAYOUT.ranking, rows)
    return folder


def _ranked(ranking: RunRanking, side: str, word: int) -> float:
    began = time.perf_counter()
    ranking.word(side, word)
    return time.perf_counter() - began


def _borrow_densities(ranking: Path, rows: int) -> None:
    """Give every word a density, and let the digests say that all files are as they were written.

    The densities of words that are there already stay.
    """
    from safetensors.numpy import load_file, save_file

    tensors = load_file(ranking / FILES.views)
    for name, values in tensors.items():
        if name.endswith(".density"):
            tensors[name] = np.resize(values, rows)
    save_file(tensors, ranking / FILES.views)
    facts = json.loads((ranking / FILES.facts).read_bytes())
    del facts["sha256"]
    facts["files"][FILES.views] = sha256(ranking / FILES.views)
    facts["sha256"] = ranking_files._digest(facts)
    (ranking / FILES.facts).write_text(json.dumps(facts))


def _memory() -> int:
    """Bytes of this process that are in memory now."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) << 10


if __name__ == "__main__":
    main()
