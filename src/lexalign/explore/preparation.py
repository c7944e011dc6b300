"""Long work in a process of its own: the path of the refinement, CSLS, a map of the vocabulary.

It runs at the lowest priority while the page already answers, writes what it finds to the cache,
and gives its memory back when it is done.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from lexalign.errors import LexalignError
from lexalign.explore.background import Background
from lexalign.explore.cache import require_unchanged
from lexalign.explore.csls_choices import find_csls_choices
from lexalign.explore.neighbourhoods import find_neighbourhoods
from lexalign.explore.path_of_run import known_path, load_path, save_path, whole_path
from lexalign.explore.vectors import open_languages
from lexalign.explore.vocabulary import find_vocabulary
from lexalign.runs import LAYOUT, Run

PATH = "path.safetensors"
REFINEMENT, CSLS, RANKING = "the refinement", "CSLS", "the learned ranking"
COMPARISON = "translations by CSLS"
VOCABULARY = "the map of the vocabulary"


class PreparationStage(NamedTuple):
    """How far the preparation is: "running", "done" or "failed", with a word on it.

    ``name`` says what is being computed, ``share`` how much of it is done if that is known, and
    ``message`` is a sentence about a failure.
    """

    state: str
    name: str | None = None
    share: float | None = None
    message: str | None = None


DONE = PreparationStage("done")
Report = Callable[[PreparationStage], None]


def prepare(folder: Path, cache: Path, limit: int, report: Report, *, refine: bool = True) -> None:
    """Work out what ``cache`` does not hold yet about the run in ``folder``.

    Without ``refine``, the path is left out. If the spaces cannot be refined, the page has no path,
    but has CSLS and the map.
    """
    run, failure = Run.open(folder).require_pair(), None
    source, target = open_languages(run, cache, limit)

    def require_same_files() -> None:
        require_unchanged(cache, run, limit)

    require_same_files()
    if not refine:
        path = known_path(run, source.dimension)
    elif (cache / PATH).is_file():
        path = load_path(cache / PATH)
    else:
        report(PreparationStage("running", REFINEMENT))
        try:
            path = whole_path(run, source, target)
            require_same_files()
            save_path(path, cache / PATH)
        except LexalignError as error:
            require_same_files()
            path, failure = known_path(run, source.dimension), str(error)
    report(PreparationStage("running", CSLS, 0.0))
    neighbourhoods = find_neighbourhoods(
        source,
        target,
        path,
        cache,
        report=lambda share: report(PreparationStage("running", CSLS, share)),
        before_writing=require_same_files,
    )
    if (run.path / LAYOUT.dictionary).is_file():
        report(PreparationStage("running", COMPARISON, 0.0))
        find_csls_choices(
            source,
            target,
            neighbourhoods,
            cache,
            report=lambda share: report(PreparationStage("running", COMPARISON, share)),
            before_writing=require_same_files,
        )
    report(PreparationStage("running", VOCABULARY, 0.0))
    find_vocabulary(
        source,
        target,
        cache,
        report=lambda share: report(PreparationStage("running", VOCABULARY, share)),
        before_writing=require_same_files,
    )
    report(DONE if failure is None else PreparationStage("failed", message=failure))


class Preparation:
    """The process at work, and how far it is."""

    def __init__(self, folder: Path, cache: Path, limit: int, *, refine: bool = True) -> None:
        self._latest = PreparationStage("running", REFINEMENT if refine else CSLS)
        self._work = Background(
            _prepare_quietly, folder, cache, limit, refine, on_report=self._hear
        )

    @property
    def stage(self) -> PreparationStage:
        """What it last said, or why it ended without a word."""
        failure = self._work.outcome
        return PreparationStage("failed", message=failure) if failure else self._latest

    def stop(self) -> None:
        """End it if it still runs; what it has written stays."""
        self._work.stop()

    def _hear(self, stage: PreparationStage) -> None:
        self._latest = stage


def _prepare_quietly(folder: Path, cache: Path, limit: int, refine: bool, report: Report) -> None:
    with contextlib.suppress(OSError, AttributeError):  # Windows has no such call
        os.nice(19)
    prepare(folder, cache, limit, report, refine=refine)
