"""The closing table and the warnings of ``lexalign align``, with and without joint training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lexalign.cli.printing import closing_table, show_closing_table, warn, warn_low_coverage


def alignment_table(summary: Mapping[str, Any]) -> None:
    """What an aligner did: seeds, pairs and the time of every stage."""
    table = closing_table(f"Alignment by {summary['method']}")
    if "words" in summary:
        for kind in ("source", "target"):
            table.add_row(f"words of the {kind} alone", f"{summary['words'][kind]:,}")
        table.add_row("words of both, shared", f"{summary['words']['shared']:,}")
        if summary["words"]["unknown"]:
            table.add_row("words without counts, left out", f"{summary['words']['unknown']:,}")
    for name, pair in summary.get("languages", {"": summary}).items():
        prefix = f"{name}: " if name else ""
        if pair["seeds"] is not None:
            known = f"{pair['known_seeds']:,} of {pair['seeds']:,}"
            table.add_row(f"{prefix}seeds with vectors", known)
            if pair["folded_seeds"]:
                table.add_row(f"{prefix}of them by ignoring case", f"{pair['folded_seeds']:,}")
        table.add_row(f"{prefix}pairs of the last fit", f"{pair['pairs']:,}")
        for attempt in pair.get("attempts", ()):
            table.add_row(f"{prefix}{_attempt(attempt)}", _found_again(attempt))
        health = pair["health"]
        if health is not None:
            table.add_row(f"{prefix}mutual pairs found again", _found_again(health))
            table.add_row(
                f"{prefix}mean CSLS, hubness", f"{health['mean_csls']:.3f}, {health['hubness']:.1f}"
            )
    show_closing_table(table, summary)


def warn_about_alignment(summary: Mapping[str, Any]) -> None:
    """Warn of seeds of another case or with low coverage, and of spaces that were not matched."""
    from lexalign.aligners.retries import REMEDIES
    from lexalign.cli.wording import in_options

    for name, pair in summary.get("languages", {"": summary}).items():
        if pair["seeds"]:
            warn_low_coverage(name or "the seed lexicon", pair["known_seeds"], pair["seeds"])
        place = f"{name}: " if name else ""
        if pair["warning"]:
            warn(place + _in_options_of(summary, pair["warning"]))
        if pair["health"] is not None and pair["health"]["matched"] is False:
            sentence = pair["health"]["verdict"]
            remedies = in_options(summary.get("remedies", REMEDIES))
            warn(f"{place}{sentence} Remedies: {remedies}.")


def _in_options_of(summary: Mapping[str, Any], sentence: str) -> str:
    """Name the options of the command: joint training takes those of the aligner after --set."""
    from lexalign.cli.wording import in_options

    if "words" in summary:
        sentence = sentence.replace('`case="as-is"`', "--set case=as-is")
    return in_options(sentence)


def _attempt(attempt: Mapping[str, Any]) -> str:
    change = f", {attempt['change']}" if attempt["change"] else ""
    return f"{attempt['method']}, seed {attempt['seed']}{change}"


def _found_again(figures: Mapping[str, Any]) -> str:
    if "error" in figures:
        return "failed"
    share = figures.get("found_again")
    return "too few to tell" if share is None else f"{100 * share:.0f} %"
