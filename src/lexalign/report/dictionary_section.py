"""What the page says about an induced dictionary: its methods, its ranking, its probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from lexalign.errors import InputError
from lexalign.induction.start import BY_SEEDS, FROM
from lexalign.report.markup import percent, table
from lexalign.report.page_charts import reliability_chart
from lexalign.runs import Run

EXAMPLES = 12
SURE = 0.8
DIRECTIONS = {"forward": "source to target", "backward": "target to source"}
ORDERED_BY = {"learned": "learned ranking", "csls": "CSLS"}


def dictionary_content(run: Run) -> str:
    """Everything about the dictionary of an induction; nothing for another run."""
    record: Mapping[str, Any] | None = run.record.get("induction")
    if not record:
        return ""
    rankings: Mapping[str, Any] = record.get("ranking") or {}
    return "".join(
        (
            _size(record, judged=_judged(rankings.get("forward") or {})),
            _methods(record.get("choice") or {}, record.get("start", BY_SEEDS)),
            _directions(rankings),
            _reliability(rankings.get("forward") or {}),
            _examples(run),
        )
    )


def _judged(direction: Mapping[str, Any]) -> bool:
    """Whether seeds judged the ranking, or else mutual pairs did."""
    return bool(direction.get("seed_words", True))


def _size(record: Mapping[str, Any], *, judged: bool) -> str:
    """How many words and translations, and how many of them are probably right."""
    if "words" not in record:
        return ""
    trust = (
        f"By their mean probability, about {100 * record['expected_precision']:.0f} % of the first "
        "translations are right. Probabilities are calibrated on held-out seed words; for much "
        "rarer words they can be too high."
        if judged
        else "Probabilities are calibrated on mutual pairs, not on seed words, and are too high."
    )
    return (
        f"<p>The dictionary has {record['translations']:,} translations of {record['words']:,} "
        f"words. {record['sure_words']:,} words have a first translation with a probability of "
        f"{SURE:g} or more. {trust}</p>"
    )


def _methods(choice: Mapping[str, Any], start: str) -> str:
    """What was tried, the chosen method in bold, and why it was chosen."""
    trials = choice.get("tried") or []
    chosen, start_named = choice.get("method"), f"{choice.get('method')}, from {FROM.get(start)}"
    by_health = any(trial["method"] == start_named for trial in trials)
    chosen = start_named if by_health else chosen
    reason = f"<p>{escape(str(choice.get('reason', '')))}</p>"
    rows = [
        [
            _bold(escape(str(trial["method"])), trial["method"] == chosen),
            "" if trial["p@1"] is None else percent(trial["p@1"]),
            _interval(trial["interval"]),
            f"{trial['words']:,}",
            f"{trial['seconds']:.1f}",
            escape(str(trial["remark"])),
        ]
        for trial in trials
    ]
    heads = ["method", "P@1", "interval of 95 %", "words", "seconds", "remark"]
    tried = "in the health check" if by_health else "on held-out seeds, by CSLS"
    caption = f"Aligners {tried}. Bold: the chosen one"
    return reason + table(heads, rows, caption)


def _directions(rankings: Mapping[str, Mapping[str, Any]]) -> str:
    """What orders candidates in each direction, and how well that did on held-out seeds."""
    rows = []
    for name, direction in rankings.items():
        learned = direction.get("learned") or {}
        rows.append(
            [
                escape(DIRECTIONS.get(name, name)),
                escape(ORDERED_BY.get(direction["kind"], str(direction["kind"]))),
                f"{direction['seed_words']:,}",
                percent(direction["csls"]["p@1"]),
                percent(learned["p@1"]) if learned else "",
                f"{direction['calibration_error']:.3f}" if _judged(direction) else "",
            ]
        )
    heads = ["direction", "ordered by", "seed words", "P@1, CSLS", "P@1, learned"]
    judged = all(map(_judged, rankings.values()))
    words = "seed words" if judged else "mutual pairs where there are too few seed words"
    caption = f"What orders candidates, with P@1 on held-out {words}"
    return table([*heads, "expected calibration error"], rows, caption)


def _reliability(forward: Mapping[str, Any]) -> str:
    """Predicted and observed shares of right translations, as a chart and as a table."""
    bins: Sequence[Mapping[str, Any]] = forward.get("reliability") or []
    if not bins or not _judged(forward):
        return ""
    rows = [
        [f"{one['words']:,}", percent(one["probability"]), percent(one["right"])] for one in bins
    ]
    caption = "Reliability: first translations of held-out seed words, by their probability"
    chart = reliability_chart([(one["words"], one["probability"], one["right"]) for one in bins])
    return chart + table(["words", "predicted, % right", "observed, % right"], rows, caption)


def _examples(run: Run) -> str:
    """Some words across the dictionary with their first translation."""
    try:
        first = run.dictionary.top(1)
    except InputError as error:
        return f'<p class="note">{escape(str(error))}</p>'
    count = min(EXAMPLES, len(first))
    places = [len(first) * number // count for number in range(count)]
    rows = [
        [escape(first.source[at]), escape(first.target[at]), f"{first.probability[at]:.2f}"]
        for at in places
    ]
    caption = f"{count} of {len(first):,} words, from frequent to rare ones"
    return table(["word", "first translation", "probability"], rows, caption)


def _bold(cell: str, chosen: bool) -> str:
    return f"<b>{cell}</b>" if chosen else cell


def _interval(bounds: Sequence[float] | None) -> str:
    return "" if bounds is None else f"{percent(bounds[0])}–{percent(bounds[1])}"
