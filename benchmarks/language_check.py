"""How well the language check of training measures a known share of foreign text, and its cost.

Wants two texts in different languages, plain or compressed. Lines of the first are put into the
second, at its end, until they have a given share of all tokens.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import heading, row, table
from lexalign.training import Corpus, Counts
from lexalign.training.joint.language_contrast import language_contrast
from lexalign.training.languages import identify
from lexalign.training.passages import PassageSample

SHARES = (0.0, 0.02, 0.14, 0.4)
SEEDS = 12


def main() -> None:
    """Mix, measure, and time every step on the whole second text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--lines", type=int, default=40_000, help="of each text for the mixtures")
    arguments = parser.parse_args()
    source, target = (
        [piece for _, piece in zip(range(arguments.lines), Corpus((path,)), strict=False)]
        for path in (arguments.source, arguments.target)
    )
    half = len(source) // 2
    language = identify(sample_of(source, 0)).main
    heading(f"A known share of foreign text, samples with {SEEDS} seeds, in per cent of the tokens")
    table(
        "in the text",
        "identified: mean",
        "lowest",
        "highest",
        "by trigrams: mean",
        "lowest",
        "highest",
    )
    for share in SHARES:
        mixture, true = mixed(target, source[half:], share)
        found = []
        for seed in range(SEEDS):
            passages = sample_of(mixture, seed)
            contrast = language_contrast(sample_of(source[:half], seed), passages)
            found.append((identify(passages).shares.get(language, 0.0), contrast.target.other))
        figures = [
            f"{100 * figure:.1f}"
            for values in zip(*found, strict=True)
            for figure in (sum(values) / SEEDS, min(values), max(values))
        ]
        row(f"{100 * true:.1f}", *figures)
    halves = language_contrast(sample_of(source[::2], 0), sample_of(source[1::2], 0))
    print(f"\nTwo halves of the first text are told apart: {halves.is_plain}")
    costs(arguments.target, sample_of(source, 0))


def costs(path: Path, other: list[str]) -> None:
    """CPU time of counting, and of every step of the check."""
    heading(f"Cost, {path.name}, CPU seconds")
    sample = PassageSample()
    table("step", "seconds")
    steps: dict[str, Callable[[], object]] = {
        "counting": lambda: Counts.of(Corpus((path,))),
        "counting and taking the sample": lambda: Counts.of(sample.watch(Corpus((path,)))),
        "identifying": lambda: identify(sample.passages),
        "comparing by trigrams": lambda: language_contrast(other, sample.passages),
    }
    for name, step in steps.items():
        began = time.process_time()
        step()
        row(name, f"{time.process_time() - began:.2f}")


def mixed(
    target: list[list[str]], source: list[list[str]], share: float
) -> tuple[list[list[str]], float]:
    """The target with enough of the source, and the share of tokens that this has."""
    own = sum(map(len, target))
    foreign, taken = 0, 0
    while taken < len(source) and foreign < share / (1 - share) * own:
        foreign += len(source[taken])
        taken += 1
    return target + source[:taken], foreign / (own + foreign)


def sample_of(pieces: list[list[str]], seed: int) -> list[str]:
    """A sample of passages."""
    sample = PassageSample(seed=seed)
    for _ in sample.watch(pieces):
        pass
    return sample.passages


if __name__ == "__main__":
    main()
