"""What the page says about one run, section by section."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from lexalign.atomic import sha256
from lexalign.evaluation.cautions import score_cautions
from lexalign.refinement.stopping import REQUIRED_Z
from lexalign.report.analysis import (
    MOST_CHANGED,
    Analysis,
    DictionaryTest,
    MetricScore,
    TranslationChange,
)
from lexalign.report.dictionary_section import dictionary_content
from lexalign.report.health_section import health_content, health_tile
from lexalign.report.markup import colour, figure, gained, percent, points, table
from lexalign.report.page_charts import distance_chart, interval_bar, line_chart

MOST_LINES = 4
ROUNDING = 1e-5
COUNTERS = ("round", "iteration", "epoch", "step", "seconds", "words", "pairs")
PANELS = {
    "l1": "What ℓ1 refinement would change, as far as in the paper",
    "l2": "Least squares (ℓ2), for comparison",
}
LOSSES = {"l1": "ℓ1", "l2": "ℓ2", "l21": "ℓ2,1"}


def lead(found: Analysis) -> str:
    """One sentence about it."""
    run = found.run
    words = f"{len(run.source):,} and {len(run.target):,} words of {run.source.dimension} numbers"
    if run.run.has_ranking:
        return f"Two languages, {words}, with an induced dictionary."
    if run.rotation is None:
        return f"Two languages, {words}, aligned by {run.method}."
    loss = figure(run.record["parameters"]["loss"])
    named = LOSSES.get(loss, loss)
    if run.run.changed_nothing:
        return f"Two languages, {words}, left unchanged by refinement with the loss {named}."
    return f"Two languages, {words}, refined with the loss {named}."


def run_section(found: Analysis) -> str:
    """All of it."""
    sections = (
        _tiles(found),
        _section("Translation", _tests(found)),
        _section("What changed", _changes(found)),
        _section("The dictionary", dictionary_content(found.run.run)),
        _section("Distances of the pairs", _distances(found)),
        _section("Did it work? The health check", health_content(found.health)),
        _section("How it went", _history(found)),
        _section("Pairs that stand out", _outliers(found)),
        _section("What was done", _inputs(found)),
        _section("Reproduce and cite", _reproduction(found)),
    )
    return "".join(sections)


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>" if content else ""


def _tiles(found: Analysis) -> str:
    tiles = list[tuple[str, str, str]]()
    for test in found.tests[:1]:
        score = test.scores(["p@1"])[0]
        tiles.append((percent(score.after.mean), f"P@1 on {test.lexicon.name}", ""))
        if score.gain is not None:
            kind = colour(score.gain)
            other = "CSLS" if found.ranked else "before"
            tiles.append((points(score.gain.mean), f"points against {other}", kind))
    if found.health is not None:
        tiles.append(health_tile(found.health))
    if len(found.run.lexicon):
        tiles.append((f"{len(found.run.lexicon):,}", "pairs it was fitted to", ""))
    return '<div class="tiles">' + "".join(
        f'<div class="tile"><b class="{kind}">{escape(value)}</b><span>{escape(what)}</span></div>'
        for value, what, kind in tiles
    ) + "</div>"  # fmt: skip


def _tests(found: Analysis) -> str:
    if not found.tests:
        return (
            '<p class="note">No test dictionary was given; <code>--lexicon FILE</code> adds '
            "accuracy, and tells which changes are for the better.</p>"
        )
    return "".join(_test(test, found.compared) for test in found.tests)


def _test(test: DictionaryTest, compared: tuple[str, str] | None) -> str:
    rows = [_score_row(score.metric.upper(), score) for score in test.scores()]
    bands = [_score_row(f"rank {name}", score, words) for name, words, score in test.bands()]
    head = ["", *(compared or ["score"]), "interval of 95 %", "", *(["change"] if compared else [])]
    known = test.after.coverage_words
    caption = (
        f"{test.lexicon.name}, protocol {test.after.protocol.name}: {test.after.queries:,} queries,"
        f" {known.known:,} of {known.total:,} words known"
    )
    by_rank = table(["source word", "words", *head[1:]], bands, "P@1 by frequency")
    return table(head, rows, caption) + _cautions(test) + by_rank


def _cautions(test: DictionaryTest) -> str:
    """What to know about the score: coverage, words spelled alike, and seeds."""
    sentences = score_cautions(test.after, test.leakage, without_seeds=test.without_seeds)
    return f'<p class="note">{escape(" ".join(sentences))}</p>'


def _score_row(name: str, score: MetricScore, words: int | None = None) -> list[str]:
    after, gain = score.after, score.gain
    return [
        escape(name),
        *([] if words is None else [f"{words:,}"]),
        *([] if score.before is None else [percent(score.before.mean)]),
        f"<b>{percent(after.mean)}</b>",
        f"{percent(after.low)}–{percent(after.high)}",
        interval_bar(after.low, after.mean, after.high),
        *([] if gain is None else [gained(gain)]),
    ]


def _changes(found: Analysis) -> str:
    if found.compared is None:
        return ""
    another = "another best translation than before"
    if found.ranked:
        another = "another best translation by the learned ranking than by CSLS"
    if not found.changed:
        words = f"{found.watched:,} words that were looked at"
        return f"<p>None of the {words} has {another}.</p>"
    counts = {kind: sum(change.verdict == kind for change in found.changed)
              for kind in ("better", "worse", "other")}  # fmt: skip
    said = (
        f"{len(found.changed):,} of the {found.watched:,} words that were looked at have {another}"
        + (
            f": {counts['better']} became right, {counts['worse']} became wrong, "
            f"{counts['other']} neither"
            if counts["better"] + counts["worse"]
            else ""
        )
        + "."
    )
    tables = list[str]()
    titles = {"better": "Better", "worse": "Worse", "other": "Neither" if found.tests else "Other"}
    for kind, title in titles.items():
        chosen = [change for change in found.changed if change.verdict == kind]
        if len(chosen) > MOST_CHANGED:
            title = f"{title}, the {MOST_CHANGED} most frequent of {len(chosen):,}"
        if chosen:
            tables.append(_changed_table(chosen[:MOST_CHANGED], title, found.compared))
    return f'<p>{escape(said)}</p><div class="beside">{"".join(tables)}</div>'


def _changed_table(
    changes: Iterable[TranslationChange], caption: str, compared: tuple[str, str]
) -> str:
    rows = [
        [escape(change.word), escape(change.before), f"<b>{escape(change.after)}</b>",
         *([escape(", ".join(change.references[:4]))] if change.references else [])]
        for change in changes
    ]  # fmt: skip
    return table(["word", *compared, "dictionary"][: len(rows[0])], rows, caption)


def _distances(found: Analysis) -> str:
    changes = found.distances
    if changes is None:
        return _no_pairs(found)
    parts = [
        "<p>Each bar is a pair, the nearest pairs left: how much its distance changes, "
        "‖aᵢM − bᵢ‖ − ‖aᵢ − bᵢ‖. Below zero it came closer. The line is the running median, the "
        "numbers below are the distances before, at each quarter.</p>"
    ]
    for name, change in changes.changes.items():
        if abs(change.values).max() < ROUNDING:
            parts.append(f'<p class="note">{escape(name)} changes nothing.</p>')
            continue
        parts.append(distance_chart(changes, name, PANELS.get(name, name.capitalize())))
    return "".join(parts)


def _history(found: Analysis) -> str:
    """Draw the descents or paths of a refinement, or the figures of an aligner by round."""
    history = found.run.record.get("history")
    if not isinstance(history, list) or not history:
        return ""
    rounds = len(history)
    parts = [part for entry in history for part in _round(entry, rounds)]
    return "".join(parts or (_figures_by_round(history) if rounds > 1 else []))


def _round(entry: Mapping[str, Any], rounds: int) -> list[str]:
    """Draw the descent or the path of one round, with the sentence about its end."""
    shown, steps = list[str](), entry.get("steps") or []
    if len(steps) > 1:
        where = f"round {entry['round']}" if rounds > 1 else "descent"
        for key, label in (("loss", "Loss"), ("orthogonality_error", "Error of MᵀM = I")):
            shown.append(line_chart([step[key] for step in steps], f"{label}, {where}", "steps"))
    if entry.get("path"):
        shown.append(_path(entry, rounds))
    if "message" in entry:
        which = f"Round {entry['round']}: " if rounds > 1 else ""
        shown.append(f'<p class="note">{escape(which + str(entry["message"]))}</p>')
    return shown


def _figures_by_round(history: Sequence[Mapping[str, Any]]) -> list[str]:
    """Draw the first few figures of an aligner, one chart a figure."""
    numbers = [
        key for key, value in history[-1].items()
        if isinstance(value, int | float) and not isinstance(value, bool) and key not in COUNTERS
    ]  # fmt: skip
    charts = list[str]()
    for key in numbers[:MOST_LINES]:
        values = [entry[key] for entry in history if isinstance(entry.get(key), int | float)]
        charts.append(line_chart(values, key.replace("_", " ").capitalize(), "rounds"))
    return charts


def _path(entry: Mapping[str, Any], rounds: int) -> str:
    """List the points of the path of a refinement, the stopping point in bold."""
    heads = {"share": "share of the path", "accuracy": "held-out accuracy", "z": "z-score"}
    rows = [[escape(figure(point.get(name))) for name in heads] for point in entry["path"]]
    chosen = entry.get("chosen", 0)
    rows[chosen : chosen + 1] = [[f"<b>{cell}</b>" for cell in row] for row in rows[chosen:][:1]]
    which = f"Round {entry['round']}: points" if rounds > 1 else "Points"
    kind = "words with the same spelling" if entry.get("spelled_alike") else "rarer words"
    held_out, fitted = (figure(entry.get(f"{name}_words")) for name in ("held_out", "fitted"))
    caption = (
        f"{which} of the path, scored by {held_out} held-out {kind}; the pairs are from the "
        f"{fitted} most frequent words. The z-score is that of the gain on the input, by CSLS or "
        "by cosine, whichever is less. Bold: the stopping point, which has the highest held-out "
        f"accuracy with z ≥ {REQUIRED_Z:g}, or the start if there is none"
    )
    return table([*heads.values()], rows, caption)


def _outliers(found: Analysis) -> str:
    if not found.outlier_count:
        pairs = f"{len(found.run.lexicon):,} pairs that it was fitted to"
        none = f"<p>None of the {pairs} lies beyond Q3 + 1.5 (Q3 − Q1) of their distances.</p>"
        return none if len(found.run.lexicon) else _no_pairs(found)
    rows = [
        [escape(source), escape(target), f"{distance:.3f}"]
        for source, target, distance in found.outliers
    ]
    caption = (
        f"The farthest {len(rows)} of {found.outlier_count:,} pairs beyond Q3 + 1.5 (Q3 − Q1) "
        "among those it was fitted to"
    )
    return table(["source", "target", "distance"], rows, caption)


def _no_pairs(found: Analysis) -> str:
    if len(found.run.lexicon):
        return '<p class="note">There are too few pairs to say anything.</p>'
    return '<p class="note">The pairs, lexicon.tsv, are not in the folder any more.</p>'


def _inputs(found: Analysis) -> str:
    record = found.run.record
    files = list[tuple[str, object, object]]()
    for name, entry in (record.get("inputs") or {}).items():
        facts = entry if isinstance(entry, dict) else {"path": entry}
        parts = facts.get("files") or {facts.get("path"): facts.get("sha256")}
        files += [(str(name), path, digest) for path, digest in parts.items()]
    files += [("lexicon", *entry) for entry in (record.get("lexicons") or {}).items()]
    # A pipe, such as the shell's <(…), can be read only once.
    tests = [test.lexicon for test in found.tests]
    files += [("test", path, sha256(path) if path.is_file() else "–") for path in tests]
    rows = [
        [escape(name), escape(str(path)), f"<code>{escape(str(digest))}</code>"]
        for name, path, digest in files
    ]
    settings = [
        [escape(str(key)), escape(figure(value))]
        for key, value in (record.get("parameters") or {}).items()
    ]
    seconds = [
        [escape(stage), f"{value:.1f} s"] for stage, value in (record.get("seconds") or {}).items()
    ]
    return (
        table(["input", "file", "SHA-256"], rows)
        + table(["parameter", "value"], settings, f"Parameters, seed {record.get('seed')}")
        + table(["stage", "time"], seconds)
    )


def _reproduction(found: Analysis) -> str:
    """The commands, those of what was refined first, and whom to cite for them."""
    record: Mapping[str, Any] | None = found.run.record
    versions = ", ".join(
        f"{name} {number}" for name, number in (found.run.record.get("versions") or {}).items()
    )
    commands, citations = list[str](), list[str]()
    while record is not None:
        words = ["lexalign", *map(str, (record.get("command") or [])[1:])]
        commands.insert(0, shlex.join(words))
        citations.insert(0, str(record.get("citation", "")))
        record = record.get("base")
    cited = "".join(f"<p>{escape(citation)}</p>" for citation in dict.fromkeys(citations))
    return (
        f'<pre>{escape(chr(10).join(commands))}</pre><p class="note">{escape(versions)}</p>{cited}'
    )
