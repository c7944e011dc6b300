"""Translations word by word: what changed, with right and wrong translations marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lexalign.report.analysis import Analysis
from lexalign.report.answers import (
    BOTH_RIGHT,
    BOTH_WRONG,
    GAINED,
    GROUPS,
    LOST,
    NOT_TESTABLE,
    RIGHT,
    WRONG,
    Answer,
    Answers,
)
from lexalign.report.blocks import (
    Block,
    Cell,
    Disclosure,
    Row,
    Section,
    Table,
    Text,
    number,
    plural,
    word,
)
from lexalign.report.charts import group_chart
from lexalign.report.svg_drawing import BAD, GOOD, PLAIN, RULE, SERIES

MOST_LISTED = 15
MOST_REFERENCES = 4
COLOURS = {GAINED: GOOD, BOTH_RIGHT: SERIES[0], LOST: BAD, BOTH_WRONG: PLAIN, NOT_TESTABLE: RULE}
PLAIN_COLOURS = {RIGHT: SERIES[0], WRONG: PLAIN, NOT_TESTABLE: RULE}
MEANINGS = {
    GAINED: "wrong before, right now",
    LOST: "right before, wrong now",
    BOTH_RIGHT: "right both times",
    BOTH_WRONG: "wrong both times",
    NOT_TESTABLE: "the word, or every accepted translation of it, has no vector",
}
AXIS = "% of the words of the test dictionary"


def changes_section(runs: Mapping[str, Analysis]) -> Section | None:
    """What changed between before and after, or between the first run and each other one."""
    if len(runs) > 1:
        return _between_runs(runs)
    ((_, found),) = runs.items()
    answers = found.answers
    if answers is None:
        return None
    if not answers.compared:
        return Section("words", "Right and wrong translations", _plain(answers))
    blocks = _judged(answers, found.compared) if answers.judged else _unjudged(answers, found)
    return Section("changes", "What changed", blocks)


def _between_runs(runs: Mapping[str, Analysis]) -> Section | None:
    (first, base), *others = runs.items()
    compared = {
        name: found.answers.against(base.answers)
        for name, found in others
        if found.answers is not None and base.answers is not None
    }
    if not compared or not all(answers.judged for answers in compared.values()):
        return None
    counts = {name: answers.counts() for name, answers in compared.items()}
    rows: list[Row] = [
        [name, *(number(f"{count[group]:,}") for group in GROUPS)] for name, count in counts.items()
    ]
    blocks: list[Block] = [
        Text(f"Each run is compared with {first}, word by word, by all accepted translations."),
        _chart(counts),
        Table(f"Words of the test dictionary, compared with {first}", ["run", *GROUPS], rows),
    ]
    for name, answers in compared.items():
        for group in (GAINED, LOST):
            blocks += _group(answers.of(group), group, (first, name), label=f"{name}: ")
    return Section("changes", f"What changed compared with {first}", blocks)


def _chart(counts: Mapping[str, Mapping[str, int]]) -> Block:
    shown = {group: colour for group, colour in COLOURS.items()
             if any(count[group] for count in counts.values())}  # fmt: skip
    summary = "Right means: the first translation is one of the accepted ones."
    return group_chart("What happened to the test words", summary, counts, shown, AXIS)


def _judged(answers: Answers, compared: tuple[str, str] | None) -> list[Block]:
    """Five groups by what the test dictionary accepts."""
    counts, names = answers.counts(), compared or ("before", "after")
    total = sum(counts.values())
    rows = [
        [Cell(group.capitalize(), note=MEANINGS[group]), number(f"{counts[group]:,}"),
         number(f"{100 * counts[group] / max(1, total):.1f} %")]
        for group in GROUPS
    ]  # fmt: skip
    said = (
        f"{plural(len(answers.changed), 'word has', 'words have')} another first translation by "
        f"the {names[1]} than by {names[0]}: {counts[GAINED]:,} became right and "
        f"{counts[LOST]:,} became wrong."
        if names[0] == "CSLS"
        else f"{plural(len(answers.changed), 'word has', 'words have')} another first translation "
        f"than before: {counts[GAINED]:,} became right and {counts[LOST]:,} became wrong."
    )
    if not answers.changed:
        said = f"None of the {total:,} words has another first translation than before."
    blocks: list[Block] = [
        Text(said),
        _chart({"test words": counts}),
        Table("Words of the test dictionary", ["group", "words", "share"], rows),
    ]
    for group in GROUPS:
        blocks += _group(answers.of(group), group, names)
    return blocks


def _unjudged(answers: Answers, found: Analysis) -> list[Block]:
    """Without a test dictionary nobody knows which are right: only what differs."""
    names = found.compared or ("before", "after")
    another = "another first translation than before"
    if found.ranked is not None:
        another = "another first translation by the learned ranking than by CSLS"
    watched = f"the {len(answers.listed):,} most frequent words"
    if not answers.changed:
        return [Text(f"None of {watched} has {another}.")]
    changed = answers.changed
    said = f"{len(changed):,} of {watched} have {another}. Which are right was not tested."
    rows = [[word(one.word), word(one.before or ""), word(one.after or "", strong=True)]
            for one in changed[:MOST_LISTED]]  # fmt: skip
    caption = f"The most frequent {len(rows):,} of {len(changed):,} words that changed"
    return [Text(said), Table(caption, ["word", *names], rows)]


def _plain(answers: Answers) -> list[Block]:
    """Right and wrong translations of a run that nothing came before."""
    counts = answers.counts()
    named = {RIGHT: counts[GAINED], WRONG: counts[BOTH_WRONG], NOT_TESTABLE: counts[NOT_TESTABLE]}
    shown = {group: colour for group, colour in PLAIN_COLOURS.items() if named[group]}
    summary = "Right means: the first translation is one of the accepted ones."
    blocks: list[Block] = [
        group_chart("The test words", summary, {"test words": named}, shown, AXIS)
    ]
    for group, title in ((BOTH_WRONG, WRONG), (GAINED, RIGHT), (NOT_TESTABLE, NOT_TESTABLE)):
        blocks += _group(answers.of(group), group, None, title=title)
    return blocks


def _group(
    answers: Sequence[Answer],
    group: str,
    names: tuple[str, str] | None,
    *,
    label: str = "",
    title: str | None = None,
) -> list[Block]:
    """The words of a group, the most frequent first; those that changed lead."""
    if not answers:
        return []
    chosen = sorted(answers, key=lambda answer: not answer.changed)[:MOST_LISTED]
    title = title or group
    listed = f"{label}{title.capitalize() if not label else title}, {plural(len(answers), 'word')}"
    if len(chosen) < len(answers):
        listed += f", {len(chosen)} shown"
    if group == NOT_TESTABLE:
        heads = ["word", "accepted translations"]
        rows = [[word(one.word), word(_references(one))] for one in chosen]
    elif names is None:
        heads = ["word", "translation", "accepted translations"]
        rows = [[word(one.word), _marked(one.after, one.is_right), word(_references(one))]
                for one in chosen]  # fmt: skip
    else:
        heads = ["word", *names, "accepted translations"]
        rows = [
            [word(one.word), _marked(one.before, one.was_right), _marked(one.after, one.is_right),
             word(_references(one))]
            for one in chosen
        ]  # fmt: skip
    table = Table(listed, heads, rows)
    return [Disclosure(listed, [table], is_open=group in (GAINED, LOST) and names is not None)]


def _references(answer: Answer) -> str:
    shown = ", ".join(answer.references[:MOST_REFERENCES])
    more = len(answer.references) - MOST_REFERENCES
    return f"{shown} and {more} more" if more > 0 else shown


def _marked(text: str | None, right: bool) -> Cell:
    return word(text or "–", RIGHT if right else WRONG)
