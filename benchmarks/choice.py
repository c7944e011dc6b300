"""How well cross-validation on the seeds chooses a method, and rules for the choice compared.

Wants the folder of ``benchmarks.aligners`` and the settings of ``benchmarks.settings``. Every
method is fitted without each fold and to all seeds, without a budget. One line of JSON a setting
keeps which held-out words and which test words each method translates correctly, in both
directions; settings that are there already are not run again. ``--table`` compares rules on them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.induction import read
from benchmarks.measure import heading
from benchmarks.settings import Setting, pair_rows
from lexalign.aligners.pairs import Pairs
from lexalign.errors import LexalignError
from lexalign.induction.methods import methods_to_try
from lexalign.induction.selection import LEVEL, first_choices, judging_folds
from lexalign.induction.view import AlignedView, mapped

DIRECTIONS = ("forward", "backward")
LEVELS = (0.0, 0.5, 1.0)
DRAWS = 200


def main() -> None:
    """Run settings, or compare rules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("output", type=Path, help="a file of JSON lines")
    parser.add_argument("settings", nargs="*")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        print_table(read(arguments.output))
        return
    done = {(one["setting"], one["seed"]) for one in read(arguments.output)}
    for setting in arguments.settings:
        if (setting, arguments.seed) in done:
            continue
        result = run(Setting(arguments.data, setting, arguments.seed))
        with arguments.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
        for method, found in result["methods"].items():
            held = [100 * np.mean(found["held-out"][way]["right"]) for way in DIRECTIONS]
            test = [100 * np.mean(found["test"][way]) for way in DIRECTIONS]
            print(setting, method, np.round(held + test, 1), round(found["seconds"]), flush=True)


def run(setting: Setting) -> dict[str, Any]:
    """Fit every method without each fold and to all seeds, and keep what it translates."""
    one, other, folds = setting.seeded()
    folds = judging_folds(folds)
    gold = {
        "forward": pair_rows(setting.gold(one, other)),
        "backward": pair_rows(setting.gold(other, one, turned=True)),
    }
    methods = dict[str, Any]()
    for method in methods_to_try("cpu", setting.seed):
        held = {way: {"rows": list[int](), "right": list[int]()} for way in DIRECTIONS}
        began = time.perf_counter()
        try:
            for fold in range(folds.count):
                maps = method.fit(one.matrix, other.matrix, Pairs(folds.known(fold)))
                sides = mapped(one.matrix, maps.source), mapped(other.matrix, maps.target)
                for way in DIRECTIONS:
                    if way == "forward":
                        rows, right = first_choices(*sides, folds.held_out(fold))
                    else:
                        turned = folds.held_out_backward(fold)
                        rows, right = first_choices(sides[1], sides[0], turned)
                    held[way]["rows"] += rows.tolist()
                    held[way]["right"] += right.astype(int).tolist()
            maps = method.fit(one.matrix, other.matrix, Pairs(folds.seeds))
        except LexalignError as error:
            print(setting.name, method.name, error, flush=True)
            continue
        seconds = time.perf_counter() - began
        view = AlignedView(one.matrix, other.matrix, maps)
        print(setting.name, method.name, round(seconds), flush=True)
        methods[method.name] = {
            "seconds": seconds,
            "held-out": held,
            "test": {
                way: _right(view if way == "forward" else view.swapped, gold[way])[1]
                .astype(int)
                .tolist()
                for way in DIRECTIONS
            },
        }
    return {
        "setting": setting.name,
        "seed": setting.seed,
        "seeds": len(folds.seeds),
        "methods": methods,
    }


def _right(view: AlignedView, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The source words of pairs, and whether the first choice of CSLS is right."""
    rows, width = np.unique(pairs[:, 0]), len(view.target_density)
    found = view.best(rows, 1)[:, 0]
    return rows, np.isin(rows * width + found, pairs[:, 0] * width + pairs[:, 1])


def print_table(results: Sequence[Mapping[str, Any]]) -> None:
    """The chosen method of each setting beside the best by hand, and what other rules lose.

    The best of many methods on the test words is partly so by chance. So it is also chosen on a
    half of the test words and scored on the other half.
    """
    heading("Choosing a method")
    print("| setting | chosen | P@1 → and ← | best by hand | best on other test words |")
    print("|---|---|---|---|---|")
    lost, honest = list[float](), list[float]()
    for result in results:
        best, other, scores = by_hand(result["methods"])
        chosen = choose(result["methods"], DIRECTIONS, LEVEL)
        lost.append(float(np.mean(best - scores[chosen])))
        honest.append(float(np.mean(other - scores[chosen])))
        cells = [f"{one[0]:.1f}, {one[1]:.1f}" for one in (scores[chosen], best, other)]
        print(f"| {result['setting']} | `{chosen}` | {' | '.join(cells)} |")
    print(
        f"behind the best by hand: {np.mean(lost):.2f}; behind the best on other test words: "
        f"{np.mean(honest):.2f} ({2 * len(lost)} tests)"
    )
    for ways in (DIRECTIONS[:1], DIRECTIONS):
        for level in LEVELS:
            losses = []
            for result in results:
                best, _, scores = by_hand(result["methods"])
                losses.append(np.mean(best - scores[choose(result["methods"], ways, level)]))
            rule = f"{' and '.join(ways)}, level below z = {level}"
            print(f"{rule}: {np.mean(losses):.2f} behind the best by hand")


def by_hand(methods: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """P@1 in both directions of the best method, of the best on other test words, and of all."""
    random, best, other = np.random.default_rng(0), list[float](), list[float]()
    for way in DIRECTIONS:
        right = np.array([found["test"][way] for found in methods.values()])
        best.append(100 * float(right.mean(axis=1).max()))
        halves = []
        for _ in range(DRAWS):
            order = random.permutation(right.shape[1])
            one, two = np.array_split(order, 2)
            halves.append(right[right[:, one].mean(axis=1).argmax(), two].mean())
        other.append(100 * float(np.mean(halves)))
    scores = {
        name: np.array([100 * np.mean(found["test"][way]) for way in DIRECTIONS])
        for name, found in methods.items()
    }
    return np.array(best), np.array(other), scores


def choose(methods: Mapping[str, Any], ways: Sequence[str], level: float) -> str:
    """The first method that is level with the best on held-out words of some directions."""
    right = {
        method.name: np.concatenate(
            [methods[method.name]["held-out"][way]["right"] for way in ways]
        )
        for method in methods_to_try("cpu", 0)
        if method.name in methods
    }
    best = max(right, key=lambda name: right[name].mean())
    return next(name for name in right if lead(right[best], right[name]) <= level)


def lead(one: np.ndarray, other: np.ndarray) -> float:
    """The z-score of a paired comparison."""
    ahead, behind = int((one > other).sum()), int((one < other).sum())
    return float((ahead - behind) / max(np.sqrt(ahead + behind), 1.0))


if __name__ == "__main__":
    main()
