"""Rankings from labels that were selected by the target: what correcting for it gains.

Wants the folder of ``benchmarks.aligners`` and settings as in ``benchmarks.induction``. For both
directions of every setting, P@1 and calibration error on test words of a ranking that knows

    all         all features, uncorrected
    without     no frequency
    offset      all features, with the coverage of the labels as an offset

and the calibration error of the last one without weights, and with weights of at most 3, 20 (the
default) and any times the median. A star marks the ranking that ``lexalign induce`` takes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.aligners import load
from benchmarks.induction import TEST, dictionary, seed_pairs
from benchmarks.measure import heading
from lexalign.aligners.pairs import Pairs, known_seeds
from lexalign.induction.calibration import (
    Calibration,
    expected_calibration_error,
    reliability,
)
from lexalign.induction.candidates import Candidates
from lexalign.induction.cross_fitting import TrainingTable, training_tables, views_of_folds
from lexalign.induction.features import GROUPS, Evidence, FeatureTable
from lexalign.induction.label_coverage import LabelCoverage, target_was_selected
from lexalign.induction.labels import Labels
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.methods import named_method
from lexalign.induction.ranker import Boosting
from lexalign.induction.view import ViewMaps
from lexalign.spaces import normalise
from lexalign.vectors import Embeddings

HEAVIEST = (None, 3.0, 20.0, np.inf)
METHOD = "procb --variant once --final vecmap"
WITHOUT = tuple(group for group in GROUPS if "frequency" not in group)


class Test:
    """The candidates of test words, with their features, and which are right."""

    __test__ = False

    def __init__(self, evidence: Evidence, gold: dict[int, set[int]]) -> None:
        self.found: Candidates = evidence.candidates(np.array(sorted(gold)))
        self.features: FeatureTable = evidence.features(self.found)
        self.right = self.found.right(np.array([(w, key) for w in gold for key in gold[w]]))

    def first(self, scores: np.ndarray) -> np.ndarray:
        """The places of the first translation of each word."""
        return np.flatnonzero(self.found.places(scores) == 0)


def main() -> None:
    """Print one row a setting and direction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("settings", nargs="+")
    arguments = parser.parse_args()
    heading("Labels that the target selected")
    for setting in arguments.settings:
        for row in rows(arguments.data, setting):
            print(row, flush=True)


def rows(data: Path, setting: str) -> Iterator[str]:
    """One row of the table for each direction of a setting."""
    pair, _, kind = setting.partition(":")
    names = pair.split("-")
    languages = [name.rpartition(".")[2] for name in names]
    one, other = (normalise(load(data, name), "unit,centre,unit").words for name in names)
    lexicon = seed_pairs(data, kind, *languages)
    seeds = known_seeds(one, other, lexicon, "auto")
    folds = Labels.of_seeds(seeds.rows, 3, 0).folds
    method, both = named_method(METHOD, "cpu", 0), LanguagePair(one, other)

    def chosen(fold: int | None) -> ViewMaps:
        pairs = folds.seeds if fold is None else folds.known(fold)
        return method.fit(one.matrix, other.matrix, Pairs(pairs))

    views = views_of_folds(both, folds, chosen)
    tables, evidence = training_tables(both, folds, views), both.evidence(views[-1])
    pattern = TEST["xling" if kind.startswith("xling") else "muse"]
    for table, seen, sides, ends, known in zip(
        tables,
        (evidence, evidence.swapped),
        ((one, other), (other, one)),
        (languages, languages[::-1]),
        (set(lexicon.pairs), set(lexicon.swapped().pairs)),
        strict=True,
    ):
        gold = dict[int, set[int]]()
        for word, reference in dictionary(data, pattern, *ends):
            if word in sides[0] and reference in sides[1] and (word, reference) not in known:
                gold.setdefault(sides[0].index[word], set()).add(sides[1].index[reference])
        corpus = names[0].partition(".")[0]
        labels = folds.seeds if sides[0] is one else folds.seeds[:, ::-1]
        figures = compared(table, labels, Test(seen, gold), sides)
        yield f"| {corpus} {'-'.join(ends)} | {kind} | {' | '.join(figures)} |"


def compared(
    table: TrainingTable, labels: np.ndarray, test: Test, sides: tuple[Embeddings, Embeddings]
) -> list[str]:
    """The figures of every ranking, then those of every weighting."""
    found = table.candidates
    sizes = len(sides[0]), len(sides[1])
    selected = target_was_selected(labels, *sizes)
    coverage = LabelCoverage.of(np.unique(labels[:, 1]), sizes[1])
    figures = ["target" if selected else "source"]
    for name, groups, offsets in (
        ("all", GROUPS, None),
        ("without", WITHOUT, None),
        ("offset", GROUPS, np.log(coverage.at(found.keys))),
    ):
        values = table.features.only(groups).values
        ranker, seen = Boosting().fit(values, table.right, found.rows, table.folds, offsets)
        scores = ranker.scores(test.features.only(groups).values)
        star = "*" if name == ("offset" if selected else "all") else ""
        right = test.right[test.first(scores)]
        figures.append(f"{100 * right.mean():.1f}{star}")
    for heaviest in HEAVIEST:
        weights = np.ones(len(found.words))
        if heaviest is not None:
            weights = coverage.weights(found.words, labels, heaviest)
        weights = np.repeat(weights, found.counts)
        calibration = Calibration.fit(seen, found.rows, table.right, weights)
        first = test.first(scores)
        chances = calibration.probabilities(scores, test.found.rows)[first]
        error = expected_calibration_error(reliability(chances, test.right[first]))
        figures.append(f"{error:.3f}")
    return figures


if __name__ == "__main__":
    main()
