"""Test dictionaries of thousands of words, for differences that 1,500 words are too few for.

The pairs of MUSE's dictionaries and of xling-eval's test set, without all source words that are
among the 5,000 seeds of xling-eval; so they serve every method that was given these or fewer.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lexalign.vectors import Lexicon

MUSE = ("muse/{}.0-5000.txt", "muse/{}.5000-6500.txt")
TEST, SEEDS = "xling/yacle.test.freq.2k.{}.tsv", "xling/yacle.train.freq.5k.{}.tsv"


def main() -> None:
    """Write one dictionary for every pair of languages that xling-eval has seeds for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dictionaries", type=Path, help="the folder with muse/ and xling/")
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    before, _, after = SEEDS.partition("{}")
    for path in sorted(arguments.dictionaries.glob(SEEDS.format("*"))):
        languages = str(path.relative_to(arguments.dictionaries))[len(before) : -len(after)]
        seeds = {source for source, _ in Lexicon.read(path, lowercase=True)}
        files = [arguments.dictionaries / name.format(languages) for name in (*MUSE, TEST)]
        pairs = [
            pair
            for file in files
            if file.exists()
            for pair in Lexicon.read(file, lowercase=True)
            if pair[0] not in seeds
        ]
        if pairs:
            lexicon = Lexicon(list(dict.fromkeys(pairs)))
            lexicon.write(arguments.output / f"{languages}.tsv", overwrite=True)
            print(f"{languages}: {len(lexicon):,} pairs")


if __name__ == "__main__":
    main()
