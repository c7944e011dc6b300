"""Pieces of HTML: tables, numbers, and the colour of a gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from lexalign.evaluation import Bootstrap


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table of cells that are HTML already; columns of numbers are set to the right."""
    if not rows:
        return ""
    numeric = [all(_is_number(row[place]) for row in rows) for place in range(len(heads))]

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(
            f"<{tag}{' class=number' if right else ''}>{cell}</{tag}>"
            for cell, right in zip(cells, numeric, strict=True)
        ) + "</tr>"  # fmt: skip

    head = f"<thead>{line([escape(head) for head in heads], 'th')}</thead>" if any(heads) else ""
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "".join(line(row, "td") for row in rows)
    return f'<div class="scroll"><table>{said}{head}<tbody>{body}</tbody></table></div>'


def _is_number(cell: str) -> bool:
    bare = cell.removeprefix("<b>").removesuffix("</b>").replace(",", "")
    try:
        float(bare)
    except ValueError:
        return bare == ""
    return True


def percent(share: float) -> str:
    """A share as percent with one decimal."""
    return f"{100 * share:.1f}"


def points(share: float) -> str:
    """A difference of shares in points with its sign, which zero has, too: +0.0."""
    return f"{round(100 * share, 1) + 0.0:+.1f}".replace("-", "−")


def gained(gain: Bootstrap) -> str:
    """A difference with its interval, coloured if that excludes zero."""
    interval = f"({points(gain.low)} to {points(gain.high)})"
    return f'<span class="{colour(gain)}">{points(gain.mean)}</span> {interval}'


def figure(value: Any) -> str:
    """Any value of a record, for people."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {figure(part)}" for name, part in value.items())
    return "–" if value is None else str(value)


def colour(gain: Bootstrap) -> str:
    """Good or bad if the interval excludes zero."""
    return "good" if gain.low > 0 else "bad" if gain.high < 0 else ""
