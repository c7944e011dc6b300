"""The figure of ``DistanceChange``: one panel a loss, one bar a pair, the nearest pairs left.

Nothing here touches pyplot or the user's settings, and no date is written, so that the same input
gives the same bytes. The bars are an image also in SVG and PDF, whose size then does not grow with
their number; everything else in these stays vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lexalign.atomic import atomic_files, claim_file
from lexalign.errors import OutputError
from lexalign.libraries import load
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.report.distances import (
    PAPER_LOSSES,
    QUARTERS,
    Change,
    DistanceChange,
    distance_changes,
    refiners_by_loss,
    trend,
)
from lexalign.runs import AlignedPair
from lexalign.vectors import FREQUENT_WORDS, Policy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIGURES = ("png", "svg", "pdf")
DATA = "csv"
# Two colours of Okabe & Ito (2008) that stay apart for colour-blind readers and in grey.
CLOSER, FARTHER = "#56b4e9", "#d55e00"
INK, FAINT = "#222222", "#999999"
MEDIAN_WINDOW = 1 / 40
INCHES_WIDE, INCHES_HIGH, INCHES_AROUND, INCHES_PAD = 7.2, 2.1, 0.9, 0.07
DOTS_PER_INCH = 200
MARGIN = 0.06
LOSS_NAMES = {"l1": "ℓ1", "l2": "ℓ2", "l21": "ℓ2,1"}
SETTINGS: dict[Any, Any] = {
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "pdf.fonttype": 42,  # publishers refuse type 3, the default
    "svg.hashsalt": "lexalign",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
NO_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def figure_files(
    pair: AlignedPair,
    outputs: Sequence[Path],
    refiner: Refiner,
    *,
    losses: Sequence[str] = PAPER_LOSSES,
    uniform: bool = False,
    limit: int = FREQUENT_WORDS,
    policy: Policy | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> DistanceChange:
    """Draw how refinement changes the distances of a pair, into one file a name of ``outputs``.

    The suffix of a name decides: .png, .svg and .pdf get the figure, .csv its data.
    """
    progress = progress or Progress()
    formats = {path: output_format(path) for path in outputs}
    claims = [claim_file(path, overwrite=overwrite) for path in formats]
    if set(formats.values()) - {DATA}:
        require_matplotlib()
    refiners_by_loss(refiner, losses)
    sides = pair.read(policy or Policy(), limit=limit, unit=False, progress=progress)
    changes = distance_changes(*sides, refiner, losses=losses, progress=progress)
    with progress.stage("writing"), atomic_files(claims) as temporaries:
        for temporary, format in zip(temporaries, formats.values(), strict=True):
            if format == DATA:
                temporary.write_text(changes.csv(), encoding="utf-8")
            else:
                save(draw(changes, uniform=uniform), temporary, format)
    return changes


def output_format(path: Path) -> str:
    """What the suffix of a name asks for."""
    format = path.suffix.lower().removeprefix(".")
    if format not in (*FIGURES, DATA):
        ending = repr(path.suffix)
        raise OutputError(
            f"{path}: a figure cannot have the suffix {ending}; use .png, .svg or .pdf, or .csv "
            "for the data."
        )
    return format


def require_matplotlib() -> None:
    """Raise, with the remedy, if matplotlib is missing; call it before long work."""
    load("matplotlib.figure", feature="Drawing a figure", extra="report")


def draw(changes: DistanceChange, *, uniform: bool = False) -> Figure:
    """The panels below each other, each on its own scale or, with ``uniform``, all on one."""
    require_matplotlib()
    from matplotlib.figure import Figure

    with _settings():
        count = len(changes.changes)
        height = INCHES_AROUND + count * INCHES_HIGH
        figure = Figure(figsize=(INCHES_WIDE, height), facecolor="white")
        figure.set_layout_engine("constrained", w_pad=INCHES_PAD, h_pad=INCHES_PAD)
        panels = figure.subplots(count, sharex=True, squeeze=False)[:, 0]
        limits = [_limits(change.values) for change in changes.changes.values()]
        if uniform:
            limits = [(min(low for low, _ in limits), max(high for _, high in limits))] * count
        for panel, (loss, change), scale in zip(
            panels, changes.changes.items(), limits, strict=True
        ):
            _bars(panel, change)
            panel.set_ylim(*scale)
            panel.set_title(f"{LOSS_NAMES.get(loss, loss)} refinement", loc="left", weight="bold")
            panel.set_title(
                f"{100 * change.closer:.0f} % came closer, mean change {_number(change.mean)}",
                loc="right",
                fontsize="medium",
            )
        _distance_axis(panels[-1], changes)
        figure.legend(
            *panels[0].get_legend_handles_labels(),
            ncols=3,
            loc="outside upper right",
            frameon=False,
            borderpad=0,
            handlelength=1.2,
        )
        figure.supylabel(r"change of distance  $\|a_iM-b_i\|_2-\|a_i-b_i\|_2$", fontsize="medium")
    return figure


def save(figure: Figure, path: Path, format: str) -> None:
    """Write a figure as "png", "svg" or "pdf"."""
    with _settings():
        figure.savefig(path, format=format, dpi=DOTS_PER_INCH, metadata=NO_DATE.get(format))


@contextmanager
def _settings() -> Iterator[None]:
    """Our settings instead of the user's, for a while."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def _bars(panel: Axes, change: Change) -> None:
    """Bars of width one as a filled step, which draws thousands at once, and their trend."""
    count = len(change.values)
    edges, steps = np.arange(count + 1), np.append(change.values, change.values[-1])
    for values, colour, name in (
        (np.minimum(steps, 0), CLOSER, "came closer"),
        (np.maximum(steps, 0), FARTHER, "moved apart"),
    ):
        panel.fill_between(
            edges, values, step="post", color=colour, linewidth=0.3, label=name, rasterized=True
        )
    line = trend(change.values, max(1, round(MEDIAN_WINDOW * count)))
    panel.plot(edges[:-1] + 0.5, line, color=INK, linewidth=1.2, label="running median")
    panel.axhline(0, color=INK, linewidth=0.6)
    for quarter in range(1, QUARTERS):
        panel.axvline(count * quarter / QUARTERS, color=FAINT, linewidth=0.5, linestyle=":")
    panel.spines[["top", "right"]].set_visible(False)


def _distance_axis(panel: Axes, changes: DistanceChange) -> None:
    """Label every quarter of the pairs with the distance reached there."""
    shares = np.linspace(0, 1, QUARTERS + 1)
    panel.set_xlim(0, len(changes))
    panel.set_xticks(
        shares * len(changes), [f"{value:#.3g}" for value in np.quantile(changes.distances, shares)]
    )
    panel.set_xlabel(
        f"original distance  $\\|a_i-b_i\\|_2$  ({len(changes):,} mutual pairs, the nearest first)"
    )


def _number(value: float) -> str:
    """Two digits that matter, with a true minus sign."""
    return f"{value:+#.2g}".replace("-", "−")


def _limits(values: np.ndarray) -> tuple[float, float]:
    """From the lowest to the highest bar, zero among them, and some space."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    space = MARGIN * (high - low) or 1.0
    return low - space, high + space
