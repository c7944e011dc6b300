"""Time and memory of induction on large vocabularies.

Wants the folder of ``benchmarks.aligners`` and a setting of ``benchmarks.settings``. Both
vocabularies are enlarged by made-up rare words (see ``benchmarks.vocabularies``); so accuracy means
nothing here. The dictionary has the most frequent words.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

from benchmarks.measure import heading
from benchmarks.settings import Setting
from benchmarks.vocabularies import enlarged
from lexalign.induction import Inducer
from lexalign.progress import Progress


def main() -> None:
    """Print the seconds of every stage, and the peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("setting")
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--max-rank", type=int, default=20_000)
    parser.add_argument("--method", default="procb --variant once --final vecmap")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    setting = Setting(arguments.data, arguments.setting)
    source, target = (
        enlarged(side, arguments.words, number) for number, side in enumerate(setting.embeddings())
    )
    vectors = peak_megabytes()
    began, progress = time.perf_counter(), Progress()
    inducer = Inducer(method=arguments.method, device=arguments.device)
    induced = inducer.fit(source, target, setting.seeds(), progress)
    fitted = time.perf_counter() - began
    found = induced.dictionary(max_rank=arguments.max_rank)
    total = time.perf_counter() - began
    heading(f"Induction of {arguments.words:,} × {arguments.words:,} words, {setting.name}")
    print(f"learning: {fitted:.0f} s; dictionary of {len(found.top(1)):,} words: {total:.0f} s")
    print(f"peak: {peak_megabytes():.0f} MB; with the vectors alone: {vectors:.0f} MB")
    for stage, seconds in progress.seconds.items():
        print(f"    {stage}: {seconds:.0f} s")


def peak_megabytes() -> float:
    """The peak of resident memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
