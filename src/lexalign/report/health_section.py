"""The section on the health check: its verdict, its figures, and a scale to read them by."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from lexalign.aligners.health_scale import Range, TypicalRange, health_scale
from lexalign.report.markup import figure, table
from lexalign.table import percent

EXPLAINED = {
    "found_again": "pairs found again by a rotation fitted to others of them",
    "mutual": "words that are each other's best match",
    "mean_csls": "mean CSLS of best matches",
    "mean_cosine": "mean cosine of best matches",
    "hubness": "hubness, the skewness of N₁₀",
    "singular_value_gap": "difference of the spectra",
    "eigenvalue_gap": "difference of the neighbourhood graphs",
}
NOT_ACCURACY = (
    "The health check says whether the two spaces correspond to each other. It does not say how "
    "well words translate: the share of pairs found again often rises with a refinement that loses "
    "accuracy. Compare alignments by a test dictionary."
)


def health_tile(health: Mapping[str, Any]) -> tuple[str, str, str]:
    """The verdict as a value, what it is, and a colour; only a failure has one."""
    matched = health["matched"]
    text = {True: "spaces match", False: "no match", None: "undecided"}[matched]
    return text, "health check, not accuracy", "bad" if matched is False else ""


def health_content(health: Mapping[str, Any] | None) -> str:
    """The verdict and the table of figures; nothing if there was no check."""
    if health is None:
        return ""
    scale = health_scale(health["dimension"]) if "dimension" in health else {}
    rows = [
        [escape(text), figure(health[name]), *_typical(scale.get(name))]
        for name, text in EXPLAINED.items()
        if name in health
    ]
    for name, text in (("identical", "words spelled alike"), ("numerals", "numbers")):
        if health.get(name):
            agreement = health[name]
            share = f"{percent(agreement['share'])} % of {agreement['words']:,}"
            title = f"{text} that are each other's best match"
            rows.append([escape(title), share, *_typical(scale.get(name), is_share=True)])
    caption = f"Of the {health['words']:,} most frequent words, without a dictionary"
    heads = ["", "here", "typical of good alignments", "typical of failed ones"]
    verdict = f"<p>{escape(str(health['verdict']))}</p>"
    return f'{verdict}{table(heads, rows, caption)}<p class="note">{escape(NOT_ACCURACY)}</p>'


def _typical(known: TypicalRange | None, *, is_share: bool = False) -> list[str]:
    """The cells of a figure's scale."""
    if known is None:
        return ["", ""]
    if known.good == known.failed:
        return [_shown(known.good, is_share), "the same"]
    return [_shown(known.good, is_share), _shown(known.failed, is_share)]


def _shown(limits: Range, is_share: bool) -> str:
    if is_share:
        low, high = (f"{100 * limit:.0f} %" for limit in limits)
    else:
        low, high = (f"{limit:g}" for limit in limits)
    return low if low == high else f"{low} to {high}"
