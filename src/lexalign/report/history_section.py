"""The course of a run: the path of a refinement, or the figures of an aligner by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lexalign.refinement.stopping import REQUIRED_Z
from lexalign.report.analysis import Analysis
from lexalign.report.blocks import Block, Cell, Section, Table, Text, number
from lexalign.report.charts import THIS_RUN, line_chart
from lexalign.report.page_text import percent, recorded

MOST_FIGURES = 4
COUNTERS = ("round", "iteration", "epoch", "step", "seconds", "words", "pairs")
STEP_FIGURES = {
    "loss": ("Loss", "loss", "It falls while the pairs come closer."),
    "orthogonality_error": ("Error of MᵀM = I", "error", "Near zero, the map is a rotation."),
}

History = Sequence[Mapping[str, Any]]


def history_section(runs: Mapping[str, Analysis]) -> Section | None:
    """Lines of all runs over each other; None if nothing was recorded."""
    histories = {
        name: history
        for name, found in runs.items()
        if isinstance(history := found.run.record.get("history"), list) and history
    }
    many = len(runs) > 1
    blocks = [*_steps(histories, many), *_paths(histories, many)]
    if not blocks:
        blocks = _figures_by_round(histories, many)
    blocks += _messages(histories, many)
    return Section("history", "How it went", blocks) if blocks else None


def _named(run: str, entry: Mapping[str, Any], history: History, many: bool) -> str:
    """What a line is called: the run if there are several, the round if it has several."""
    rounds = f"round {entry.get('round')}" if len(history) > 1 else ""
    return ", ".join(part for part in (run if many else "", rounds) if part) or THIS_RUN


def _steps(histories: Mapping[str, History], many: bool) -> list[Block]:
    blocks = list[Block]()
    for key, (title, label, summary) in STEP_FIGURES.items():
        series = {
            _named(run, entry, history, many): [step[key] for step in entry["steps"]]
            for run, history in histories.items()
            for entry in history
            if len(entry.get("steps") or []) > 1
        }
        if series:
            blocks.append(line_chart(f"{title}, descent", summary, series, "step", label))
    return blocks


def _paths(histories: Mapping[str, History], many: bool) -> list[Block]:
    """The held-out accuracy along the path, with the stopping point; as a chart and as a table."""
    entries = {
        _named(run, entry, history, many): entry
        for run, history in histories.items()
        for entry in history
        if entry.get("path")
    }
    if not entries:
        return []
    accuracy = {name: [100 * point["accuracy"] for point in entry["path"]]
                for name, entry in entries.items()}  # fmt: skip
    shares = {name: [100 * point["share"] for point in entry["path"]]
              for name, entry in entries.items()}  # fmt: skip
    chosen = {name: int(entry.get("chosen", 0)) for name, entry in entries.items()}
    first = next(iter(entries.values()))
    kind = "words with the same spelling" if first.get("spelled_alike") else "rarer words"
    held_out, fitted = (recorded(first.get(f"{name}_words")) for name in ("held_out", "fitted"))
    summary = (
        f"Points of the path, scored on {held_out} held-out {kind}; the pairs are from the "
        f"{fitted} most frequent words. The ring is the stopping point: the highest held-out "
        f"accuracy with z ≥ {REQUIRED_Z:g}, or the start if there is none."
    )
    axes = "share of the path, %", "held-out accuracy, %"
    chart = line_chart("Where it stopped", summary, accuracy, *axes, xs=shares, chosen=chosen)
    rows = [
        [
            Cell(f"{name}: " * (len(entries) > 1) + percent(point["share"]),
                 strong=place == chosen[name]),
            number(percent(point["accuracy"]), strong=place == chosen[name]),
            number(f"{point['z']:.1f}".replace("-", "−"), strong=place == chosen[name]),
        ]
        for name, entry in entries.items()
        for place, point in enumerate(entry["path"])
    ]  # fmt: skip
    caption = (
        "Points of the path. The z-score measures the gain over the input: the smaller one of "
        "CSLS and cosine. Bold: the stopping point"
    )
    return [chart, Table(caption, ["share of the path", "held-out accuracy", "z-score"], rows)]


def _figures_by_round(histories: Mapping[str, History], many: bool) -> list[Block]:
    """The first few figures of aligners, one chart a figure."""
    series = dict[str, dict[str, list[float]]]()
    for run, history in histories.items():
        if len(history) < 2:
            continue
        numbers = [key for key, value in history[-1].items() if _is_figure(key, value)]
        for key in numbers[:MOST_FIGURES]:
            values = [entry[key] for entry in history if isinstance(entry.get(key), int | float)]
            series.setdefault(key, {})[run if many else THIS_RUN] = values
    titles = {key: key.replace("_", " ") for key in series}
    return [
        line_chart(titles[key].capitalize(), "One point per round.", lines, "round", titles[key])
        for key, lines in series.items()
    ]


def _is_figure(key: str, value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and key not in COUNTERS


def _messages(histories: Mapping[str, History], many: bool) -> list[Block]:
    """The sentence about the end of every round."""
    blocks = list[Block]()
    for run, history in histories.items():
        for entry in history:
            if "message" in entry:
                named = _named(run, entry, history, many)
                label = "" if named == THIS_RUN else f"{named}: "
                label = label if many else label.capitalize()
                blocks.append(Text(f"{label}{entry['message']}", "note"))
    return blocks
