"""The answer first: one or two sentences about a run or about several, and the figures behind."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from lexalign.aligners.health_scale import health_scale
from lexalign.evaluation import Bootstrap
from lexalign.evaluation.cautions import LOW_COVERAGE
from lexalign.report.analysis import Analysis
from lexalign.report.blocks import Commands, Tile, Verdict, plural
from lexalign.report.dictionary_section import SURE, is_judged
from lexalign.report.dictionary_test import DictionaryTest, MetricScore, difference
from lexalign.report.page_text import percent, percent_range, points, points_range, tone_of

NEARLY_ALL = 0.995
MATCHED = {
    True: "The health check shows that the two spaces match.",
    False: "The health check shows that the two spaces do not match: most translations are wrong.",
    None: "The health check cannot decide whether the two spaces match.",
}


def verdict_of(found: Analysis) -> Verdict:
    """The answer about one run."""
    if not found.tests:
        return _untested(found)
    test, score = found.tests[0], found.tests[0].main.score("p@1")
    if score.gain is None or score.before is None:
        share = percent(score.after.mean)
        known = percent_range(score.after.low, score.after.high)
        said = (
            f"The first translation is right for {share} of the test words (95 % interval {known})."
        )
        headline = f"{share} of the test words are translated correctly"
        return Verdict("level", headline, [said, *_limits(test)])
    return _compared(found, test, score, score.before, score.gain)


def _compared(
    found: Analysis, test: DictionaryTest, score: MetricScore, before: Bootstrap, gain: Bootstrap
) -> Verdict:
    tone = tone_of(gain) or "level"
    if found.ranked is not None:
        headline = {
            "good": "The learned ranking is better than nearest neighbours",
            "bad": "The learned ranking is worse than nearest neighbours",
            "level": "The learned ranking is not reliably better than nearest neighbours",
        }[tone]
        said = (
            f"The learned ranking translates {percent(score.after.mean)} of the test words "
            f"correctly, {_more(gain)} nearest neighbours by CSLS "
            f"(95 % interval {points_range(gain)} points)."
        )
        return Verdict(tone, headline, [said, *_limits(test)])
    if found.run.run.changed_nothing:
        said = (
            f"Refinement found nothing to improve and kept the input: {percent(score.after.mean)} "
            "of the test words are translated correctly, as before."
        )
        return Verdict("level", "Refinement changed nothing", [said, *_limits(test)])
    headline = {
        "good": "Refinement made the translations better",
        "bad": "Refinement made the translations worse",
        "level": "No reliable change",
    }[tone]
    said = (
        f"{points(gain.mean)} points, 95 % interval {points_range(gain)}: "
        f"{percent(before.mean)} of the test words were translated correctly before refinement, "
        f"{percent(score.after.mean)} after it."
    )
    return Verdict(tone, headline, [said, *_limits(test)])


def _more(gain: Bootstrap) -> str:
    size = f"{abs(round(100 * gain.mean, 1)):.1f} points"
    return f"{size} more than" if gain.mean >= 0 else f"{size} fewer than"


def _limits(test: DictionaryTest) -> list[str]:
    """What the score does not cover: unknown words, and seeds among the test words."""
    covered, sentences = test.after.coverage_words, list[str]()
    if covered.share < NEARLY_ALL:
        low = ", so it describes only frequent words" if covered.share < LOW_COVERAGE else ""
        sentences.append(f"The test covers {percent(covered.share, 0)} of its words{low}.")
    leakage = test.leakage
    if leakage is not None and leakage.queries and not test.without_seeds:
        sentences.append(
            f"{plural(leakage.queries, 'test word')} of {leakage.whole.queries:,} were also seeds, "
            "which flatters the score."
        )
    return sentences


def _untested(found: Analysis) -> Verdict:
    matched = None if found.health is None else found.health["matched"]
    said = [MATCHED[matched]]
    record: Mapping[str, Any] = found.run.record.get("induction") or {}
    headline = "Accuracy was not measured"
    if matched is False:
        headline = "The alignment failed"
    elif found.run.run.changed_nothing:
        said.insert(0, "Refinement found nothing to improve and kept the input.")
    elif "expected_precision" in record and is_judged(
        (record.get("ranking") or {}).get("forward") or {}
    ):
        said.insert(
            0,
            f"By its own probabilities, about {percent(record['expected_precision'], 0)} of the "
            "first translations in the dictionary are right.",
        )
    if headline == "The alignment failed":
        said.append("Accuracy was not measured.")
    said.append("To measure accuracy, give a test dictionary:")
    command = shlex.join(["lexalign", "report", str(found.run.run.path), "--lexicon", "TEST.txt"])
    return Verdict("bad" if matched is False else "open", headline, said, _measure(command))


def _measure(command: str) -> Commands:
    return Commands("How to measure accuracy", [command])


def verdict_of_runs(runs: Mapping[str, Analysis]) -> Verdict:
    """The answer about several runs: the best one, compared with the first."""
    first_name, first = next(iter(runs.items()))
    if not first.tests:
        failed = [
            name for name, found in runs.items() if (found.health or {}).get("matched") is False
        ]
        said = [
            f"The health check shows that the spaces of {', '.join(failed)} do not match."
            if failed
            else (
                "The health check found no failed alignment; it does not tell which run is better."
            ),
            "To compare accuracy, give a test dictionary:",
        ]
        folders = [str(found.run.run.path) for found in runs.values()]
        command = shlex.join(["lexalign", "report", *folders, "--lexicon", "TEST.txt"])
        tone = "bad" if failed else "open"
        return Verdict(tone, "Accuracy was not measured", said, _measure(command))
    shares = {name: found.tests[0].after.precision(1) for name, found in runs.items()}
    best = max(shares, key=lambda name: shares[name])
    limits = _limits(first.tests[0])
    if best == first_name:
        words = f"{percent(shares[best])} of the test words"
        sentences = [f"The first run, {best}, translates {words} correctly.", *limits]
        return Verdict("level", f"No run is better than {best}", sentences)
    found = difference(first.tests[0].after, runs[best].tests[0].after)
    if found is None:
        return Verdict("open", "The runs have no test word in common", limits)
    gain, tone = found[0], tone_of(found[0]) or "level"
    headline = (
        f"The run {best} translates best"
        if tone == "good"
        else f"No run is reliably better than {first_name}"
    )
    sentence = (
        f"The run {best} translates {percent(shares[best])} of the test words correctly, "
        f"{_more(gain)} the run {first_name} (95 % interval {points_range(gain)} points)."
    )
    return Verdict(tone, headline, [sentence, *limits])


def tiles_of(found: Analysis) -> list[Tile]:
    """The figures behind the verdict on one run."""
    tiles = list[Tile]()
    if found.tests:
        test = found.tests[0]
        score, covered = test.main.score("p@1"), test.after.coverage_words
        interval = f"95 % interval {percent_range(score.after.low, score.after.high)}"
        tiles.append(
            Tile(percent(score.after.mean), "of the test words translated correctly", interval)
        )
        if score.gain is not None:
            other = "nearest neighbours by CSLS" if found.ranked else "before refinement"
            tiles.append(
                Tile(f"{points(score.gain.mean)} points", f"compared with {other}",
                     f"95 % interval {points_range(score.gain)}", tone_of(score.gain))
            )  # fmt: skip
        rest = test.after.other_spelling
        if 0 < rest.queries < test.after.queries:
            note = f"{rest.queries:,} words; the others are often names"
            tiles.append(
                Tile(
                    percent(rest.precision(1)), "of words not identical to their translation", note
                )
            )
        tiles.append(
            Tile(percent(covered.share, 0), "of the test words have vectors",
                 f"{covered.known:,} of {covered.total:,}")
        )  # fmt: skip
    record: Mapping[str, Any] = found.run.record.get("induction") or {}
    if "words" in record:
        label = f"words have a translation with a probability of {SURE:g} or more"
        tiles.append(
            Tile(f"{record['sure_words']:,}", label, f"of {record['words']:,} in the dictionary")
        )
    if found.health is not None and not (found.tests and "words" in record):
        tiles.append(health_tile(found.health))
        tiles += [] if found.tests else _scaled_tiles(found.health)
    return tiles


def _scaled_tiles(health: Mapping[str, Any]) -> list[Tile]:
    """The two figures that the health check depends on, with what good alignments have."""
    scale = health_scale(health["dimension"]) if "dimension" in health else {}
    figures = {
        "found_again": (health.get("found_again"), "of the pairs found again"),
        "identical": (
            (health.get("identical") or {}).get("share"),
            "of identical words are each other's best match",
        ),
    }
    return [
        Tile(
            percent(value, 0),
            label,
            f"typical of good alignments: {percent_range(*scale[name].good, 0)}",
        )
        for name, (value, label) in figures.items()
        if value is not None and name in scale
    ]


def health_tile(health: Mapping[str, Any]) -> Tile:
    """The verdict of the health check; only a failure has a colour."""
    matched = health["matched"]
    text = {True: "Spaces match", False: "No match", None: "Undecided"}[matched]
    return Tile(text, "health check, not accuracy", tone="bad" if matched is False else "")


def tiles_of_runs(runs: Mapping[str, Analysis]) -> list[Tile]:
    """The accuracy of every run; without a test the health check of each."""
    tiles = list[Tile]()
    for name, found in runs.items():
        if found.tests:
            score = found.tests[0].main.score("p@1").after
            interval = f"95 % interval {percent_range(score.low, score.high)}"
            tiles.append(Tile(percent(score.mean), name, interval))
        elif found.health is not None:
            tile = health_tile(found.health)
            tiles.append(Tile(tile.value, name, tile.label, tile.tone))
    return tiles
