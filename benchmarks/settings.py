"""The settings in which induction is measured: a language pair, seeds, and test words.

A setting is SOURCE-TARGET:SEEDS, such as europarl.en-europarl.de:xling-1k. SEEDS is a name of
``TRAIN``: the seeds of a dictionary, tested on its own test words. Or it is a name of ``SPLIT``:
seeds and test words are drawn by chance from all words of the dictionary, so that test words are
like seeds. Or it is "none".

xling's lexicons, which are the same in both directions, and drawn ones are tested in both. A
dictionary that exists in the other direction only is turned round. Seeds and test words are in
lower case, like the vectors. Test pairs that are seeds are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.aligners import load
from lexalign.aligners.pairs import known_seeds
from lexalign.induction.cross_fitting import SeedFolds
from lexalign.induction.labels import Labels
from lexalign.spaces import normalise
from lexalign.vectors import Embeddings, Lexicon
from lexalign.vectors.lexicon_split import LexiconSplit

TRAIN = {
    "xling-100": ("xling/yacle.train.freq.1k.{}-{}.tsv", 100),
    "xling-200": ("xling/yacle.train.freq.1k.{}-{}.tsv", 200),
    "xling-500": ("xling/yacle.train.freq.1k.{}-{}.tsv", 500),
    "xling-1k": ("xling/yacle.train.freq.1k.{}-{}.tsv", None),
    "xling-5k": ("xling/yacle.train.freq.5k.{}-{}.tsv", None),
    "muse": ("muse/{}-{}.0-5000.txt", None),
}
TEST = {
    "xling": "xling/yacle.test.freq.2k.{}-{}.tsv",
    "muse": "muse/{}-{}.5000-6500.txt",
}
SPLIT = {"xling-split": "xling-5k", "muse-split": "muse"}
TEST_SHARE = 0.3
FOLDS = 3


@dataclass(frozen=True)
class Setting:
    """A setting by its name, the folder with the data, and the random seed of what is drawn."""

    data: Path
    name: str
    seed: int = 0

    @property
    def kind(self) -> str:
        """Which seeds."""
        return self.name.partition(":")[2]

    @property
    def files(self) -> list[str]:
        """The names of the two files of vectors."""
        return self.name.partition(":")[0].split("-")

    @property
    def both_directions(self) -> bool:
        """Whether the lexicon is tested in both directions."""
        return self.kind.startswith("xling") or self.kind in SPLIT

    def title(self, turned: bool = False) -> str:
        """The corpus and the languages, such as "europarl en-de"."""
        corpus, ends = self.files[0].partition(".")[0], self._languages
        return f"{corpus} {'-'.join(ends[::-1] if turned else ends)}"

    def embeddings(self) -> tuple[Embeddings, Embeddings]:
        """The vectors of both sides."""
        one, other = (load(self.data, name) for name in self.files)
        return one, other

    def seeds(self) -> Lexicon | None:
        """The seeds, if there are any."""
        if self.kind == "none":
            return None
        if self.kind in SPLIT:
            return self._parts()[0]
        pattern, count = TRAIN[self.kind]
        seeds = self._dictionary(pattern)
        return seeds if count is None else Lexicon(list(seeds)[:count])

    def seeded(self) -> tuple[Embeddings, Embeddings, SeedFolds]:
        """Both sides, normalised as ``lexalign induce`` does, and the seeds in folds."""
        one, other = (normalise(side, "unit,centre,unit").words for side in self.embeddings())
        lexicon = self.seeds()
        if lexicon is None:
            raise SystemExit(f"{self.name} has no seeds.")
        seeds = known_seeds(one, other, lexicon, "auto")
        return one, other, Labels.of_seeds(seeds.rows, FOLDS, self.seed).folds

    def test(self, turned: bool = False) -> list[tuple[str, str]]:
        """The test pairs that are no seeds, those from target to source if ``turned``."""
        seeds = self.seeds()
        known = set() if seeds is None else set(seeds.swapped().pairs if turned else seeds.pairs)
        if self.kind in SPLIT:
            part = self._parts()[1]
            pairs, words = part.swapped() if turned else part, {source for source, _ in known}
            return [pair for pair in pairs if pair[0] not in words]
        pattern = TEST["xling" if self.kind.startswith("xling") else "muse"]
        return [pair for pair in self._dictionary(pattern, turned) if pair not in known]

    def gold(
        self, source: Embeddings, target: Embeddings, turned: bool = False
    ) -> dict[int, set[int]]:
        """The references of every test word that has a vector and a reference with one, as rows.

        ``source`` has the words to translate, the second side of the setting if ``turned``.
        """
        gold = dict[int, set[int]]()
        for word, reference in self.test(turned):
            if word in source and reference in target:
                gold.setdefault(source.index[word], set()).add(target.index[reference])
        return dict(sorted(gold.items()))

    @property
    def _languages(self) -> tuple[str, str]:
        one, other = (name.rpartition(".")[2] for name in self.files)
        return one, other

    def _parts(self) -> tuple[Lexicon, Lexicon]:
        """All pairs of a dictionary, divided by chance."""
        train = SPLIT[self.kind]
        patterns = TRAIN[train][0], TEST["xling" if train.startswith("xling") else "muse"]
        pairs = list(dict.fromkeys(pair for one in patterns for pair in self._dictionary(one)))
        parts = LexiconSplit(test_share=TEST_SHARE, seed=self.seed).rows(pairs)
        seeds, test = (Lexicon([pairs[row] for row in rows]) for rows in parts)
        return seeds, test

    def _dictionary(self, pattern: str, turned: bool = False) -> Lexicon:
        """A lexicon from source to target, or back, in lower case; turned round if need be."""
        ends = self._languages[::-1] if turned else self._languages
        path = self.data / "dictionaries" / pattern.format(*ends)
        if path.exists():
            return Lexicon.read(path, lowercase=True)
        other = self.data / "dictionaries" / pattern.format(*ends[::-1])
        return Lexicon.read(other, lowercase=True).swapped()


def pair_rows(gold: Mapping[int, set[int]]) -> np.ndarray:
    """The references of words as pairs of rows, (n, 2)."""
    return np.array([(word, key) for word, keys in gold.items() for key in sorted(keys)])
