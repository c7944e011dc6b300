"""Charts of all kinds of runs: shares with intervals, groups of words, lines and scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lexalign.aligners.health_scale import TypicalRange
from lexalign.report.blocks import Chart
from lexalign.report.chart_style import (
    line_style,
    patch_legend,
    place_legend,
    series_legend,
    series_styles,
)
from lexalign.report.page_text import percent, percent_range, short
from lexalign.report.svg_drawing import BAD, GOOD, INK, ON_COLOUR, PLAIN, RULE, Tips, draw_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW, AROUND, LEGEND_ROW = 30, 64, 22
LABEL_LETTERS = {False: 30, True: 15}
MOST_POINTS_MARKED = 20
SHADE = 0.3
THIS_RUN = "this run"


class Share(NamedTuple):
    """A share between 0 and 1 with its interval, and what the tooltip adds."""

    value: float
    low: float
    high: float
    note: str = ""


def share_chart(
    title: str,
    summary: str,
    rows: Mapping[str, Mapping[str, Share]],
    series: Sequence[str],
    axis: str,
    *,
    muted: str | None = None,
) -> Chart:
    """Shares with their intervals of 95 %, one row a name, one mark a series.

    The ``muted`` series, such as what came before, is grey.
    """
    several, styles = len(series) > 1, series_styles([one for one in series if one != muted])
    if muted in series:
        styles = {one: styles.get(one, (PLAIN, "P")) for one in series}
    lines = max(2, len(rows) * max(1.0, 0.55 * len(series) + 0.3))

    def paint(axes: Axes, tips: Tips, narrow: bool) -> None:
        for place, (name, shares) in enumerate(rows.items()):
            shown = [one for one in series if one in shares]
            reach = 0.56 / max(1, len(series) - 1) * (len(shown) - 1) / 2
            offsets = dict(zip(shown, np.linspace(-reach, reach, len(shown)), strict=True))
            for one in shown:
                share, (colour, marker) = shares[one], styles[one]
                height = place + offsets[one]
                (line,) = axes.plot(
                    [100 * share.low, 100 * share.high], [height] * 2, color=colour, linewidth=3,
                    alpha=0.45, solid_capstyle="round",
                )  # fmt: skip
                (dot,) = axes.plot(100 * share.value, height, marker, color=colour, markersize=8)
                text = (
                    f"{name}{f', {one}' if several else ''}: {percent(share.value)}, 95 % interval "
                    f"{percent_range(share.low, share.high)}{share.note}"
                )
                tips.add(line, text)
                tips.add(dot, text)
        axes.set_yticks(range(len(rows)), _labels(rows, narrow))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        _limit(axes, [share for row in rows.values() for share in row.values()])
        axes.set_xlabel(fill(axis, 38) if narrow else axis)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        if several:
            series_legend(axes, styles, narrow)

    return draw_chart(
        title,
        summary,
        paint,
        height=_height(lines, series),
        narrow=_height(lines * 1.25, series, 1),
    )


def group_chart(
    title: str,
    summary: str,
    rows: Mapping[str, Mapping[str, int]],
    colours: Mapping[str, str],
    axis: str,
) -> Chart:
    """Counts of groups as parts of one bar a row."""

    def paint(axes: Axes, tips: Tips, narrow: bool) -> None:
        for place, (name, counts) in enumerate(rows.items()):
            start, total = 0.0, sum(counts.values())
            for group, colour in colours.items():
                share = 100 * counts[group] / max(1, total)
                (bar,) = axes.barh(
                    place, share, left=start, color=colour, height=0.6, edgecolor="none"
                )
                tips.add(
                    bar, f"{name}: {group} {counts[group]:,} of {total:,} words ({share:.1f} %)"
                )
                if share > (14 if narrow else 6):
                    axes.text(
                        start + share / 2, place, f"{counts[group]:,}", ha="center", va="center",
                        color=ON_COLOUR if colour != RULE else INK, fontsize=11,
                    )  # fmt: skip
                start += share
        axes.set_yticks(range(len(rows)), _labels(rows, narrow))
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0, 100)
        axes.set_xlabel(axis)
        axes.tick_params(axis="y", length=0)
        patch_legend(axes, colours, narrow)

    lines = max(1.4, len(rows))
    return draw_chart(
        title, summary, paint, height=_height(lines, [""] * 2), narrow=_height(lines, [""] * 5, 2)
    )


def line_chart(
    title: str,
    summary: str,
    series: Mapping[str, Sequence[float]],
    x_axis: str,
    y_axis: str,
    *,
    xs: Mapping[str, Sequence[float]] | None = None,
    chosen: Mapping[str, int] | None = None,
) -> Chart:
    """Lines over steps from 1 on, or over ``xs``; the ``chosen`` point of a line is marked."""
    from matplotlib.ticker import MaxNLocator

    styles = series_styles(series)

    def paint(axes: Axes, tips: Tips, narrow: bool) -> None:
        for number, (name, values) in enumerate(series.items()):
            colour, marker = styles[name]
            places = list(xs[name]) if xs else list(range(1, len(values) + 1))
            axes.plot(places, values, color=colour, linewidth=2, linestyle=line_style(number))
            step = max(1, len(values) // MOST_POINTS_MARKED)
            for at in range(0, len(values), step):
                (dot,) = axes.plot(places[at], values[at], marker, color=colour, markersize=5)
                tips.add(dot, f"{name}, {x_axis} {short(places[at])}: {short(values[at])}")
            if chosen is not None and name in chosen:
                (ring,) = axes.plot(
                    places[chosen[name]], values[chosen[name]], "o", color=INK, markersize=14,
                    markerfacecolor="none", markeredgewidth=1.8,
                )  # fmt: skip
                tips.add(ring, f"{name}: the stopping point")
        axes.set_xlabel(x_axis)
        axes.set_ylabel(fill(y_axis, 24))
        axes.xaxis.set_major_locator(
            MaxNLocator(5 if narrow else 9, integer=xs is None, steps=[1, 2, 5, 10])
        )
        axes.yaxis.set_major_formatter(lambda value, _: short(value))
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        if list(series) != [THIS_RUN]:
            series_legend(axes, styles, narrow)

    return draw_chart(title, summary, paint, height=240)


def scale_chart(
    title: str,
    summary: str,
    rows: Mapping[str, tuple[Mapping[str, float], TypicalRange]],
    series: Sequence[str],
) -> Chart:
    """Shares beside what good and failed alignments typically have, one row a figure."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    styles, kinds = series_styles(series), {"failed": BAD, "good": GOOD}

    def paint(axes: Axes, tips: Tips, narrow: bool) -> None:
        for place, (name, (values, typical)) in enumerate(rows.items()):
            for kind, colour in kinds.items():
                limits: tuple[float, float] = getattr(typical, kind)
                low, high = (100 * limit for limit in limits)
                (bar,) = axes.barh(
                    place, max(high - low, 0.8), left=low, height=0.5, color=colour, alpha=SHADE
                )
                tips.add(bar, f"typical of {kind} alignments: {percent_range(*limits, 0)}")
            for one, (colour, marker) in styles.items():
                if one in values:
                    (dot,) = axes.plot(
                        100 * values[one], place, marker, color=colour, markersize=10
                    )
                    tips.add(dot, f"{one}: {name} {percent(values[one], 0)}")
        axes.set_yticks(range(len(rows)), _labels(rows, narrow))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(-2, 100)
        axes.set_xlabel("share of the words, %")
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        handles = [
            *(Patch(color=colour, alpha=SHADE, linewidth=0, label=f"typical of {kind} alignments")
              for kind, colour in kinds.items()),
            *(Line2D([], [], color=styles[one][0], marker=styles[one][1], markersize=9,
                     linestyle="none", label=fill(one, 34)) for one in series),
        ]  # fmt: skip
        place_legend(axes, handles, 1 if narrow else min(4, len(handles)))

    height = _height(1.3 * len(rows), [""] * 3)
    return draw_chart(
        title, summary, paint, height=height, narrow=height + LEGEND_ROW * (len(series) + 1)
    )


def _labels(rows: Mapping[str, object], narrow: bool) -> list[str]:
    return [fill(name, LABEL_LETTERS[narrow]) for name in rows]


def _height(lines: float, series: Sequence[str], columns: int = 4) -> int:
    legend = LEGEND_ROW * -(-len(series) // columns) if len(series) > 1 else 0
    return round(AROUND + ROW * lines + legend)


def _limit(axes: Axes, shares: Sequence[Share]) -> None:
    """Limits around all intervals, since differences of a few points must be seen."""
    low, high = min(share.low for share in shares), max(share.high for share in shares)
    space = max(0.02, 0.08 * (high - low))
    axes.set_xlim(100 * max(0.0, low - space), 100 * min(1.0, high + space) + 0.3)
