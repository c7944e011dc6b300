"""Induced dictionaries on real pairs: the best aligner by hand, the chosen one, and the ranking.

Wants the folder of ``benchmarks.aligners``. Every setting is one line of JSON in the output file;
settings that are there already are not run again, so the work can be interrupted and divided. The
tables are made from that file by ``--table``.

Settings are those of ``benchmarks.settings``.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import heading
from benchmarks.settings import Setting
from lexalign.arrays import to_numpy
from lexalign.evaluation.accuracy import contributions
from lexalign.induction import Inducer
from lexalign.induction.calibration import (
    BINS,
    ReliabilityBin,
    expected_calibration_error,
    reliability,
)
from lexalign.induction.induced_translation import InducedTranslation
from lexalign.induction.learned_ranking import LearnedRanking, RankedCandidates
from lexalign.induction.methods import methods_to_try
from lexalign.induction.view import AlignedView, ViewMaps
from lexalign.progress import Progress
from lexalign.vectors import Embeddings

METRICS = ("p@1", "p@5", "mrr")
FREQUENT, RARE = 5000, 15_000
DRAWS = 200


def main() -> None:
    """Run settings, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("output", type=Path, help="a file of JSON lines")
    parser.add_argument("settings", nargs="*")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=Inducer().budget)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--by-hand", action="store_true", help="also fit every method to all seeds")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        print_tables(read(arguments.output))
        return
    done = {(one["setting"], one["seed"]) for one in read(arguments.output)}
    for setting in arguments.settings:
        if (setting, arguments.seed) in done:
            continue
        result = run(arguments, Setting(arguments.data, setting, arguments.seed))
        with arguments.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
        print(*rows(result), sep="\n", flush=True)


def read(path: Path) -> list[dict[str, Any]]:
    """The results so far."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(arguments: argparse.Namespace, setting: Setting) -> dict[str, Any]:
    """Induce a dictionary in one setting, and measure it."""
    source, target = setting.embeddings()
    began, progress = time.perf_counter(), Progress()
    inducer = Inducer(
        method=arguments.method,
        seed=arguments.seed,
        budget=arguments.budget,
        device=arguments.device,
        both_directions=setting.both_directions,
    )
    induced = inducer.fit(source, target, setting.seeds(), progress)
    result: dict[str, Any] = {
        "setting": setting.name,
        "seed": arguments.seed,
        "seeds": len(induced.seeds),
        "seconds": {"fit": time.perf_counter() - began, **progress.seconds},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **induced.record,
        "tests": {},
    }
    fitted = dict[str, ViewMaps]()
    if arguments.by_hand:
        sides = induced.pair.source.matrix, induced.pair.target.matrix
        methods = methods_to_try(arguments.device, arguments.seed)
        fitted = {method.name: method.fit(*sides, induced.seeds) for method in methods}
    for direction, ranking in induced.rankings.items():
        found = Directed(induced, ranking, turned=direction == "backward")
        gold = setting.gold(*found.sides, found.turned)
        scores = found.scores(gold)
        scores["by_hand"] = found.by_hand(gold, fitted)
        result["tests"][direction] = scores
    return result


@dataclass(frozen=True)
class Directed:
    """What was induced, in one direction."""

    induced: InducedTranslation
    ranking: LearnedRanking
    turned: bool

    @property
    def sides(self) -> tuple[Embeddings, Embeddings]:
        """The words to translate, and the candidates."""
        pair = self.induced.pair
        return (pair.target, pair.source) if self.turned else (pair.source, pair.target)

    def scores(self, gold: Mapping[int, set[int]]) -> dict[str, Any]:
        """Scores of CSLS by the alignment and of the ranking, in groups, and the calibration."""
        words = np.array(list(gold))
        view = self._view(self.induced.maps)
        csls, nn = _places(view, words, gold, penalised=True), _places(view, words, gold, False)
        learned, chances, right = _ranked_places(self.ranking.rank(words), words, gold, csls)
        one, other = (side.words for side in self.sides)
        alike = np.array([any(one[w] == other[key] for key in gold[w]) for w in words.tolist()])
        groups = {
            "all": np.ones(len(words), dtype=bool),
            "other spelling": ~alike,
            f"rank below {FREQUENT}": words < FREQUENT,
            "between": (words >= FREQUENT) & (words < RARE),
            f"rank from {RARE}": words >= RARE,
        }
        bins, random = reliability(chances, right), np.random.default_rng(0)
        drawn = [
            expected_calibration_error(reliability(chances, random.random(len(chances)) < chances))
            for _ in range(DRAWS)
        ]
        return {
            "words": len(words),
            "groups": {
                name: {
                    "words": int(chosen.sum()),
                    **{
                        ranking: {
                            metric: float(contributions(places[chosen], metric).mean())
                            for metric in METRICS
                        }
                        for ranking, places in (("nn", nn), ("csls", csls), ("learned", learned))
                    },
                }
                for name, chosen in groups.items()
                if chosen.any()
            },
            "calibration_error": expected_calibration_error(bins),
            "calibration_error_by_chance": float(np.mean(drawn)),
            "reliability": [one._asdict() for one in bins],
        }

    def by_hand(
        self, gold: Mapping[int, set[int]], fitted: Mapping[str, ViewMaps]
    ) -> dict[str, float]:
        """P@1 by CSLS on the test words of every method."""
        words, found = np.array(list(gold)), dict[str, float]()
        for name, maps in fitted.items():
            places = _places(self._view(maps), words, gold, penalised=True)
            found[name] = float((places == 1).mean())
        return found

    def _view(self, maps: ViewMaps) -> AlignedView:
        pair = self.induced.pair
        view = AlignedView(pair.source.matrix, pair.target.matrix, maps, device=pair.device)
        return view.swapped if self.turned else view


def _places(
    view: AlignedView, words: np.ndarray, gold: Mapping[int, set[int]], penalised: bool
) -> np.ndarray:
    """The place of the best reference of every word in one view."""
    penalty = 0.5 * view.target_density if penalised else np.zeros(len(view.target_density))
    places = np.empty(len(words), dtype=np.int64)
    for start in range(0, len(words), 256):
        some = words[start : start + 256]
        scores = to_numpy(view.source[some] @ view.target.T) - penalty
        for row, word in enumerate(some.tolist()):
            best = max(scores[row, key] for key in gold[word])
            places[start + row] = 1 + int((scores[row] > best).sum())
    return places


def _ranked_places(
    ranked: RankedCandidates, words: np.ndarray, gold: Mapping[int, set[int]], csls: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places by the ranking; the probability of each first translation, and whether it is right."""
    starts = np.searchsorted(ranked.rows, words)
    ends = np.searchsorted(ranked.rows, words, side="right")
    places = np.empty(len(words), dtype=np.int64)
    for number, word in enumerate(words.tolist()):
        keys = ranked.keys[starts[number] : ends[number]].tolist()
        first = next((place for place, key in enumerate(keys, 1) if key in gold[word]), None)
        places[number] = first or max(int(csls[number]), len(keys) + 1)
    return places, ranked.probabilities[starts], places == 1


def rows(result: Mapping[str, Any]) -> Iterator[str]:
    """One row of the table for each direction."""
    setting = Setting(Path(), result["setting"], result["seed"])
    for direction, test in result["tests"].items():
        whole, alike = test["groups"]["all"], test["groups"]["other spelling"]

        def figures(which: str, of: Mapping[str, Any] = whole) -> str:
            scores = of[which]
            return f"{100 * scores['p@1']:.1f} / {100 * scores['p@5']:.1f} / {scores['mrr']:.3f}"

        by_hand = test.get("by_hand") or {}
        best = max(by_hand, key=lambda name: by_hand[name]) if by_hand else None
        cells = [
            setting.title(turned=direction == "backward"),
            setting.kind,
            f"{result['seeds']:,}",
            str(test["words"]),
            figures("csls"),
            figures("learned"),
            f"{100 * alike['csls']['p@1']:.1f} → {100 * alike['learned']['p@1']:.1f}",
            result["ranking"][direction]["selected_by"],
            f"{test['calibration_error']:.3f} ({test['calibration_error_by_chance']:.3f})",
            f"`{result['choice']['method']}`",
            "" if best is None else f"`{best}` {100 * by_hand[best]:.1f}",
        ]
        yield f"| {' | '.join(cells)} |"


def print_tables(results: list[dict[str, Any]]) -> None:
    """All settings, one a line, and the means."""
    heading("Induced dictionaries")
    for result in results:
        for row in rows(result):
            print(row)
    tests = [test for result in results for test in result["tests"].values()]
    for group in (
        "all",
        "other spelling",
        f"rank below {FREQUENT}",
        "between",
        f"rank from {RARE}",
    ):
        parts = [test["groups"][group] for test in tests if group in test["groups"]]
        words = sum(part["words"] for part in parts)
        means = [
            100 * sum(part["words"] * part[which]["p@1"] for part in parts) / max(words, 1)
            for which in ("csls", "learned")
        ]
        print(f"{group}: {means[0]:.1f} → {means[1]:.1f} ({words:,} words)")
    gains = [
        100 * (test["groups"]["all"]["learned"]["p@1"] - test["groups"]["all"]["csls"]["p@1"])
        for test in tests
    ]
    print(f"gain: mean {np.mean(gains):+.1f}, least {min(gains):+.1f}")
    print_calibration(results)
    behind = [
        100 * (max(test["by_hand"].values()) - test["groups"]["all"]["csls"]["p@1"])
        for test in tests
        if test.get("by_hand")
    ]
    if behind:
        print(f"chosen behind the best by hand: {np.mean(behind):.2f} ({len(behind)} tests)")


def print_calibration(results: list[dict[str, Any]]) -> None:
    """The calibration error of all tests of a kind together, and by how much it is too high."""
    tests = [
        (("drawn " if "-split" in result["setting"] else "") + ranking["selected_by"], test)
        for result in results
        for direction, test in result["tests"].items()
        for ranking in (result["ranking"][direction],)
    ]
    for kind in sorted({kind for kind, _ in tests}):
        merged = dict[int, list[ReliabilityBin]]()
        for one in (
            ReliabilityBin(**one) for k, test in tests if k == kind for one in test["reliability"]
        ):
            merged.setdefault(min(int(BINS * one.probability), BINS - 1), []).append(one)
        bins = [
            ReliabilityBin(
                sum(one.words for one in some),
                float(
                    np.average([one.probability for one in some], weights=[o.words for o in some])
                ),
                float(np.average([one.right for one in some], weights=[o.words for o in some])),
            )
            for some in merged.values()
        ]
        words = sum(one.words for one in bins)
        above = sum(one.words * (one.probability - one.right) for one in bins) / words
        alone = [test["calibration_error"] for k, test in tests if k == kind]
        chance = [test["calibration_error_by_chance"] for k, test in tests if k == kind]
        print(
            f"calibration error, selected by {kind}: {min(alone):.3f} to {max(alone):.3f}, mean "
            f"{np.mean(alone):.3f} (chance {np.mean(chance):.3f}), {len(alone)} tests; all words "
            f"together {expected_calibration_error(bins):.3f}, too high by {above:+.3f}, "
            f"{words:,} words"
        )


if __name__ == "__main__":
    main()
