"""The section on the health check: its verdict, its figures, and a scale to read them by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lexalign.aligners.health_scale import Range, TypicalRange, health_scale
from lexalign.report.analysis import Analysis
from lexalign.report.blocks import Block, Cell, Row, Section, Table, Text, number
from lexalign.report.charts import THIS_RUN, scale_chart
from lexalign.report.page_text import percent, percent_range, recorded

EXPLAINED = {
    "found_again": "pairs found again by a rotation fitted to others of them",
    "mutual": "words that are each other's best match",
    "mean_csls": "mean CSLS of best matches",
    "mean_cosine": "mean cosine of best matches",
    "hubness": "hubness, the skewness of N₁₀",
    "singular_value_gap": "difference of the spectra",
    "eigenvalue_gap": "difference of the neighbourhood graphs",
}
AGREEMENTS = {
    "identical": "identical words that are each other's best match",
    "numerals": "numbers that are each other's best match",
}
DRAWN = {"found_again": "pairs found again", "identical": "identical words"}
SHARES = ("found_again", "mutual")
NOT_ACCURACY = (
    "The health check tells whether the two spaces match. It does not measure accuracy: the "
    "share of pairs found again often rises with a refinement that loses accuracy. Compare "
    "alignments on a test dictionary."
)


def health_section(runs: Mapping[str, Analysis]) -> Section | None:
    """The verdicts, a chart and the table of figures; None if there was no check."""
    checks = {name: found.health for name, found in runs.items() if found.health is not None}
    if not checks:
        return None
    return Section("health", "Do the two spaces match? The health check", health_blocks(checks))


def health_blocks(checks: Mapping[str, Mapping[str, Any]]) -> list[Block]:
    """What to say about the health checks of some runs, by name."""
    many, first = len(checks) > 1, next(iter(checks.values()))
    scale = health_scale(first["dimension"]) if "dimension" in first else {}
    blocks: list[Block] = [
        Text(f"{name}: {check['verdict']}" if many else str(check["verdict"]))
        for name, check in checks.items()
    ]
    drawn = {
        title: (values, scale[name])
        for name, title in DRAWN.items()
        if name in scale
        and (values := {run: share for run, check in checks.items()
                        if (share := _share(check, name)) is not None})
    }  # fmt: skip
    if drawn:
        summary = (
            "Shaded: values that we measured on good and on failed alignments of real languages."
        )
        series = list(checks) if many else [THIS_RUN]
        if not many:
            drawn = {title: (dict(zip(series, values.values(), strict=True)), typical)
                     for title, (values, typical) in drawn.items()}  # fmt: skip
        blocks.append(scale_chart("Health check", summary, drawn, series))
    rows: list[Row] = [
        [
            title,
            *(_here(check, name) for check in checks.values()),
            *_typical(scale.get(name), name),
        ]
        for name, title in (EXPLAINED | AGREEMENTS).items()
        if any(check.get(name) is not None for check in checks.values())
    ]
    caption = f"Figures of the {first['words']:,} most frequent words, without a dictionary"
    heads = ["figure", *(checks if many else ["here"]), "typical of good", "typical of failed"]
    return [*blocks, Table(caption, heads, rows), Text(NOT_ACCURACY, "note")]


def _share(check: Mapping[str, Any], name: str) -> float | None:
    value = check.get(name)
    found = value["share"] if isinstance(value, Mapping) else value
    return None if found is None else float(found)


def _here(check: Mapping[str, Any], name: str) -> Cell:
    value = check.get(name)
    if not value and value != 0:
        return number("")
    if isinstance(value, Mapping):
        return number(percent(value["share"]), f"of {value['words']:,}", strong=True)
    if name in SHARES:
        return number(percent(value), strong=True)
    return number(recorded(value), strong=True)


def _typical(known: TypicalRange | None, name: str) -> list[Cell]:
    """The cells of a figure's scale."""
    if known is None:
        return [number("not known"), number("not known")]
    if known.good == known.failed:
        return [number(_shown(known.good, name)), number("the same range")]
    return [number(_shown(known.good, name)), number(_shown(known.failed, name))]


def _shown(limits: Range, name: str) -> str:
    if name in SHARES or name in AGREEMENTS:
        return percent_range(*limits, 0)
    low, high = (f"{limit:g}" for limit in limits)
    return low if low == high else f"{low} to {high}"
