"""The explorer as a real server: first answer, queries, memory, and 50 clients at once.

``python -m benchmarks.explore`` makes two vocabularies of 200,000 × 300, explores them as a folder
and as text, waits until CSLS is prepared (minutes, once), and prints. ``--rows 20000 --seconds 5``
is a quick look.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np

from benchmarks.measure import heading, row, table
from benchmarks.vocabularies import aligned_demo, enlarged
from lexalign.demo import demo_lexicon
from lexalign.runs import LAYOUT, claim_run, new_run
from lexalign.spaces import LinearMap, Side, Stage
from lexalign.vectors import Embeddings

PROGRAM = "from lexalign.cli import main; main()"
SUFFIXES = {"folder": "", "vec": ".vec"}
QUERIES = 60


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--formats", nargs="+", choices=list(SUFFIXES), default=["folder", "vec"])
    arguments = parser.parse_args()
    heading(f"Explorer, {arguments.rows:,} × 300 twice")
    with tempfile.TemporaryDirectory() as name:
        source, target = (
            enlarged(side, arguments.rows, seed)
            for seed, side in enumerate(aligned_demo(), start=1)
        )
        words = {"source": list(source.words), "target": list(target.words)}
        vectors = source.matrix.nbytes + target.matrix.nbytes
        runs = {
            kind: make_run(Path(name) / kind, source, target, kind) for kind in arguments.formats
        }
        del source, target
        table("vectors", "start", "first answer", "memory by then", "ratio")
        for kind, run in runs.items():
            for start in ("first", "second"):
                with serving(run) as server:
                    first = server.seconds_to_answer(words["source"][700])
                    peak = server.memory("VmHWM")
                row(kind, start, f"{first:.1f} s", megabytes(peak), f"{peak / vectors:.2f}")
        measure(runs[arguments.formats[0]], words, vectors, arguments.clients, arguments.seconds)


def measure(
    run: Path, words: dict[str, list[str]], vectors: int, clients: int, seconds: float
) -> None:
    """Queries of one client before and after CSLS is prepared, then many clients at once."""
    generator = np.random.default_rng(0)
    with serving(run) as server:
        server.seconds_to_answer(words["source"][700])
        print()
        table("queries, one client", "median", "95 %", "slowest")
        report("while CSLS is being prepared", server, words, generator, "1")
        began = time.perf_counter()
        while server.get("/api/about")["preparation"]["state"] == "running":
            time.sleep(1)
        waited = time.perf_counter() - began
        report("before and after", server, words, generator, "1")
        report("within the path", server, words, generator, "0.5")
        print(f"\nCSLS was prepared in {waited:.0f} s more.\n", flush=True)
        peak = server.memory("VmHWM")
        print(f"Peak of the server: {megabytes(peak)}, {peak / vectors:.2f} of the vectors.\n")
        load = asyncio.run(run_clients(server.address, words, clients, seconds))
        table("clients", "seconds", "requests", "a second", "median", "99 %", "errors")
        times = np.array(load.seconds)
        row(
            clients,
            f"{seconds:g}",
            f"{len(times):,}",
            f"{len(times) / seconds:.1f}",
            milliseconds(np.median(times)),
            milliseconds(np.quantile(times, 0.99)),
            load.errors,
        )
        peak = server.memory("VmHWM")
        print(f"\nPeak after that: {megabytes(peak)}, {peak / vectors:.2f} of the vectors.")


def make_run(folder: Path, source: Embeddings, target: Embeddings, kind: str) -> Path:
    """A folder like that of a refinement, made by hand: the real one would take a minute more."""
    generator = np.random.default_rng(0)
    skew = generator.standard_normal((source.dimension, source.dimension))
    skew = 0.05 * (skew - skew.T) / np.sqrt(source.dimension)
    identity = np.eye(source.dimension)
    rotation = np.linalg.solve(identity + skew, identity - skew)
    step = LinearMap(Side((Stage(matrix=rotation),)), Side())
    moved = source.with_matrix(source.matrix @ rotation.astype(np.float32))
    with new_run(claim_run(folder)) as run:
        run.vectors(moved, "source", LAYOUT.suffix(kind))
        run.vectors(target, "target", LAYOUT.suffix(kind))
        run.map(step)
        run.rotation(step)
        run.lexicon(demo_lexicon("test"))
        parameters = {"loss": "l1", "solver": "minimum", "rounds": 1}
        run.record({"method": "refine", "parameters": parameters})
    return folder


@dataclass(frozen=True)
class Server:
    """A running explorer."""

    process: subprocess.Popen[str]
    address: str
    began: float

    def get(self, path: str) -> dict[str, dict[str, str]]:
        """The answer to a request."""
        with urlopen(self.address.rstrip("/") + path) as response:
            answer: dict[str, dict[str, str]] = json.load(response)
            return answer

    def seconds_to_answer(self, word: str) -> float:
        """How long after the start of the process the first translation is there."""
        self.get(f"/api/translate?word={quote(word)}")
        return time.perf_counter() - self.began

    def memory(self, name: str) -> int:
        """A figure of the kernel about the memory of the process, in bytes."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().split("\n")
        return 1024 * int(next(line for line in lines if line.startswith(name)).split()[1])


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """An explorer of this folder in a process of its own."""
    command = [sys.executable, "-c", PROGRAM, "explore", str(folder), "--port", "0"]
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = next(word for word in process.stdout.readline().split() if "://" in word)
            yield Server(process, address, began)
        finally:
            process.terminate()


def report(
    label: str,
    server: Server,
    words: dict[str, list[str]],
    generator: np.random.Generator,
    position: str,
) -> None:
    """Ask for translations of words that were not asked for before, one after the other."""
    seconds = []
    for number in range(QUERIES):
        side = ("source", "target")[number % 2]
        word = words[side][int(generator.integers(len(words[side])))]
        path = f"/api/translate?word={quote(word)}&side={side}&t={position}"
        began = time.perf_counter()
        server.get(path)
        seconds.append(time.perf_counter() - began)
    cells = (np.median(seconds), np.quantile(seconds, 0.95), max(seconds))
    row(label, *(milliseconds(cell) for cell in cells))


@dataclass
class Load:
    """What many clients met."""

    seconds: list[float] = field(default_factory=list)
    errors: int = 0


async def run_clients(
    address: str, words: dict[str, list[str]], clients: int, seconds: float
) -> Load:
    """As many clients as asked for, each with one request after the other."""
    load, end = Load(), time.perf_counter() + seconds
    host, port = address.split("/")[2].split(":")
    await asyncio.gather(
        *(client(host, int(port), words, end, load, seed) for seed in range(clients))
    )
    return load


async def client(
    host: str, port: int, words: dict[str, list[str]], end: float, load: Load, seed: int
) -> None:
    """One connection, kept open, and random requests as a page makes them."""
    generator = np.random.default_rng(seed)
    reader, writer = await asyncio.open_connection(host, port)
    while time.perf_counter() < end:
        side = ("source", "target")[int(generator.integers(2))]
        word = quote(words[side][int(generator.integers(10_000))])
        position = round(float(generator.integers(21)) / 20, 2)
        path = str(
            generator.choice(
                [
                    f"/api/translate?word={word}&side={side}",
                    f"/api/translate?word={word}&side={side}&t={position}",
                    f"/api/neighbours?word={word}&side={side}",
                    f"/api/map?word={word}&side={side}",
                    f"/api/words?prefix={word[:3].rstrip('%')}",
                    "/api/about",
                ]
            )
        )
        began = time.perf_counter()
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        status = await reader.readline()
        length = 0
        while (line := await reader.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        await reader.readexactly(length)
        load.seconds.append(time.perf_counter() - began)
        load.errors += b" 200 " not in status
    writer.close()
    await writer.wait_closed()


def milliseconds(seconds: float | np.floating) -> str:
    """Rounded for a table."""
    return f"{1000 * float(seconds):.0f} ms"


def megabytes(count: int) -> str:
    """Rounded for a table."""
    return f"{count / 1e6:.0f} MB"


if __name__ == "__main__":
    main()
