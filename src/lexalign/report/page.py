"""``lexalign report``: one page about one or several runs that needs nothing else to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from lexalign.atomic import atomic_file, claim_file
from lexalign.evaluation.protocols import named
from lexalign.progress import Progress
from lexalign.report.accuracy_section import accuracy_section
from lexalign.report.analysis import Analysis, analyse
from lexalign.report.before_after import BeforeAfter
from lexalign.report.blocks import Page, Section
from lexalign.report.changes_section import changes_section
from lexalign.report.comparison_section import comparison_section
from lexalign.report.dictionary_section import dictionary_section
from lexalign.report.distance_section import distance_section, outlier_section
from lexalign.report.health_section import health_section
from lexalign.report.history_section import history_section
from lexalign.report.provenance_section import provenance_section, reproduction_section
from lexalign.report.svg_drawing import require_drawing
from lexalign.report.templating import render_page
from lexalign.report.verdict import tiles_of, tiles_of_runs, verdict_of, verdict_of_runs
from lexalign.vectors import FREQUENT_WORDS, Lexicon

LOSSES = {"l1": "ℓ1", "l2": "ℓ2", "l21": "ℓ2,1"}


def report_files(
    folders: Sequence[Path],
    output: Path,
    *,
    lexicons: Sequence[Path] = (),
    protocol: str = "muse",
    exclude_seeds: bool = False,
    ranking: str = "auto",
    names: tuple[str, str] | None = None,
    limit: int = FREQUENT_WORDS,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> list[Analysis]:
    """Write one page about the runs in these folders, tested on these lexicons.

    With ``exclude_seeds``, test words that are seeds of a run are left out. ``ranking`` sets the
    order of translations: a "learned" ranking, "csls", or "auto" for a learned ranking if a run has
    one. ``names`` are the names of the two languages; by default, the names of the aligned files.

    Raises
    ------
    MissingExtraError
        If the libraries that draw the page are not installed.
    """
    progress, rules = progress or Progress(), named(protocol)
    require_drawing()
    claim = claim_file(output, overwrite=overwrite)
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
    with progress.stage("writing"), atomic_file(output, claim=claim) as temporary:
        # Names of files that are not UTF-8 hold lone surrogates.
        temporary.write_text(render(found, names), encoding="utf-8", errors="backslashreplace")
    return found


def render(analyses: Sequence[Analysis], names: tuple[str, str] | None = None) -> str:
    """The whole page: the verdict, then the same sections for one run or for several."""
    return render_page(page_of(labelled(analyses), names))


def page_of(runs: Mapping[str, Analysis], names: tuple[str, str] | None = None) -> Page:
    """What the page says, without markup."""
    name, found = next(iter(runs.items()))
    source, target = names or tuple(found.run.run.language_names.values())
    made = f"Lexalign, {date.today().isoformat()}."
    sections: list[Section | None] = [
        comparison_section(runs),
        accuracy_section(runs),
        changes_section(runs),
        dictionary_section(runs),
        health_section(runs),
        distance_section(runs),
        history_section(runs),
        outlier_section(runs),
        provenance_section(runs),
        reproduction_section(runs),
    ]
    shown = [section for section in sections if section is not None]
    title = f"{source} → {target}"
    if len(runs) > 1:
        subtitle = f"{len(runs)} runs compared: {', '.join(runs)}."
        return Page(title, subtitle, verdict_of_runs(runs), tiles_of_runs(runs), shown, made)
    subtitle = f"Run {name}: {described(found)}."
    return Page(title, subtitle, verdict_of(found), tiles_of(found), shown, made)


def labelled(analyses: Sequence[Analysis]) -> dict[str, Analysis]:
    """The runs by the names of their folders, or by their paths where a name occurs twice."""
    names = [found.run.name for found in analyses]
    labels = [
        str(found.run.run.path) if names.count(name) > 1 else name
        for name, found in zip(names, analyses, strict=True)
    ]
    return {
        label if label not in labels[:place] else f"{label} ({place + 1})": found
        for place, (label, found) in enumerate(zip(labels, analyses, strict=True))
    }


def described(found: Analysis) -> str:
    """What a run is, in a few words."""
    run = found.run
    words = f"{len(run.source):,} source and {len(run.target):,} target words"
    if run.run.has_ranking:
        return f"an induced dictionary, {words}"
    if run.rotation is None:
        return f"aligned by {run.method}, {words}"
    loss = str(run.record["parameters"]["loss"])
    done = "left unchanged by refinement" if run.run.changed_nothing else "refined"
    return f"{done} ({LOSSES.get(loss, loss)}), {words}"
