"""The charts of a dictionary: how sure it is, and how reliable its probabilities are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lexalign.report.blocks import Chart
from lexalign.report.chart_style import line_style, series_legend, series_styles
from lexalign.report.page_text import percent, percent_range
from lexalign.report.svg_drawing import FAINT, Tips, draw_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HISTOGRAM_BINS = 10
LEAST_AREA, MOST_AREA = 30, 330


def reliability_chart(series: Mapping[str, Sequence[tuple[int, float, float]]]) -> Chart:
    """Observed over predicted shares of right translations; the diagonal is ideal.

    ``series`` has the bins of every run: words, which marks show by their area, and two shares.
    """
    styles = series_styles(series)
    most = max(words for bins in series.values() for words, _, _ in bins)

    def paint(axes: Axes, tips: Tips, narrow: bool) -> None:
        axes.plot([0, 100], [0, 100], color=FAINT, linewidth=1, linestyle="--")
        axes.annotate(
            "ideal", (88, 88), xytext=(-6, 8), textcoords="offset points", ha="right", color=FAINT
        )
        for name, bins in series.items():
            colour, marker = styles[name]
            _, xs, ys = np.array(bins, dtype=np.float64).T
            axes.plot(100 * xs, 100 * ys, color=colour, linewidth=1.2, alpha=0.6)
            for words, predicted, observed in bins:
                area = max(LEAST_AREA, MOST_AREA * words / most)
                dot = axes.scatter(
                    100 * predicted, 100 * observed, area, color=colour, alpha=0.8,
                    marker=marker, linewidths=0,
                )  # fmt: skip
                tips.add(
                    dot,
                    f"{name}: {words:,} words, predicted {percent(predicted)}, "
                    f"observed {percent(observed)}",
                )
        axes.set_xlim(-3, 103)
        axes.set_ylim(-3, 103)
        axes.set_xlabel("predicted probability, %")
        axes.set_ylabel("right translations, %")
        axes.grid()
        axes.set_axisbelow(True)
        if len(series) > 1:
            series_legend(axes, styles, narrow)

    return draw_chart(
        "Reliability of the probabilities",
        "Marks on the dashed line are ideal: of the translations with a probability of 80 %, 80 "
        "% are right. Marks below the line are too sure. Larger marks mean more words.",
        paint,
        height=340,
        narrow=300,
    )  # fmt: skip


def probability_histogram(series: Mapping[str, np.ndarray]) -> Chart:
    """How many words have a first translation of each probability; bars, or lines for several."""
    styles = series_styles(series)
    edges = np.linspace(0, 1, HISTOGRAM_BINS + 1)

    def paint(axes: Axes, tips: Tips, narrow: bool) -> None:
        for number, (name, probabilities) in enumerate(series.items()):
            colour, _ = styles[name]
            counts, _ = np.histogram(probabilities, edges)
            if len(series) > 1:
                axes.stairs(counts, 100 * edges, color=colour, linewidth=2.2,
                            linestyle=line_style(number))  # fmt: skip
            for words, (low, high) in zip(counts, pairwise(edges), strict=True):
                (bar,) = axes.bar(
                    100 * low, words, 100 * (high - low) * 0.94, align="edge", color=colour,
                    alpha=0.9 if len(series) == 1 else 0.12,
                )  # fmt: skip
                tips.add(
                    bar,
                    f"{name}: {words:,} words with a probability of {percent_range(low, high, 0)}",
                )
        axes.set_xlim(0, 100)
        axes.set_xlabel("probability of the first translation, %")
        axes.set_ylabel("words")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        if len(series) > 1:
            series_legend(axes, styles, narrow)

    summary = "Words on the right probably have a right translation; check the words on the left."
    return draw_chart("How sure the dictionary is", summary, paint, height=260)
