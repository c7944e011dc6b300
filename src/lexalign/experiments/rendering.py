"""Render the results of a grid as a table: Markdown and LaTeX for people, CSV for programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lexalign.experiments.results import ResultCell, Results
from lexalign.parameters import unknown
from lexalign.table import Cell, csv_text, latex_text

SIGNIFICANT = 0.01
MARK = "†"


@dataclass(frozen=True)
class CellText:
    """A cell for people: the score, the gain by refinement, and the published figure."""

    figure: str
    gain: str = ""
    published: str = ""
    best: bool = False
    notes: tuple[int, ...] = ()


def render(results: Results, form: str, metric: str | None = None) -> str:
    """The table in one of ``TABLE_FORMATS``; ``metric`` replaces the metric of the grid."""
    metric = metric or results.metric
    if results.metrics and metric not in results.metrics:
        raise unknown("metric of this evaluation", metric, results.metrics)
    writer: Callable[[Results, str], str] = {
        "markdown": _markdown, "latex": _latex, "csv": _csv,
    }[form]  # fmt: skip
    return writer(results, metric)


def _labels(results: Results, metric: str) -> list[str]:
    labels = []
    for aligner, refinement in results.rows:
        label = f"{aligner}-{refinement}" if refinement else aligner
        test = results.test(aligner, refinement, metric) if refinement else None
        labels.append(label + (MARK if test and test.corrected_p < SIGNIFICANT else ""))
    return labels


def _headings(results: Results) -> list[str]:
    """The pairs, with their vectors if the table has several."""
    sets = {pair.partition(":")[0] for pair in results.pairs}
    if len(sets) == 1:
        return [pair.partition(":")[2] for pair in results.pairs]
    return [
        f"{results.titles.get(name, name)} {languages}"
        for name, _, languages in (pair.partition(":") for pair in results.pairs)
    ]


def _shown(results: Results, metric: str, notes: list[str]) -> list[list[CellText]]:
    """All cells; remarks go to the notes."""
    best = {
        pair: max(
            (_percent(entry.mean(metric)) for row in results.rows
             if (entry := results.entry(*row, pair)).scores and not entry.has_only_failed),
            default="",
            key=float,
        )
        for pair in results.pairs
    }  # fmt: skip
    return [
        [_cell(results, metric, row, pair, best[pair], notes) for pair in results.pairs]
        for row in results.rows
    ]


def _cell(
    results: Results, metric: str, row: tuple[str, str], pair: str, best: str, notes: list[str]
) -> CellText:
    entry, published = results.entry(*row, pair), results.published(*row, pair, metric)
    beside = "" if published is None else f"{published:.1f}"
    if not entry.scores:
        return CellText("–", published=beside, notes=_note(entry, notes))
    figure = _percent(entry.mean(metric))
    if entry.has_only_failed:
        return CellText(f"{figure} ✗", published=beside, notes=_note(entry, notes))
    gain = results.gain(*row, pair, metric) if row[1] else None
    return CellText(
        figure + "*" * entry.is_partial,
        "" if gain is None else f"{round(100 * gain, 1) + 0.0:+.1f}",
        beside,
        figure == best,
        _note(entry, notes),
    )


def _note(entry: ResultCell, notes: list[str]) -> tuple[int, ...]:
    """The numbers of the notes that explain missing runs."""
    for reason in entry.reasons:
        if reason not in notes:
            notes.append(reason)
    return tuple(notes.index(reason) + 1 for reason in entry.reasons)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _title(results: Results, metric: str) -> str:
    sets = dict.fromkeys(pair.partition(":")[0] for pair in results.pairs)
    vectors = ", ".join(results.titles.get(name, name) for name in sets)
    name = {"mrr": "MRR", "accuracy": "ACC"}.get(metric, metric.upper())
    return f"{results.grid['title']} — {name} (%), vectors: {vectors}"


def _legend(results: Results, metric: str, notes: Sequence[str]) -> list[str]:
    """The meaning of the marks in the table, and the total time."""
    entries = results.entries.values()
    most = max((len(entry.scores) for entry in entries), default=0)
    lines = list[str]()
    if most > 1:
        lines.append(
            f"Means of up to {most} runs with different seeds; methods without random numbers "
            "run once."
        )
    if any(refinement for _, refinement in results.rows):
        lines.append("In parentheses: gain over the row without refinement.")
    if any(results.published(*row, pair, metric) for row in results.rows for pair in results.pairs):
        source = results.grid["source"] or "the publication"
        lines.append(f"After the slash: figure of {source} for this cell, with its own vectors.")
    if any(entry.is_partial and not entry.has_only_failed for entry in entries):
        lines.append("*: some runs failed or are missing, and are left out.")
    if any(entry.scores and entry.has_only_failed for entry in entries):
        lines.append("✗: all runs failed.")
    if tests := _tests(results, metric):
        lines.append(
            f"{MARK}: differs from the row without refinement at p < {SIGNIFICANT} (two-tailed "
            f"paired t-test over language pairs, Bonferroni-corrected): {tests}."
        )
    lines.append(f"All jobs together took {_duration(results.seconds)}.")
    lines += [f"[{number}] {note.rstrip('.')}." for number, note in enumerate(notes, 1)]
    return lines


def _tests(results: Results, metric: str) -> str:
    """The p-values of all rows that can be tested."""
    found = [
        (f"{aligner}-{refinement}", test)
        for aligner, refinement in results.rows
        if refinement and (test := results.test(aligner, refinement, metric)) is not None
    ]
    return "; ".join(f"{row} p = {test.corrected_p:.2g} ({test.runs} pairs)" for row, test in found)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _markdown(results: Results, metric: str) -> str:
    notes = list[str]()
    body = _shown(results, metric, notes)

    def text(cell: CellText) -> str:
        figure = f"**{cell.figure}**" if cell.best else cell.figure
        gain = f" ({cell.gain})" if cell.gain else ""
        beside = f" / {cell.published}" if cell.published else ""
        marks = "".join(f" [{number}]" for number in cell.notes)
        return f"{figure}{gain}{beside}{marks}"

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    lines = [
        f"**{_title(results, metric)}**",
        "",
        line(["", *_headings(results)]),
        f"|---|{'---|' * len(results.pairs)}",
        *(
            line([label, *map(text, cells)])
            for label, cells in zip(_labels(results, metric), body, strict=True)
        ),
        "",
        *(f"- {line.replace('*', chr(92) + '*')}" for line in _legend(results, metric, notes)),
    ]
    return "\n".join(lines) + "\n"


def _latex(results: Results, metric: str) -> str:
    notes = list[str]()
    body = _shown(results, metric, notes)

    def text(cell: CellText) -> str:
        figure = _latex_marks(cell.figure)
        gain = f" {{\\scriptsize ({latex_text(cell.gain)})}}" if cell.gain else ""
        beside = f" / {latex_text(cell.published)}" if cell.published else ""
        marks = "".join(f"\\textsuperscript{{{number}}}" for number in cell.notes)
        return (f"\\textbf{{{figure}}}" if cell.best else figure) + gain + beside + marks

    rows = [
        ("" if refinement or not number else "\\hline\n")
        + f"{_latex_marks(name)} & {' & '.join(map(text, cells))} \\\\"
        for number, ((_, refinement), name, cells) in enumerate(
            zip(results.rows, _labels(results, metric), body, strict=True)
        )
    ]
    lines = [
        f"% {_title(results, metric)}",
        f"\\begin{{tabular}}{{l{'r' * len(results.pairs)}}}",
        "\\hline",
        f" & {' & '.join(map(latex_text, _headings(results)))} \\\\",
        "\\hline",
        *rows,
        "\\hline",
        "\\end{tabular}",
        "",
        *(
            f"{{\\footnotesize {_latex_marks(line)}\\par}}"
            for line in _legend(results, metric, notes)
        ),
    ]
    return "\n".join(lines) + "\n"


def _latex_marks(text: str) -> str:
    """Escape a text, with the marks of the table in LaTeX."""
    escaped = re.sub(r"ℓ(\w*)", r"$\\ell_{\1}$", latex_text(" ".join(text.split())))
    for mark, command in ((MARK, r"\textsuperscript{\dag}"), ("✗", r"$\times$"), ("–", "--")):
        escaped = escaped.replace(mark, command)
    return escaped


def _csv(results: Results, metric: str) -> str:
    """One line per cell, with unformatted numbers."""
    rows: list[Sequence[Cell]] = [
        ["grid", "vectors", "pair", "aligner", "refinement", "metric", "mean", "deviation", "runs",
         "failed", "gain", "corrected_p", "published", "queries", "seconds", "reason"]
    ]  # fmt: skip
    for aligner, refinement in results.rows:
        test = results.test(aligner, refinement, metric) if refinement else None
        for pair in results.pairs:
            entry = results.entry(aligner, refinement, pair)
            name, _, languages = pair.partition(":")
            published = results.published(aligner, refinement, pair, metric)
            rows.append(
                [
                    results.grid["name"],
                    results.titles.get(name, name),
                    languages,
                    aligner,
                    refinement,
                    metric,
                    entry.mean(metric),
                    entry.spread(metric),
                    len(entry.scores),
                    entry.failed,
                    results.gain(aligner, refinement, pair, metric) if refinement else None,
                    test.corrected_p if test else None,
                    None if published is None else published / 100,
                    next((score.queries for score in entry.scores.values()), None),
                    sum(score.seconds for score in entry.scores.values()),
                    "; ".join(entry.reasons),
                ]
            )
    return csv_text(rows)
