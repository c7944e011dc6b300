"""Several runs in one table: what they are, how well they translate, and whether they match."""

from __future__ import annotations

from collections.abc import Mapping

from lexalign.report.accuracy_section import gain_cell
from lexalign.report.analysis import Analysis
from lexalign.report.blocks import Block, Cell, Section, Table, Text, number
from lexalign.report.dictionary_test import DictionaryTest, difference
from lexalign.report.page_text import percent, percent_range

CAUTION = (
    "Each difference is against the first run, on the words of both, by a paired bootstrap. "
    "With many comparisons, some differences appear by chance; lexalign compare corrects for "
    "that."
)


def comparison_section(runs: Mapping[str, Analysis]) -> Section | None:
    """One row per run; None for a single run."""
    if len(runs) < 2:
        return None
    first = next(iter(runs.values()))
    alike = any(test.after.spelled_alike.any() for found in runs.values() for test in found.tests)
    heads = ["run", "method"]
    for test in first.tests:
        name = test.lexicon.name
        heads += [f"P@1 on {name}", "against the first, points", "by CSLS", "by cosine (NN)",
                  *(["spelled differently"] if alike else []), "coverage"]  # fmt: skip
    heads.append("found again")
    rows = [_row(name, found, first, alike) for name, found in runs.items()]
    caption = (
        "All runs, with 95 % intervals. Found again: the share of mutual pairs that the health "
        "check finds again, which is not accuracy"
    )
    blocks: list[Block] = [Table(caption, heads, rows)]
    if first.tests:
        blocks.append(Text(CAUTION, "note"))
    return Section("runs", "The runs side by side", blocks)


def _row(name: str, found: Analysis, first: Analysis, alike: bool) -> list[Cell | str]:
    row: list[Cell | str] = [name, _method(found)]
    for mine, other in zip(found.tests, first.tests, strict=True):
        row += _test_cells(mine, other, alike)
    health = found.health or {}
    again = health.get("found_again")
    return [*row, number("" if again is None else percent(again, 0))]


def _method(found: Analysis) -> str:
    if found.ranked is not None:
        return f"{found.run.method}, learned ranking"
    return f"{found.run.method}, input kept" if found.run.run.changed_nothing else found.run.method


def _test_cells(mine: DictionaryTest, first: DictionaryTest, alike: bool) -> list[Cell | str]:
    score = mine.main.score("p@1").after
    by_name = {result.retrieval: result.after.precision(1) for result in mine.results}
    against: Cell = number("", "the first run")
    if mine is not first:
        found = difference(first.after, mine.after)
        against = number("", "no common words")
        if found is not None:
            gain, words = found
            same = words == mine.after.queries == first.after.queries
            against = gain_cell(gain, "" if same else f", {words:,} common words")
    rest = mine.after.other_spelling
    return [
        number(percent(score.mean), percent_range(score.low, score.high), strong=True),
        against,
        *(number(percent(by_name[name]) if name in by_name else "") for name in ("csls", "nn")),
        *([number(percent(rest.precision(1)) if rest.queries else "")] if alike else []),
        number(percent(mine.after.coverage, 0)),
    ]
