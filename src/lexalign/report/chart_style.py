"""Colours, markers and legends of series, the same in all charts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from lexalign.report.svg_drawing import SERIES

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.typing import LineStyleType

DASHES: tuple[LineStyleType, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P")
LEGEND_LETTERS = 34


def series_styles(series: Iterable[str]) -> dict[str, tuple[str, str]]:
    """A colour and a marker for every series."""
    return {
        name: (SERIES[number % len(SERIES)], MARKERS[number % len(MARKERS)])
        for number, name in enumerate(series)
    }


def line_style(number: int) -> LineStyleType:
    """The dashes of a series."""
    return DASHES[number % len(DASHES)]


def series_legend(
    axes: Axes, styles: Mapping[str, tuple[str, str]], narrow: bool, *, line: bool = True
) -> None:
    """Name the marks of series above the chart: a colour and a marker for each."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker=marker, markersize=8, linewidth=1.6,
               linestyle=line_style(number), label=fill(name, LEGEND_LETTERS))
        for number, (name, (colour, marker)) in enumerate(styles.items())
    ]  # fmt: skip
    place_legend(axes, handles, 1 if narrow else min(4, len(handles)))


def patch_legend(axes: Axes, colours: Mapping[str, str], narrow: bool) -> None:
    """Name the colours of areas above the chart."""
    from matplotlib.patches import Patch

    handles = [Patch(color=colour, label=name, linewidth=0) for name, colour in colours.items()]
    place_legend(axes, handles, 2 if narrow else len(handles))


def place_legend(axes: Axes, handles: Sequence[Artist], columns: int) -> None:
    """Put a legend above the chart, in some columns."""
    axes.figure.legend(
        handles=handles, loc="outside upper left", ncols=columns, borderpad=0, handlelength=1.8,
        columnspacing=1.6, fontsize=12,
    )  # fmt: skip
