"""Charts as inline SVG, whose colours are those of the page, in light and in dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from lexalign.report.distances import QUARTERS, DistanceChange, trend

WIDTH, HEIGHT = 640, 180
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 14, 30
MOST_BARS = 2_000
MEDIAN_WINDOW = 1 / 40
LEAST_SQUARE, LARGEST_SQUARE = 4, 20


def line_chart(values: Sequence[float], label: str, x_label: str) -> str:
    """A line from left to right with its first, lowest, highest and last value in words."""
    heights = np.asarray(values, dtype=np.float64)
    low, high = float(heights.min()), float(heights.max())
    if high <= low:
        high = low + (abs(low) or 1.0)
    xs = np.linspace(LEFT, WIDTH - RIGHT, len(heights)) if len(heights) > 1 else np.array([LEFT])
    ys = _scaled(heights, low, high)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
    text = f"{label}: from {_number(heights[0])} to {_number(heights[-1])}"
    return _svg(
        text,
        _axis(low, high)
        + f'<polyline class="line" points="{points}"/>'
        + _words(WIDTH - RIGHT, HEIGHT - 8, f"{x_label}, {len(heights)} in all", "end"),
    )


def distance_chart(changes: DistanceChange, name: str, title: str) -> str:
    """The change of every pair, the nearest pairs left, and their running median.

    More pairs than can be seen are drawn as the extremes of several neighbours.
    """
    change = changes.changes[name]
    values = change.values
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    low, high = (low, high) if high > low else (-1.0, 1.0)
    count = min(MOST_BARS, len(values))
    parts = np.array_split(values, count)
    edges = np.linspace(LEFT, WIDTH - RIGHT, count + 1)
    bars = "".join(
        _bars(edges, np.array([extreme(part) for part in parts]), low, high, kind)
        for extreme, kind in ((_lowest, "closer"), (_highest, "apart"))
    )
    middle = trend(values, max(1, round(MEDIAN_WINDOW * len(values))))
    at = np.linspace(0, len(values) - 1, min(200, len(values))).astype(np.int64)
    xs = LEFT + (at + 0.5) / len(values) * (WIDTH - RIGHT - LEFT)
    ys = _scaled(middle[at], low, high)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
    quarters = np.quantile(changes.distances, np.linspace(0, 1, QUARTERS + 1))
    marks = "".join(
        _words(
            LEFT + number / QUARTERS * (WIDTH - RIGHT - LEFT),
            HEIGHT - 8,
            f"{value:.2f}",
            ("start", *["middle"] * (QUARTERS - 1), "end")[number],
        )
        for number, value in enumerate(quarters)
    )
    text = (
        f"{title}: {100 * change.closer:.0f} % of {len(values):,} pairs came closer, mean change "
        f"{change.mean:+.2g}"
    )
    zero = float(_scaled(np.array([0.0]), low, high)[0])
    return _svg(
        text,
        _axis(low, high)
        + bars
        + f'<line class="zero" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{zero:.1f}" y2="{zero:.1f}"/>'
        + f'<polyline class="median" points="{points}"/>'
        + marks,
    )


def reliability_chart(bins: Sequence[tuple[int, float, float]]) -> str:
    """Observed over predicted shares; the diagonal is what they should be.

    ``bins`` are numbers of words, which squares show by their area, and two shares from 0 to 1.
    """
    words, predicted, observed = np.asarray(bins, dtype=np.float64).T
    sides = np.maximum(LEAST_SQUARE, LARGEST_SQUARE * np.sqrt(words / words.max()))
    xs = LEFT + predicted * (WIDTH - RIGHT - LEFT)
    ys = _scaled(observed, 0.0, 1.0)
    squares = "".join(
        f'<rect class="closer" x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" '
        f'width="{side:.1f}" height="{side:.1f}"/>'
        for x, y, side in zip(xs, ys, sides, strict=True)
    )
    start, end = _scaled(np.array([0.0, 1.0]), 0.0, 1.0)
    return _svg(
        "Share of right translations over their predicted probability. The diagonal is ideal; "
        "larger squares stand for more words",
        _axis(0.0, 1.0)
        + f'<line class="zero" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{start:.1f}" y2="{end:.1f}"/>'
        + squares
        + _words(LEFT, HEIGHT - 8, "0", "middle")
        + _words((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "predicted probability", "middle")
        + _words(WIDTH - RIGHT, HEIGHT - 8, "1", "end"),
    )


def interval_bar(low: float, middle: float, high: float) -> str:
    """An interval of a share between 0 and 1, as a bar with a dot."""
    return (
        '<svg class="interval" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect x="{100 * low:.1f}" y="3" width="{max(0.5, 100 * (high - low)):.1f}" height="4"/>'
        f'<rect class="middle" x="{100 * middle - 0.4:.1f}" y="0" width="0.8" height="10"/></svg>'
    )


def _lowest(part: np.ndarray) -> float:
    return min(0.0, float(part.min()))


def _highest(part: np.ndarray) -> float:
    return max(0.0, float(part.max()))


def _bars(edges: np.ndarray, values: np.ndarray, low: float, high: float, kind: str) -> str:
    """Bars from zero as one path."""
    zero = float(_scaled(np.array([0.0]), low, high)[0])
    path = [f"M{edges[0]:.1f} {zero:.1f}"]
    for edge, y in zip(edges[1:], _scaled(values, low, high), strict=True):
        path.append(f"V{y:.1f}H{edge:.1f}")
    return f'<path class="{kind}" d="{"".join(path)}V{zero:.1f}Z"/>'


def _scaled(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """From values to heights in the drawing."""
    share = (values - low) / (high - low)
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)


def _axis(low: float, high: float) -> str:
    base = HEIGHT - BOTTOM
    return (
        f'<path class="axis" d="M{LEFT} {TOP}V{base}H{WIDTH - RIGHT}"/>'
        + _words(LEFT - 6, TOP + 4, _number(high), "end")
        + _words(LEFT - 6, base, _number(low), "end")
    )


def _number(value: float) -> str:
    """Four digits that matter, and no exponent where people expect none."""
    return f"{value:,.0f}" if 10_000 <= abs(value) < 1e9 else f"{value:.4g}"


def _words(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(description: str, body: str) -> str:
    return (
        f'<figure><figcaption>{escape(description)}</figcaption><svg class="chart" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" aria-label="{escape(description)}">{body}</svg></figure>'
    )
