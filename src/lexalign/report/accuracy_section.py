"""Accuracy on the test words: by retrieval, by frequency and by spelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lexalign.evaluation import Bootstrap
from lexalign.evaluation.cautions import score_cautions
from lexalign.evaluation.protocols import PROTOCOLS
from lexalign.report.analysis import Analysis
from lexalign.report.blocks import Block, Cell, Section, Table, Text, number
from lexalign.report.charts import Share, share_chart
from lexalign.report.dictionary_test import SPELLED, DictionaryTest, RetrievalResult
from lexalign.report.page_text import percent, percent_range, points, points_range, tone_of

RETRIEVAL_NAMES = {
    "learned": "Learned ranking",
    "csls": "Nearest neighbour by CSLS",
    "nn": "Nearest neighbour by cosine (NN)",
}
CHART_NAMES = {"learned": "Learned ranking", "csls": "CSLS", "nn": "Cosine (NN)"}
AXIS = "first translation is right (P@1), % of the test words"
INTERVALS = "Lines are 95 % intervals. Point at a mark for its figures."


def accuracy_section(runs: Mapping[str, Analysis]) -> Section | None:
    """Charts and tables for every test dictionary; None without one."""
    first = next(iter(runs.values()))
    if not first.tests:
        return None
    blocks = list[Block]()
    for place in range(len(first.tests)):
        tests = {name: found.tests[place] for name, found in runs.items()}
        blocks += _test_blocks(tests, first.compared if len(runs) == 1 else None)
    return Section("accuracy", "Translation accuracy", blocks)


def retrieval_name(retrieval: str) -> str:
    """What a retrieval is called in tables and charts."""
    return RETRIEVAL_NAMES.get(retrieval, retrieval)


def _test_blocks(
    tests: Mapping[str, DictionaryTest], compared: tuple[str, str] | None
) -> list[Block]:
    main = next(iter(tests.values()))
    covered = main.after.coverage_words
    about = (
        f"{main.lexicon.name}: {main.after.queries:,} queries, {covered.known:,} of "
        f"{covered.total:,} words have vectors, protocol {_protocol_name(main)}."
    )
    return [
        Text(about),
        _score_chart(tests),
        *([_score_table(main)] if len(tests) == 1 else []),
        *_cautions(tests),
        _part_chart(tests, compared),
        _part_table(tests, compared),
    ]


def _protocol_name(test: DictionaryTest) -> str:
    """The protocol without the retrieval, which the table names."""
    protocol = test.after.protocol
    base = PROTOCOLS.get(protocol.base, protocol)
    return protocol.but(retrieval=base.retrieval).name


def _share(score: Bootstrap, note: str = "") -> Share:
    return Share(score.mean, score.low, score.high, note)


def _score_chart(tests: Mapping[str, DictionaryTest]) -> Block:
    """Rows are retrievals with "before" and "after", or runs with their retrievals."""
    many, rows = len(tests) > 1, dict[str, dict[str, Share]]()
    for run, test in tests.items():
        for result in test.results:
            score = result.score("p@1")
            retrieval = CHART_NAMES.get(result.retrieval, result.retrieval)
            if many:
                rows.setdefault(run, {})[retrieval] = _share(score.after)
                continue
            rows[retrieval] = {"after": _share(score.after)}
            if score.before is not None and result.retrieval != "learned":
                rows[retrieval]["before"] = _share(score.before)
    named = CHART_NAMES.values() if many else ("before", "after")
    series = [name for name in named if any(name in shares for shares in rows.values())]
    title = f"Correct translations on {next(iter(tests.values())).lexicon.name}"
    return share_chart(title, INTERVALS, rows, series, AXIS, muted="before")


def _score_table(test: DictionaryTest) -> Block:
    has_before = any(result.before is not None for result in test.results)
    rows = [_score_cells(result, has_before) for result in test.results]
    before, change = (["compared with"], ["change, points"]) if has_before else ([], [])
    heads = ["translated by", *before, "P@1", *change, "P@5", "MRR"]
    caption = (
        f"Scores on {test.lexicon.name}, with 95 % intervals. P@1: the first translation is right. "
        "P@5: one of the first five is. MRR: mean of 1 / rank of the first right translation"
    )
    return Table(caption, heads, rows)


def _score_cells(result: RetrievalResult, has_before: bool) -> list[Cell | str]:
    score, five, mrr = (result.score(metric) for metric in ("p@1", "p@5", "mrr"))
    cells: list[Cell | str] = [Cell(retrieval_name(result.retrieval))]
    if has_before:
        old = "" if score.before is None else percent(score.before.mean)
        which = "by CSLS" if result.retrieval == "learned" else "before"
        cells.append(number(old, which if old else ""))
    cells.append(
        number(
            percent(score.after.mean),
            percent_range(score.after.low, score.after.high),
            strong=True,
        )
    )
    if has_before:
        cells.append(gain_cell(score.gain))
    return [*cells, number(percent(five.after.mean)), number(f"{mrr.after.mean:.3f}")]


def gain_cell(gain: Bootstrap | None, note: str = "") -> Cell:
    """A difference in points with its interval, coloured if that excludes zero."""
    if gain is None:
        return number("")
    return number(points(gain.mean), points_range(gain) + note, tone=tone_of(gain))


def _cautions(tests: Mapping[str, DictionaryTest]) -> list[Block]:
    """What to know about the scores: coverage, words spelled alike, and seeds."""
    sentences = dict[str, list[str]]()
    for run, test in tests.items():
        cautions = score_cautions(test.after, test.leakage, without_seeds=test.without_seeds)
        sentences.setdefault(" ".join(cautions), []).append(run)
    many = len(tests) > 1
    return [
        Text(f"{', '.join(named)}: {said}" if many else said, "note")
        for said, named in sentences.items()
    ]


def _parts(tests: Mapping[str, DictionaryTest]) -> dict[str, dict[str, RetrievalResult]]:
    """The main results by part, then by run; by spelling only if words are spelled alike."""
    found = dict[str, dict[str, RetrievalResult]]()
    for run, test in tests.items():
        for part, result in test.main.parts().items():
            found.setdefault(part, {})[run] = result
    if SPELLED["same spelling"] not in found:
        found.pop(SPELLED["other spelling"], None)
    return found


def _part_chart(tests: Mapping[str, DictionaryTest], compared: tuple[str, str] | None) -> Block:
    many = len(tests) > 1
    rows = dict[str, dict[str, Share]]()
    for part, results in _parts(tests).items():
        shares = dict[str, Share]()
        for run, result in results.items():
            score, note = result.score("p@1"), f", {result.after.queries:,} words"
            if compared is not None and score.before is not None:
                shares[compared[0]] = _share(score.before, note)
            shares[run if many else compared[1] if compared else "P@1"] = _share(score.after, note)
        rows[part] = shares
    series: Sequence[str] = list(tests) if many else list(compared or ("P@1",))
    alike = ", words spelled alike and differently" if SPELLED["same spelling"] in rows else ""
    return share_chart(
        f"Frequent and rare words{alike}",
        f"Rank 1 is the most frequent word. {INTERVALS}",
        rows,
        series,
        AXIS,
        muted=compared[0] if compared else None,
    )


def _part_table(tests: Mapping[str, DictionaryTest], compared: tuple[str, str] | None) -> Block:
    many = len(tests) > 1
    parts, rows = _parts(tests), list[list[Cell | str]]()
    for part, results in parts.items():
        row: list[Cell | str] = [part]
        words = sorted({result.after.queries for result in results.values()})
        row.append(
            number(" to ".join(f"{count:,}" for count in dict.fromkeys((words[0], words[-1]))))
        )
        for run in tests:
            row += _part_cells(results.get(run), many=many)
        rows.append(row)
    own = [compared[0], compared[1], "change, points"] if compared else ["P@1"]
    heads = ["source words", "number", *(tests if many else own)]
    alike = " and by spelling" if SPELLED["same spelling"] in parts else ""
    return Table(f"P@1 by frequency{alike}, with 95 % intervals", heads, rows)


def _part_cells(result: RetrievalResult | None, *, many: bool) -> list[Cell | str]:
    if result is None:
        return [number("")]
    score = result.score("p@1")
    after = number(
        percent(score.after.mean), percent_range(score.after.low, score.after.high), strong=True
    )
    if many or score.before is None:
        return [after]
    return [number(percent(score.before.mean)), after, gain_cell(score.gain)]
