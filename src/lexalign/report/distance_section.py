"""How the distance of every pair changes: bars of one run, running medians of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from lexalign.report.analysis import Analysis
from lexalign.report.blocks import Block, Chart, Row, Section, Table, Text, number, word
from lexalign.report.chart_style import patch_legend
from lexalign.report.charts import line_chart
from lexalign.report.distances import QUARTERS, DistanceChange, trend
from lexalign.report.page_text import NO_BREAK, percent, signed
from lexalign.report.svg_drawing import FAINT, INK, SERIES, Tips, draw_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMULA = "‖aᵢM − bᵢ‖ − ‖aᵢ − bᵢ‖".replace(" ", NO_BREAK)
MOST_BARS = 600
MOST_POINTS = 60
MEDIAN_WINDOW = 1 / 40
ROUNDING = 1e-5
TITLES = {
    "l1": "What ℓ1 refinement would change with the paper's horizon",
    "l2": "Least squares (ℓ2), for comparison",
}
MOST_OUTLIERS_PER_RUN = 5


def distance_section(runs: Mapping[str, Analysis]) -> Section | None:
    """The charts of one run, or one chart of the running medians of several."""
    blocks: list[Block] = [
        Text(
            "A pair is a word and its translation, to which the run was fitted or a refinement "
            "would be fitted. Pairs below zero came closer."
        )
    ]
    if len(runs) == 1:
        ((_, found),) = runs.items()
        blocks += _bars(found)
    else:
        blocks += _medians(runs)
    return Section("distances", "Distances of the pairs", blocks)


def _bars(found: Analysis) -> list[Block]:
    changes = found.distances
    if changes is None:
        return [no_pairs(found)]
    return [
        Text(f"{name.capitalize()} has no effect.", "note")
        if abs(change.values).max() < ROUNDING
        else _bar_chart(changes, name, TITLES.get(name, name.capitalize()))
        for name, change in changes.changes.items()
    ]


def _medians(runs: Mapping[str, Analysis]) -> list[Block]:
    """One line a run: the change by the loss of the run, or by that of the paper."""
    series, places = dict[str, list[float]](), dict[str, list[float]]()
    for run, found in runs.items():
        if found.distances is None:
            continue
        name, change = next(iter(found.distances.changes.items()))
        count = len(change.values)
        at = np.linspace(0, count - 1, min(MOST_POINTS, count)).astype(np.int64)
        label = f"{run} ({'would change by ℓ1' if name == 'l1' else name})"
        series[label] = _trend(change.values)[at].tolist()
        places[label] = (100 * (at + 0.5) / count).tolist()
    if not series:
        return [Text("No run has enough pairs.", "note")]
    summary = "Running medians. For an alignment: the effect of the paper's refinement."
    axes = "pairs, the nearest first, %", "change of distance"
    return [line_chart("Change of distance", summary, series, *axes, xs=places)]


def _trend(values: np.ndarray) -> np.ndarray:
    return trend(values, max(1, round(MEDIAN_WINDOW * len(values))))


def _bar_chart(changes: DistanceChange, name: str, title: str) -> Chart:
    """The change of every pair; more pairs than can be seen are the extremes of neighbours."""
    change = changes.changes[name]
    values, count = change.values, len(change.values)

    def paint(axes: Axes, tips: Tips, narrow: bool) -> None:
        parts = np.array_split(values, min(MOST_BARS, count))
        edges = np.linspace(0, 100, len(parts) + 1)
        for extreme, colour in ((np.min, SERIES[0]), (np.max, SERIES[1])):
            clip = np.minimum if extreme is np.min else np.maximum
            axes.stairs(clip([extreme(part) for part in parts], 0), edges, fill=True, color=colour)
        at = np.linspace(0, count - 1, min(200, count)).astype(np.int64)
        axes.plot(100 * (at + 0.5) / count, _trend(values)[at], color=INK, linewidth=1.6)
        axes.axhline(0, color=FAINT, linewidth=0.8)
        low, high = axes.get_ylim()
        quarters = np.array_split(np.arange(count), QUARTERS)
        for quarter, rows in enumerate(part for part in quarters if len(part)):
            start = 100 * quarter / QUARTERS
            area = axes.axvspan(start, start + 100 / QUARTERS, color=INK, alpha=0, linewidth=0)
            near, far = changes.distances[rows[0]], changes.distances[rows[-1]]
            tips.add(
                area,
                f"{len(rows):,} pairs with distances from {near:.2f} to {far:.2f}: mean change "
                f"{signed(float(values[rows].mean()))}",
            )
        axes.set_ylim(low, high)
        axes.set_xlim(0, 100)
        axes.set_xlabel("pairs, the nearest first, %")
        axes.set_ylabel("change of distance")
        patch_legend(axes, {"came closer": SERIES[0], "moved apart": SERIES[1]}, narrow)

    summary = (
        f"{percent(change.closer, 0)} of {count:,} pairs came closer, mean change "
        f"{signed(change.mean)}. The line is the running median of {FORMULA}."
    )
    return draw_chart(title, summary, paint, height=260)


def outlier_section(runs: Mapping[str, Analysis]) -> Section | None:
    """The pairs that lie farthest apart, in one table."""
    many, rows, notes = len(runs) > 1, list[Row](), list[Block]()
    for run, found in runs.items():
        label = f"{run}: " if many else ""
        if not found.outlier_count:
            pairs = f"{len(found.run.lexicon):,} pairs that it was fitted to"
            none = f"{label}None of the {pairs} lies beyond Q3 + 1.5 (Q3 − Q1) of their distances."
            notes.append(Text(none) if len(found.run.lexicon) else no_pairs(found))
            continue
        chosen = found.outliers[: MOST_OUTLIERS_PER_RUN if many else None]
        notes.append(
            Text(
                f"{label}{found.outlier_count:,} of {len(found.run.lexicon):,} pairs lie farther "
                f"apart than Q3 + 1.5{NO_BREAK}(Q3 − Q1) of the distances; wrong pairs are often "
                "among them."
            )
        )
        rows += [
            [*([run] if many else []), word(source), word(target), number(f"{distance:.3f}")]
            for source, target, distance in chosen
        ]
    if rows:
        heads = [*(["run"] if many else []), "source word", "target word", "distance"]
        notes.append(Table("The pairs that lie farthest apart", heads, rows))
    return Section("outliers", "Pairs that stand out", notes)


def no_pairs(found: Analysis) -> Text:
    """Say why there is nothing to say about pairs."""
    if len(found.run.lexicon):
        return Text("There are too few pairs for this section.", "note")
    return Text("The file of pairs, lexicon.tsv, is no longer in the folder.", "note")
