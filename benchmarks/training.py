"""Joint training on text of two sizes: speed, and that memory does not grow with the text.

Wants two corpora, plain or compressed. One pass each; the vocabulary is cut to the same size, so
that what differs is the text alone.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.aligners import apart, memory
from benchmarks.measure import heading, row, table
from lexalign.training import MODELS, BalancedCorpora, Corpus, Counts, Trainer
from lexalign.vectors.compression import open_decompressed

PARTS = (8, 4, 1)


def main() -> None:
    """Train on an eighth, a quarter and all of the text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--vocabulary", type=int, default=20_000, help="words of each language")
    parser.add_argument("--models", nargs="*", choices=MODELS, default=["fasttext"])
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    heading(f"Joint training, {arguments.vocabulary:,} words a language, one pass")
    table("model", "part", "tokens read", "different words", "words", "tokens/s", "peak memory")
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            files = [
                shortened(path, part, Path(folder) / f"{part}.{name}")
                for name, path in (("source", arguments.source), ("target", arguments.target))
            ]
            for model in arguments.models:
                trainer = Trainer(
                    model=model,
                    vocabulary=arguments.vocabulary,
                    epochs=1,
                    workers=arguments.workers,
                )
                figures = apart(measure, trainer, files)
                row(
                    model,
                    f"1/{part}",
                    f"{figures['tokens']:,}",
                    f"{figures['types']:,}",
                    f"{figures['words']:,}",
                    f"{figures['speed']:,.0f}",
                    f"{figures['peak'] / 1e6:.0f} MB",
                )


def shortened(path: Path, part: int, output: Path) -> Path:
    """Every so many lines of a text, as a file."""
    with open_decompressed(path) as file, output.open("wb") as shorter:
        shorter.writelines(line for number, line in enumerate(file) if number % part == 0)
    return output


def measure(trainer: Trainer, files: list[Path]) -> dict[str, Any]:
    """Count and train, in a process of its own."""
    corpora = Corpus((files[0],)), Corpus((files[1],))
    counts = Counts.of(corpora[0]), Counts.of(corpora[1])
    text = BalancedCorpora(corpora, counts)
    words = text.vocabulary(trainer.vocabulary, trainer.minimum_count)
    began = time.perf_counter()
    trainer.train(text, words, text.tokens)
    return {
        "tokens": sum(side.tokens for side in counts),
        "types": sum(len(side.words) for side in counts),
        "words": len(words),
        "speed": text.tokens / (time.perf_counter() - began),
        "peak": memory("VmHWM"),
    }


if __name__ == "__main__":
    main()
