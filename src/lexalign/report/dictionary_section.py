"""An induced dictionary: size, probabilities, their reliability, and how it was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lexalign.errors import InputError
from lexalign.induction import Dictionary
from lexalign.induction.start import BY_SEEDS, FROM
from lexalign.report.analysis import Analysis
from lexalign.report.blocks import Block, Cell, Row, Section, Table, Text, number, word
from lexalign.report.page_text import percent, percent_range
from lexalign.report.probability_charts import probability_histogram, reliability_chart

EXAMPLES = 12
SURE = 0.8
DIRECTIONS = {"forward": "source to target", "backward": "target to source"}
ORDERED_BY = {"learned": "learned ranking", "csls": "CSLS"}


def dictionary_section(runs: Mapping[str, Analysis]) -> Section | None:
    """Everything about the dictionaries of inductions; None if no run is one."""
    induced = {name: found for name, found in runs.items() if found.run.record.get("induction")}
    if not induced:
        return None
    records = {name: found.run.record["induction"] for name, found in induced.items()}
    blocks = list[Block]()
    for name, record in records.items():
        blocks += _size(record, f"{name}: " if len(runs) > 1 else "")
    dictionaries = dict[str, Dictionary]()
    for name, found in induced.items():
        try:
            dictionaries[name] = found.run.run.dictionary.top(1)
        except InputError as error:
            blocks.append(Text(str(error), "warning"))
    filled = {name: first for name, first in dictionaries.items() if len(first)}
    if filled:
        blocks.append(probability_histogram({name: d.probability for name, d in filled.items()}))
    blocks += _reliability(records)
    if filled:
        blocks.append(_examples(filled, induced))
    blocks += [_directions(records), *_methods(records)]
    return Section("dictionary", "The dictionary", blocks)


def is_judged(direction: Mapping[str, Any]) -> bool:
    """Whether seeds judged the ranking, or else mutual pairs did."""
    return bool(direction.get("seed_words", True))


def _forward(record: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (record.get("ranking") or {}).get("forward") or {}
    return found


def _size(record: Mapping[str, Any], name: str) -> list[Block]:
    """How many words and translations, and how many of them are probably right."""
    if "words" not in record:
        return []
    trust = (
        f"By their mean probability, about {percent(record['expected_precision'], 0)} of the first "
        "translations are right. Probabilities are calibrated on held-out seed words; for much "
        "rarer words they can be too high."
        if is_judged(_forward(record))
        else "Probabilities are calibrated on mutual pairs, not on seed words, and are too high."
    )
    return [
        Text(
            f"{name}The dictionary has {record['translations']:,} translations of "
            f"{record['words']:,} words. {record['sure_words']:,} words have a first translation "
            f"with a probability of {SURE:g} or more. {trust}"
        )
    ]


def _reliability(records: Mapping[str, Mapping[str, Any]]) -> list[Block]:
    """Predicted and observed shares of right translations, as a chart and as a table."""
    series = {
        name: [(one["words"], one["probability"], one["right"]) for one in bins]
        for name, record in records.items()
        if (bins := _forward(record).get("reliability")) and is_judged(_forward(record))
    }
    if not series:
        return []
    many = len(records) > 1
    rows: list[Row] = [
        [*([name] if many else []), Cell(percent_range(_low(predicted), _low(predicted) + 0.1, 0)),
         number(f"{words:,}"), number(percent(predicted)), number(percent(observed))]
        for name, bins in series.items()
        for words, predicted, observed in bins
    ]  # fmt: skip
    heads = [
        *(["run"] if many else []),
        "probability",
        "words",
        "predicted, right",
        "observed, right",
    ]
    caption = "Reliability: first translations of held-out seed words, by their probability"
    return [reliability_chart(series), Table(caption, heads, rows)]


def _low(probability: float) -> float:
    """The lower end of the bin of a probability."""
    return min(int(probability * 10), 9) / 10


def _examples(dictionaries: Mapping[str, Dictionary], runs: Mapping[str, Analysis]) -> Block:
    """Some words across the first dictionary with their first translation in every dictionary."""
    first = next(iter(dictionaries.values()))
    count = min(EXAMPLES, len(first))
    words = [first.source[len(first) * number // count] for number in range(count)]
    accepted = dict[str, set[str]]()
    for found in runs.values():
        for answer in found.answers.listed if found.answers is not None else ():
            accepted.setdefault(answer.word, set()).update(answer.references)
    columns = [
        dict(zip(d.source, zip(d.target, d.probability, strict=True), strict=True))
        for d in dictionaries.values()
    ]
    rows = list[list[Cell | str]]()
    for one in words:
        row: list[Cell | str] = [word(one)]
        for column in columns:
            translation, chance = column.get(one, ("–", 0.0))
            row += [_marked(one, translation, accepted), number(f"{chance:.2f}")]
        rows.append(row)
    heads = ["word"]
    for name in dictionaries:
        of = f", {name}" if len(dictionaries) > 1 else ""
        heads += [f"first translation{of}", f"probability{of}"]
    return Table(f"{count} of {len(first):,} words, from frequent to rare ones", heads, rows)


def _marked(one: str, translation: str, accepted: Mapping[str, set[str]]) -> Cell:
    """A translation, marked if the word is in a test dictionary."""
    references = accepted.get(one.lower(), set()) | accepted.get(one, set())
    if not references:
        return word(translation)
    right = translation in references or translation.lower() in references
    return word(translation, "right" if right else "wrong")


def _directions(records: Mapping[str, Mapping[str, Any]]) -> Block:
    """What ranks candidates in each direction, with its accuracy on held-out seeds."""
    many, rows = len(records) > 1, list[list[Cell | str]]()
    directions = [
        (run, name, direction)
        for run, record in records.items()
        for name, direction in (record.get("ranking") or {}).items()
    ]
    for run, name, direction in directions:
        learned = direction.get("learned") or {}
        error = f"{direction['calibration_error']:.3f}" if is_judged(direction) else ""
        rows.append([
            *([run] if many else []),
            DIRECTIONS.get(name, name),
            ORDERED_BY.get(direction["kind"], str(direction["kind"])),
            number(f"{direction['seed_words']:,}"),
            number(percent(direction["csls"]["p@1"])),
            number(percent(learned["p@1"]) if learned else ""),
            number(error),
        ])  # fmt: skip
    judged = all(is_judged(direction) for _, _, direction in directions)
    words = "seed words" if judged else "mutual pairs where there are too few seed words"
    heads = ["direction", "ordered by", "seed words", "P@1, CSLS", "P@1, learned",
             "expected calibration error"]  # fmt: skip
    caption = f"Ranking of the candidates, with P@1 on held-out {words}"
    return Table(caption, [*(["run"] if many else []), *heads], rows)


def _methods(records: Mapping[str, Mapping[str, Any]]) -> list[Block]:
    """The tried aligners, the chosen one in bold, and the reason."""
    many, blocks, rows, by_health = len(records) > 1, list[Block](), list[list[Cell | str]](), False
    for run, record in records.items():
        choice: Mapping[str, Any] = record.get("choice") or {}
        trials: Sequence[Mapping[str, Any]] = choice.get("tried") or []
        start_named = f"{choice.get('method')}, from {FROM.get(record.get('start', BY_SEEDS))}"
        chosen = choice.get("method")
        if any(trial["method"] == start_named for trial in trials):
            chosen, by_health = start_named, True
        if choice.get("reason"):
            blocks.append(Text(f"{run}: {choice['reason']}" if many else str(choice["reason"])))
        rows += [
            [*([run] if many else []), *_trial(trial, is_chosen=trial["method"] == chosen)]
            for trial in trials
        ]
    tried = "in the health check" if by_health else "on held-out seeds, by CSLS"
    heads = ["method", "P@1", "words", "seconds", "remark"]
    caption = f"Aligners {tried}, with 95 % intervals. Bold: the chosen one"
    table = Table(caption, [*(["run"] if many else []), *heads], rows)
    return [*blocks, table] if rows else blocks


def _trial(trial: Mapping[str, Any], *, is_chosen: bool) -> list[Cell | str]:
    bounds = trial["interval"]
    return [
        Cell(str(trial["method"]), strong=is_chosen),
        number(
            "" if trial["p@1"] is None else percent(trial["p@1"]),
            "" if bounds is None else percent_range(*bounds),
        ),
        number(f"{trial['words']:,}"),
        number(f"{trial['seconds']:.1f}"),
        str(trial["remark"]),
    ]
