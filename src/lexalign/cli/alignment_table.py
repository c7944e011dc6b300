"""The closing table and the warnings of ``lexalign align``, with and without joint training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lexalign.cli.printing import closing_table, show_closing_table, warn, warn_low_coverage
from lexalign.cli.verbosity import is_verbose

SEEDS, HEALTH, HUBNESS = "seeds with vectors", "health check", "hubness"
IN_SHORT = (SEEDS, HEALTH)
"""The figures of each language if there are several."""


def alignment_table(summary: Mapping[str, Any]) -> None:
    """Print what an aligner did: seeds, pairs, health and total time."""
    table = closing_table(f"Alignment by {summary['method']}")
    if "words" in summary:
        for kind in ("source", "target"):
            table.add_row(f"words of the {kind} only", f"{summary['words'][kind]:,}")
        table.add_row("shared words", f"{summary['words']['shared']:,}")
        if summary["words"]["unknown"]:
            table.add_row("words without counts (left out)", f"{summary['words']['unknown']:,}")
    for name, pair in summary.get("languages", {"": summary}).items():
        rows = _rows(pair)
        if name and not is_verbose():
            short = (f"{figure}: {value}" for figure, value in rows if figure in IN_SHORT)
            table.add_row(name, "; ".join(short))
            continue
        for figure, value in rows if is_verbose() else (row for row in rows if row[0] != HUBNESS):
            table.add_row(f"{name}: {figure}" if name else figure, value)
    show_closing_table(table, summary)


def _rows(pair: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is known of an alignment, by name."""
    rows = []
    if pair["seeds"] is not None:
        folded = pair["folded_seeds"]
        remark = f" ({folded:,} by ignoring case)" if folded else ""
        rows.append((SEEDS, f"{pair['known_seeds']:,} of {pair['seeds']:,}{remark}"))
    rows.append(("pairs in the last round", f"{pair['pairs']:,}"))
    rows += [(_attempt(one), _found_again(one)) for one in pair.get("attempts", ())]
    return rows if pair["health"] is None else rows + _health_rows(pair["health"])


def warn_about_alignment(summary: Mapping[str, Any]) -> None:
    """Warn of seeds in another case, of low coverage, and of spaces that do not match."""
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
    """Name the options of the command; joint training takes the aligner's options after --set."""
    from lexalign.cli.wording import in_options

    if "words" in summary:
        sentence = sentence.replace('`case="as-is"`', "--set case=as-is")
    return in_options(sentence)


def _health_rows(health: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The health check, each figure with the ranges of good and failed alignments."""
    from lexalign.aligners.health_scale import Range, health_scale

    scale = health_scale(health["dimension"])

    def typical(name: str, shown: Callable[[Range], str]) -> str:
        return f"(good {shown(scale[name].good)}, failed {shown(scale[name].failed)})"

    shares = typical(
        "found_again", lambda limits: "{:.0f}–{:.0f} %".format(*(100 * limit for limit in limits))
    )
    csls = typical("mean_csls", lambda limits: "{:.2f}–{:.2f}".format(*limits))
    hubs = typical("hubness", lambda limits: "{:.1f}–{:.1f}".format(*limits))
    verdict = {None: "too few words to tell", True: "the spaces match", False: "no match"}
    return [
        (HEALTH, verdict[health["matched"]]),
        ("mutual pairs found again", f"{_found_again(health)} {shares}"),
        ("mean CSLS of best matches", f"{health['mean_csls']:.3f} {csls}"),
        (HUBNESS, f"{health['hubness']:.1f} {hubs}"),
    ]


def _attempt(attempt: Mapping[str, Any]) -> str:
    change = f", {attempt['change']}" if attempt["change"] else ""
    return f"{attempt['method']}, seed {attempt['seed']}{change}"


def _found_again(figures: Mapping[str, Any]) -> str:
    if "error" in figures:
        return "failed"
    share = figures.get("found_again")
    return "too few to tell" if share is None else f"{100 * share:.0f} %"
