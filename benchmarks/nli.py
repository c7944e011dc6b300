"""Training of natural language inference: pairs a second, and what bounds them.

On a GPU that is the time that torch's two BiLSTMs need for the same words, forward and backward,
without anything around them. On the CPU the LSTM is our own; there the CPU time of an epoch is
shown, which other work on the machine changes little. Sentences are made up, with lengths like
those of MultiNLI, unless a file of pairs and vectors are given.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch.nn.utils.rnn import PackedSequence

from benchmarks.measure import Timing, heading, interleaved, row, table, timed
from lexalign import read
from lexalign.evaluation.nli.encoding import EncodedPairs, Sentences, TokenCoverage, encode
from lexalign.evaluation.nli.esim import Esim
from lexalign.evaluation.nli.examples import Examples
from lexalign.evaluation.nli.inference import word_table
from lexalign.evaluation.nli.learner import Learner
from lexalign.vectors import Embeddings
from lexalign.vectors.tokens import tokeniser

WORDS, DIMENSION = 30_000, 300


def main() -> None:
    """One row a batch size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--batches", type=int, nargs="*", default=[32, 128, 256, 512])
    parser.add_argument("--hidden", type=int, default=300)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--train", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    vectors, examples = data(arguments.vectors, arguments.train, arguments.pairs)
    words = len(examples.sentences.rows) / len(examples)
    device = torch.cuda.get_device_name() if arguments.device == "cuda" else "the CPU"
    heading(
        f"Training ESIM on {device}: {len(examples):,} pairs of {words:.0f} known words, "
        f"{arguments.hidden} hidden units"
    )
    show = show_on_a_gpu if arguments.device == "cuda" else show_on_the_cpu
    for number, batch in enumerate(arguments.batches):
        learner = Learner(batch=batch, hidden=arguments.hidden, device=arguments.device)
        show(learner, vectors, examples, arguments.repeats, heads=number == 0)


def show_on_a_gpu(
    learner: Learner, vectors: Embeddings, examples: EncodedPairs, repeats: int, *, heads: bool
) -> None:
    """One row: an epoch beside its LSTMs."""
    if heads:
        table("batch", "an epoch", "pairs/s", "the LSTMs alone", "their share")
    functions = work(learner, vectors, examples)
    for function in functions.values():
        function()
    found = interleaved(functions, repeats)
    whole, alone = found["whole"], found["lstms"]
    row(
        learner.batch,
        whole,
        f"{len(examples) / whole.median:,.0f}",
        alone,
        f"{100 * alone.median / whole.median:.0f} %",
    )


def show_on_the_cpu(
    learner: Learner, vectors: Embeddings, examples: EncodedPairs, repeats: int, *, heads: bool
) -> None:
    """One row: an epoch and its CPU time, of which the median is shown."""
    if heads:
        table("batch", "an epoch", "pairs/s", "user", "system", "pairs a CPU second")
    whole = work(learner, vectors, examples)["whole"]
    whole()
    used, timings = list[tuple[float, float]](), list[float]()
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_SELF)
        timings += timed(whole, 1).seconds
        after = resource.getrusage(resource.RUSAGE_SELF)
        used.append((after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime))
    user, system = (float(np.median(column)) for column in zip(*used, strict=True))
    timing = Timing(tuple(timings))
    row(
        learner.batch,
        timing,
        f"{len(examples) / timing.median:,.0f}",
        f"{user:.1f} s",
        f"{system:.1f} s",
        f"{len(examples) / (user + system):,.0f}",
    )


def data(vectors: Path | None, train: Path | None, pairs: int) -> tuple[Embeddings, EncodedPairs]:
    """What is given, or random words in sentences of likely lengths."""
    if vectors is not None and train is not None:
        words = read(vectors)
        return words, encode(Examples.read(train, limit=pairs), words.index, tokeniser("words"))
    random = np.random.default_rng(0)
    lengths = np.concatenate(
        (
            np.clip(random.lognormal(2.8, 0.6, pairs), 1, 100),
            np.clip(random.lognormal(2.2, 0.45, pairs), 1, 50),
        )
    ).astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    rows = random.integers(0, WORDS, starts[-1])
    matrix = random.standard_normal((WORDS, DIMENSION)).astype(np.float32)
    sentences = Sentences(rows, starts)
    labels = random.integers(0, 3, pairs)
    known = TokenCoverage(len(rows), len(rows), 0, 0)
    return (
        Embeddings([f"w{number}" for number in range(WORDS)], matrix),
        EncodedPairs(sentences, labels, known),
    )


def work(
    learner: Learner, vectors: Embeddings, examples: EncodedPairs
) -> dict[str, Callable[[], object]]:
    """An epoch of training, and the LSTMs of the same batches."""
    device = learner.device
    model = Esim(vectors.dimension, learner.hidden, learner.dropout).to(device)
    optimiser = torch.optim.Adam(model.parameters(), lr=learner.rate, fused=True)
    words = word_table(vectors, device)
    batches = [
        (torch.as_tensor(batch.rows, device=device), torch.as_tensor(batch.sizes))
        for chosen in examples.order(learner.batch, np.random.default_rng(0))
        for batch in (examples.batch(chosen),)
    ]

    def whole() -> None:
        random = np.random.default_rng(0)
        learner.epoch(torch, model, optimiser, words, examples, random, lambda units: None)

    def lstms() -> None:
        for rows, sizes in batches:
            read_states = model.reader(PackedSequence(words[rows], sizes))[0].data
            half = read_states[:, : learner.hidden]
            states = model.composer(PackedSequence(half, sizes))[0].data
            states.sum().backward()
            model.zero_grad(set_to_none=True)

    def finished(work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            work()
            if device == "cuda":
                torch.cuda.synchronize()

        return run

    return {"whole": finished(whole), "lstms": finished(lstms)}


if __name__ == "__main__":
    main()
