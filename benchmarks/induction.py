"""Induced dictionaries on real pairs: the best aligner by hand, the chosen one, and the ranking.

Wants the folder of ``benchmarks.aligners``. Every setting is one line of JSON in the output file;
settings that are there already are not run again, so the work can be interrupted and divided. The
tables are made from that file by ``--table``.

A setting is SOURCE-TARGET:SEEDS, such as europarl.en-europarl.de:xling-1k. A dictionary that exists
in the other direction only is turned round. Seeds and test words are in lower case, like the
vectors. Test words that are seeds are left out.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.aligners import load
from benchmarks.measure import heading
from lexalign.evaluation.accuracy import contributions
from lexalign.induction import Inducer
from lexalign.induction.calibration import expected_calibration_error, reliability
from lexalign.induction.induced_translation import InducedTranslation
from lexalign.induction.methods import methods_to_try
from lexalign.induction.view import AlignedView, ViewMaps
from lexalign.progress import Progress
from lexalign.vectors import Lexicon

METRICS = ("p@1", "p@5", "mrr")
FREQUENT, RARE = 5000, 15_000
TRAIN = {
    "xling-500": ("xling/yacle.train.freq.1k.{}-{}.tsv", 500),
    "xling-1k": ("xling/yacle.train.freq.1k.{}-{}.tsv", None),
    "xling-5k": ("xling/yacle.train.freq.5k.{}-{}.tsv", None),
    "muse": ("muse/{}-{}.0-5000.txt", None),
}
TEST = {
    "xling": "xling/yacle.test.freq.2k.{}-{}.tsv",
    "muse": "muse/{}-{}.5000-6500.txt",
}


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
        result = run(arguments, setting)
        with arguments.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
        print(summary(result), flush=True)


def read(path: Path) -> list[dict[str, Any]]:
    """The results so far."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(arguments: argparse.Namespace, setting: str) -> dict[str, Any]:
    """Induce a dictionary in one setting, and measure it."""
    pair, _, kind = setting.partition(":")
    names = pair.split("-")
    source, target = (load(arguments.data, name) for name in names)
    languages = names[0].rpartition(".")[2], names[1].rpartition(".")[2]
    pattern, count = TRAIN[kind]
    seeds = dictionary(arguments.data, pattern, *languages)
    if count is not None:
        seeds = Lexicon(list(seeds)[:count])
    began, progress = time.perf_counter(), Progress()
    inducer = Inducer(
        method=arguments.method,
        seed=arguments.seed,
        budget=arguments.budget,
        device=arguments.device,
        both_directions=False,
    )
    induced = inducer.fit(source, target, seeds, progress)
    fitted = time.perf_counter()
    rows = np.arange(len(induced.pair.source))
    ranked = induced.rankings["forward"].rank(rows)
    ended = time.perf_counter()
    known = set(seeds.pairs)
    result: dict[str, Any] = {
        "setting": setting,
        "seed": arguments.seed,
        "seeds": len(induced.seeds),
        "seconds": {"fit": fitted - began, "rank all words": ended - fitted, **progress.seconds},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **induced.record,
        "tests": {},
    }
    test_kind = "muse" if kind == "muse" else "xling"
    test = dictionary(arguments.data, TEST[test_kind], *languages)
    gold = _gold(induced, [one for one in test if one not in known])
    result["tests"][test_kind] = _scores(induced, ranked, gold)
    if arguments.by_hand:
        result["by_hand"] = _by_hand(induced, gold, arguments)
    return result


def dictionary(data: Path, pattern: str, source: str, target: str) -> Lexicon:
    """The lexicon of two languages in lower case, turned round if need be."""
    path = data / "dictionaries" / pattern.format(source, target)
    if path.exists():
        return Lexicon.read(path, lowercase=True)
    other = data / "dictionaries" / pattern.format(target, source)
    return Lexicon.read(other, lowercase=True).swapped()


def _gold(induced: InducedTranslation, pairs: list[tuple[str, str]]) -> dict[int, set[int]]:
    """The references of every test word that has a vector and a reference with one."""
    source, target = induced.pair.source.index, induced.pair.target.index
    gold = dict[int, set[int]]()
    for word, reference in pairs:
        if word in source and reference in target:
            gold.setdefault(source[word], set()).add(target[reference])
    return dict(sorted(gold.items()))


def _scores(
    induced: InducedTranslation, ranked: Any, gold: Mapping[int, set[int]]
) -> dict[str, Any]:
    """Scores of CSLS by the chosen method and of the ranking, in groups, and the calibration."""
    words = np.array(list(gold))
    view = induced.rankings["forward"].evidence.views[-1]
    csls, nn = _places(view, words, gold, penalised=True), _places(view, words, gold, False)
    learned, chances, right = _ranked_places(ranked, words, gold, csls)
    alike = np.array(
        [
            any(
                induced.pair.source.words[word] == induced.pair.target.words[key]
                for key in gold[word]
            )
            for word in words.tolist()
        ]
    )
    groups = {
        "all": np.ones(len(words), dtype=bool),
        "other spelling": ~alike,
        f"rank below {FREQUENT}": words < FREQUENT,
        "between": (words >= FREQUENT) & (words < RARE),
        f"rank from {RARE}": words >= RARE,
    }
    bins = reliability(chances, right)
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
        "reliability": [one._asdict() for one in bins],
    }


def _places(
    view: AlignedView, words: np.ndarray, gold: Mapping[int, set[int]], penalised: bool
) -> np.ndarray:
    """The place of the best reference of every word in one view."""
    from lexalign.arrays import to_numpy

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
    ranked: Any, words: np.ndarray, gold: Mapping[int, set[int]], csls: np.ndarray
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


def _by_hand(
    induced: InducedTranslation, gold: Mapping[int, set[int]], arguments: argparse.Namespace
) -> dict[str, float]:
    """P@1 by CSLS on the test words of every method, fitted to all seeds."""
    words, pair = np.array(list(gold)), induced.pair
    found = dict[str, float]()
    for method in methods_to_try(arguments.device, arguments.seed):
        maps: ViewMaps = method.fit(pair.source.matrix, pair.target.matrix, induced.seeds)
        view = AlignedView(pair.source.matrix, pair.target.matrix, maps, device=arguments.device)
        places = _places(view, words, gold, penalised=True)
        found[method.name] = float((places == 1).mean())
    return found


def summary(result: Mapping[str, Any]) -> str:
    """One line."""
    test, scores = next(iter(result["tests"].items()))
    whole, alike = scores["groups"]["all"], scores["groups"]["other spelling"]
    figures = [f"{100 * whole[name]['p@1']:.1f}" for name in ("nn", "csls", "learned")]
    others = [f"{100 * alike[name]['p@1']:.1f}" for name in ("csls", "learned")]
    by_hand = result.get("by_hand") or {}
    best = max(by_hand, key=lambda name: by_hand[name]) if by_hand else ""
    hand = f" by hand {best} {100 * by_hand[best]:.1f}" if best else ""
    return (
        f"{result['setting']} {result['seeds']} {test} {scores['words']}: "
        f"{result['choice']['method']} | {' '.join(figures)} | {' '.join(others)} |"
        f" ECE {scores['calibration_error']:.3f} | {result['seconds']['fit']:.0f} s +"
        f" {result['seconds']['rank all words']:.0f} s, {result['peak_mb']:.0f} MB |{hand}"
    )


def print_tables(results: list[dict[str, Any]]) -> None:
    """All settings, one a line."""
    heading("Induced dictionaries")
    for result in results:
        print(summary(result))


if __name__ == "__main__":
    main()
