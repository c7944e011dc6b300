"""Figures and reports from files to files: what is asked for is checked first, written last."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from lexalign.atomic import atomic_file, require_writable
from lexalign.errors import OutputError
from lexalign.evaluation.protocols import named
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.report.analysis import Analysis, findings
from lexalign.report.before_after import BeforeAfter
from lexalign.report.distance_figure import draw, require_matplotlib, save
from lexalign.report.distances import (
    PAPER_LOSSES,
    DistanceChange,
    distance_changes,
    refiners_by_loss,
)
from lexalign.report.page import render
from lexalign.runs import AlignedPair
from lexalign.vectors import Lexicon, Policy

FIGURES = ("png", "svg", "pdf")
DATA = "csv"


def figure_files(
    pair: AlignedPair,
    outputs: Sequence[Path],
    refiner: Refiner,
    *,
    losses: Sequence[str] = PAPER_LOSSES,
    uniform: bool = False,
    limit: int = 200_000,
    policy: Policy | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> DistanceChange:
    """Draw how refinement changes the distances of a pair, into one file a name of ``outputs``.

    The suffix of a name decides: .png, .svg and .pdf get the figure, .csv its data.
    """
    progress = progress or Progress()
    formats = {path: output_format(path) for path in outputs}
    for path in formats:
        require_writable(path, overwrite=overwrite)
    if set(formats.values()) - {DATA}:
        require_matplotlib()
    refiners_by_loss(refiner, losses)
    sides = pair.read(policy or Policy(), limit=limit, unit=False, progress=progress)
    changes = distance_changes(*sides, refiner, losses=losses, progress=progress)
    with progress.stage("writing"), ExitStack() as files:
        for path, format in formats.items():
            temporary = files.enter_context(atomic_file(path, overwrite=overwrite))
            if format == DATA:
                temporary.write_text(changes.csv(), encoding="utf-8")
            else:
                save(draw(changes, uniform=uniform), temporary, format)
    return changes


def report_files(
    folders: Sequence[Path],
    output: Path,
    *,
    lexicons: Sequence[Path] = (),
    protocol: str = "muse",
    limit: int = 200_000,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> list[Analysis]:
    """Write one page about the runs in these folders, tested on these lexicons."""
    progress, rules = progress or Progress(), named(protocol)
    require_writable(output, overwrite=overwrite)
    lowercase = rules.case != "as-is"
    words = {path: Lexicon.read(path, lowercase=lowercase) for path in dict.fromkeys(lexicons)}
    found = [
        findings(BeforeAfter.read(folder, limit=limit, progress=progress), words, rules, progress)
        for folder in folders
    ]
    with progress.stage("writing"), atomic_file(output, overwrite=overwrite) as temporary:
        temporary.write_text(render(found), encoding="utf-8")
    return found


def output_format(path: Path) -> str:
    """What the suffix of a name asks for."""
    format = path.suffix.lower().removeprefix(".")
    if format not in (*FIGURES, DATA):
        ending = repr(path.suffix) if path.suffix else "nothing"
        raise OutputError(
            f"{path}: a figure cannot end in {ending}; let its name end in .png, .svg or .pdf, or "
            "in .csv for the data."
        )
    return format
