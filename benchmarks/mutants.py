"""How many small changes of the code the tests notice: ``python -m benchmarks.mutants``.

mutmut makes a mutant for every small change of a function in six packages: another operator,
number or string, an argument left out, a value replaced by None. A mutant is killed if a test of
its package fails or runs far too long. There are thousands, so this draws the same number from each
package by ``--seed``, lets mutmut test them, and prints the rates and every survivor. mutmut works
on a copy in the folder ``mutants``. It keeps the verdicts there: run the same command again after
an interruption, or with ``--retest`` after new tests to test the survivors again.

pytest loads this module as a plugin, too: it runs the tests of one file together.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import heading, row, table

PACKAGES = ("procrustes", "retrieval", "aligners", "refinement", "induction", "evaluation")
STATISTICS = Path("mutants", "mutmut-stats.json")
ANY_MUTANT = "lexalign.procrustes.orthogonal.x_skew__mutmut_1"
TESTS = "tests_by_mangled_function_name"
KILLED = {"killed", "timeout", "segfault"}
ALIVE = {"survived", "no tests"}
NORMAL = 1.959964  # quantile of the normal distribution for 95 %


def main() -> None:
    """Draw a sample, test it, and print the result as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=300, help="mutants in all packages together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--package", choices=PACKAGES, action="append", help="default: all six")
    parser.add_argument("--retest", action="store_true", help="test the survivors again")
    arguments = parser.parse_args()
    prepare()
    packages = arguments.package or PACKAGES
    everything = verdicts()
    drawn = sample(everything, packages, arguments.sample // len(packages), arguments.seed)
    done = KILLED if arguments.retest else KILLED | ALIVE
    if missing := [name for name in drawn if everything[name] not in done]:
        mutmut("run", "--max-children", "1", *missing)
    report(drawn, verdicts(), Counter(package_of(name) for name in everything), arguments.seed)


def prepare() -> None:
    """Generate all mutants, and find out which tests call which function."""
    mutmut("run", "--max-children", "1", ANY_MUTANT)  # it prepares all before it tests one
    statistics = json.loads(STATISTICS.read_text())
    called = widened(statistics[TESTS], statistics["duration_by_test"])
    statistics[TESTS] = {function: own(function, tests) for function, tests in called.items()}
    STATISTICS.write_text(json.dumps(statistics))


def widened(called: dict[str, list[str]], tests: Iterable[str]) -> dict[str, list[str]]:
    """Count what a shared fixture calls for all tests of its file.

    mutmut counts it for the first of them only.
    """
    by_file = defaultdict[str, set[str]](set)
    for test in tests:
        file = test.partition("::")[0]
        sources = (Path(file), Path(file).with_name("conftest.py"))
        if any(source.exists() and "scope=" in source.read_text() for source in sources):
            by_file[file].add(test)
    wide = {}
    for function, names in called.items():
        shared = (by_file[file] for file in {name.partition("::")[0] for name in names})
        wide[function] = sorted(set(names).union(*shared))
    return wide


def own(function: str, tests: list[str]) -> list[str]:
    """The tests of the package of a function; all if its package has none for it.

    A function that the whole package tree uses would otherwise be tested by all of its tests.
    """
    folder = f"tests/{package_of(function)}/"
    return [test for test in tests if test.startswith(folder)] or tests


def sample(names: Collection[str], packages: Iterable[str], size: int, seed: int) -> list[str]:
    """Draw the same number of mutants from each package."""
    drawn = []
    for package in packages:
        mutants = sorted(name for name in names if package_of(name) == package)
        drawn += random.Random(f"{seed} {package}").sample(mutants, min(size, len(mutants)))
    return drawn


def report(drawn: list[str], verdict: dict[str, str], sizes: Counter[str], seed: int) -> None:
    """Print the rate of each package, and every survivor with its change."""
    heading(f"Mutants, seed {seed}")
    table("package", "mutants", "tested", "killed", "of these timed out", "survived", "killed, %")
    strata = []
    for package in PACKAGES:
        counts = Counter(verdict[name] for name in drawn if package_of(name) == package)
        killed, alive = (sum(counts[one] for one in kind) for kind in (KILLED, ALIVE))
        if tested := killed + alive:
            strata.append(Stratum(sizes[package], tested, killed))
            share = shown(killed / tested, *wilson(killed, tested))
            row(package, sizes[package], tested, killed, counts["timeout"], alive, share)
    rate, error = weighted(strata)
    tested, killed = sum(one.tested for one in strata), sum(one.killed for one in strata)
    total = sum(one.mutants for one in strata)
    low, high = max(0.0, rate - error), min(1.0, rate + error)
    row("weighted by mutants", total, tested, killed, "", tested - killed, shown(rate, low, high))
    other = [name for name in drawn if verdict[name] not in KILLED | ALIVE]
    print(f"\nWithout a verdict: {len(other)}\n\n```")
    for name in drawn:
        if verdict[name] in ALIVE:
            print(described(name, verdict[name]), flush=True)
    print("```")


@dataclass(frozen=True)
class Stratum:
    """The mutants of a package, and how many of the tested ones were killed."""

    mutants: int
    tested: int
    killed: int


def weighted(strata: list[Stratum]) -> tuple[float, float]:
    """The rate of all packages, each by its number of mutants, and half of the 95 % interval."""
    total = sum(one.mutants for one in strata)
    rate = variance = 0.0
    for one in strata:
        share, killed = one.mutants / total, one.killed / one.tested
        rate += share * killed
        variance += share**2 * killed * (1 - killed) / one.tested
    return rate, NORMAL * math.sqrt(variance)


def wilson(killed: int, tested: int) -> tuple[float, float]:
    """The 95 % interval of a rate by Wilson's formula."""
    square = NORMAL**2 / tested
    rate = killed / tested
    centre = (rate + square / 2) / (1 + square)
    half = NORMAL * math.sqrt(rate * (1 - rate) / tested + square / (4 * tested)) / (1 + square)
    return centre - half, centre + half


def shown(rate: float, low: float, high: float) -> str:
    """A rate with its interval, in per cent."""
    return f"{100 * rate:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def package_of(name: str) -> str:
    """The package of a mutant such as ``lexalign.procrustes.path.x_geodesic__mutmut_7``."""
    return name.split(".")[1]


def described(name: str, verdict: str) -> str:
    """A survivor: file and line, verdict and the changed lines."""
    lines = mutmut("show", name, capture=True).splitlines()
    changed = [line for line in lines if re.match(r"[-+](?![-+])", line)]
    before = next((line[1:].strip() for line in changed if line.startswith("-")), "")
    module = name.partition(".x")[0]
    file = Path("src", *module.split(".")).with_suffix(".py")
    if not file.exists():
        file = Path("src", *module.split("."), "__init__.py")
    function = re.split("ǁ|x_", name.partition("__mutmut_")[0])[-1]
    inside, number = False, 0
    for count, line in enumerate(file.read_text().splitlines(), start=1):
        inside = inside or line.strip().startswith(f"def {function}(")
        if inside and line.strip() == before:
            number = count
            break
    return "\n".join((f"{file}:{number} {name.rpartition('.')[2]} ({verdict})", *changed))


def verdicts() -> dict[str, str]:
    """Every mutant and its verdict."""
    lines = mutmut("results", "--all", "true", capture=True).splitlines()
    return dict(line.strip().split(": ", 1) for line in lines if "__mutmut_" in line)


def mutmut(*arguments: str, capture: bool = False) -> str:
    """Run a command of mutmut, and return what it prints if asked for."""
    command = (sys.executable, "-m", "mutmut", *arguments)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}  # threads do not survive a fork
    output = subprocess.PIPE if capture else None
    done = subprocess.run(command, check=True, env=environment, stdout=output, text=True)
    return done.stdout or ""


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Run the tests of one file together, so that they share fixtures; quick files first."""
    if not (file := Path(STATISTICS.name)).exists():  # while mutmut first measures the tests
        return
    seconds = json.loads(file.read_text())["duration_by_test"]
    sums = Counter[str]()
    for item in items:
        sums[item.nodeid.partition("::")[0]] += seconds.get(item.nodeid, 0.0)
    items.sort(key=lambda item: (sums[item.nodeid.partition("::")[0]], item.nodeid))


if __name__ == "__main__":
    main()
