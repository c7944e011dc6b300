"""Cautions about a score, in sentences: coverage, identical words and seeds."""

from __future__ import annotations

from lexalign.evaluation.accuracy import Accuracy
from lexalign.evaluation.leakage import Leakage

LOW_COVERAGE = 0.5
LEAST_RIGHT = 0.01
"""Smallest plausible P@10 of two spaces that lie in one."""

FEWEST_QUERIES = 50


def score_cautions(
    result: Accuracy, leakage: Leakage | None = None, *, without_seeds: bool = False
) -> list[str]:
    """All cautions about a result; ``without_seeds`` if the seeds were left out."""
    found = [alignment_caution(result), coverage_caution(result), spelling_caution(result)]
    if leakage is not None:
        found += [leakage_caution(leakage), relation_caution(leakage)]
        if leakage.queries and without_seeds:
            found.append("The seeds are left out of the score.")
        elif 0 < leakage.queries < leakage.whole.queries:
            found.append(f"Without the seeds, P@1 is {100 * leakage.clean.precision(1):.1f} %.")
    return [sentence for sentence in found if sentence is not None]


def alignment_caution(result: Accuracy) -> str | None:
    """Caution if hardly any translation is among the first ten; otherwise None."""
    if result.queries < FEWEST_QUERIES or result.precision(10) > LEAST_RIGHT:
        return None
    return (
        "Hardly any test word is translated correctly. The two sides may not lie in one space: "
        "align them first, or name the folder of a run."
    )


def coverage_caution(result: Accuracy) -> str | None:
    """Caution if fewer than half of the test words have vectors; otherwise None."""
    covered = result.coverage_words if result.protocol.unit == "word" else result.coverage_pairs
    if covered.share >= LOW_COVERAGE:
        return None
    meaning = "so the score describes only frequent words"
    if result.protocol.oov != "drop":
        meaning = "and the protocol counts the other words as wrong"
    return (
        f"Low coverage: only {covered.known:,} of {covered.total:,} test {_unit(result)} "
        f"({100 * covered.share:.0f} %) are in both vocabularies, {meaning}."
    )


def spelling_caution(result: Accuracy) -> str:
    """The score of copying, and P@1 without the queries that copying answers."""
    alike = int(result.spelled_alike.sum())
    copying = f"Copying the source word gives P@1 {100 * result.copying:.1f} %."
    if not alike or alike == result.queries:
        return copying
    rest = result.other_spelling
    return (
        f"{copying} Without the queries that copying answers, "
        f"P@1 is {100 * rest.precision(1):.1f} % ({rest.queries:,} queries)."
    )


def leakage_caution(leakage: Leakage) -> str | None:
    """Caution about queries that are seeds; None if there are none."""
    whole, count = leakage.whole, leakage.queries
    if not count:
        return None
    named = ", such as" if count > len(leakage.examples) else ":"
    return (
        f"{count:,} of {whole.queries:,} test {_unit(whole)} ({100 * count / whole.queries:.1f} %) "
        f"are seeds of the alignment{named} {', '.join(leakage.examples)}."
    )


def relation_caution(leakage: Leakage) -> str | None:
    """Caution about the other queries that are close to a seed; None if there are none."""
    target, stem = int(leakage.shares_target.sum()), int(leakage.shares_stem.sum())
    if not target and not stem:
        return None
    others = f"{'other ' if leakage.queries else ''}test {_unit(leakage.whole)}"
    return (
        f"Of the {others}, {stem:,} have the same stem as a seed word and {target:,} have the same "
        "translation as a seed. Such words may be easier than others."
    )


def _unit(result: Accuracy) -> str:
    return "words" if result.protocol.unit == "word" else "pairs"
