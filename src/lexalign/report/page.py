"""The report as one HTML page that needs nothing else: no script, no font, no other file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from html import escape
from importlib.resources import files
from pathlib import Path

from lexalign.atomic import atomic_file, require_writable
from lexalign.evaluation import bootstrap
from lexalign.evaluation.accuracy import contributions
from lexalign.evaluation.protocols import named
from lexalign.progress import Progress
from lexalign.report.analysis import RESAMPLES, Analysis, DictionaryTest, analyse
from lexalign.report.before_after import BeforeAfter
from lexalign.report.markup import figure, gained, percent, table
from lexalign.report.sections import lead, run_section
from lexalign.vectors import FREQUENT_WORDS, Lexicon


def report_files(
    folders: Sequence[Path],
    output: Path,
    *,
    lexicons: Sequence[Path] = (),
    protocol: str = "muse",
    exclude_seeds: bool = False,
    ranking: str = "auto",
    limit: int = FREQUENT_WORDS,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> list[Analysis]:
    """Write one page about the runs in these folders, tested on these lexicons.

    With ``exclude_seeds`` test words that are seeds of a run are left out. ``ranking`` says what
    orders translations: a "learned" one, "csls", or "auto" for a learned one where a run has it.
    """
    progress, rules = progress or Progress(), named(protocol)
    require_writable(output, overwrite=overwrite)
    lowercase = rules.case != "as-is"
    words = {path: Lexicon.read(path, lowercase=lowercase) for path in dict.fromkeys(lexicons)}
    found = [
        analyse(
            BeforeAfter.read(folder, limit=limit, progress=progress),
            words,
            rules,
            progress,
            exclude_seeds=exclude_seeds,
            ranking=ranking,
        )
        for folder in folders
    ]
    with progress.stage("writing"), atomic_file(output, overwrite=overwrite) as temporary:
        # Names of files that are not UTF-8 hold lone surrogates.
        temporary.write_text(render(found), encoding="utf-8", errors="backslashreplace")
    return found


def render(analyses: Sequence[Analysis]) -> str:
    """The whole page: a comparison if there are several runs, then each of them."""
    style = (files("lexalign.report") / "report.css").read_text("utf-8")
    many = len(analyses) > 1
    title = "Comparison of runs" if many else f"Run {analyses[0].run.name}"
    body = [f"<h1>{escape(title)}</h1>"]
    made = f"Made by Lexalign on {date.today().isoformat()}."
    if many:
        body.append(f'<p class="lead">{made}</p>')
        body.append(_comparison(analyses))
    for number, found in enumerate(analyses):
        if many:
            body.append(f'<h2 id="run{number}">{escape(found.run.name)}</h2>')
        body.append(f'<p class="lead">{escape(lead(found))}{"" if many else " " + made}</p>')
        body.append(run_section(found))
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{escape(title)} · Lexalign</title><style>{style}</style></head>\n"
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _comparison(analyses: Sequence[Analysis]) -> str:
    """One row a run, and the difference to the first by a paired bootstrap over the words."""
    first = analyses[0]
    rows = []
    for number, found in enumerate(analyses):
        health = found.health or {}
        row = [
            f'<a href="#run{number}">{escape(found.run.name)}</a>',
            escape(found.run.method + (", learned ranking" if found.ranked else "")),
            f"{len(found.run.lexicon):,}",
            figure(health.get("found_again")),
        ]
        for mine, other in zip(found.tests, first.tests, strict=True):
            score = mine.scores(["p@1"])[0].after
            row += [f"<b>{percent(score.mean)}</b>", _difference(mine, other, found is first)]
        rows.append(row)
    heads = [
        head for test in first.tests for head in (f"P@1 {test.lexicon.name}", "against the first")
    ]
    return table(["run", "method", "pairs", "found again (health, not accuracy)", *heads], rows)


def _difference(mine: DictionaryTest, other: DictionaryTest, is_first: bool) -> str:
    if is_first:
        return ""
    if mine.after.words != other.after.words:
        return "other words"
    gain = bootstrap(
        [contributions(mine.after.ranks, "p@1") - contributions(other.after.ranks, "p@1")],
        resamples=RESAMPLES,
    )
    return gained(gain)
