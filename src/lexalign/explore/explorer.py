"""The state of a running explorer: the space as far as it is known, and what is still to come."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lexalign.errors import InputError
from lexalign.explore.cache import (
    cache_folder,
    empty,
    is_damage,
    is_temporary,
    require_unchanged,
)
from lexalign.explore.neighbourhoods import known_neighbourhoods
from lexalign.explore.path_of_run import known_path, load_path
from lexalign.explore.preparation import DONE, PATH, Preparation, PreparationStage
from lexalign.explore.space import Space
from lexalign.explore.suggestions import Spelling
from lexalign.explore.vectors import open_languages
from lexalign.progress import Progress
from lexalign.runs import Run
from lexalign.spaces.linear_map import SIDES
from lexalign.vectors import FREQUENT_WORDS


@dataclass(frozen=True)
class View:
    """What can be answered at a moment; ``revision`` grows whenever more can be."""

    space: Space
    stage: PreparationStage
    revision: int


class Explorer:
    """One run, explored: answers come from the ``view``, which gets better while work goes on."""

    def __init__(
        self,
        run: Run,
        cache: Path,
        limit: int,
        progress: Progress,
        *,
        temporary: bool,
        names: tuple[str, str] | None = None,
    ) -> None:
        self.run, self.temporary = run, temporary
        self.names = dict(zip(SIDES, names, strict=True)) if names else run.language_names
        self._cache = cache
        self._lock = threading.Lock()
        self._preparation: Preparation | None = None
        self._languages = open_languages(run, cache, limit, progress)
        with progress.stage("sorting words"):
            self.spelling = {
                side: Spelling(words.words)
                for side, words in zip(SIDES, self._languages, strict=True)
            }
        self._view = View(self._known_space(), DONE, 0)
        if not self._is_complete():
            self._preparation = Preparation(run.path, cache, limit)
            self._view = replace(self._view, stage=self._preparation.stage)

    def view(self) -> View:
        """The space as it is known now."""
        with self._lock:
            if self._preparation is not None:
                stage = self._preparation.stage
                if stage != self._view.stage:
                    self._advance(stage)
            return self._view

    def close(self) -> None:
        """End the work that still goes on."""
        if self._preparation is not None:
            self._preparation.stop()

    def _advance(self, stage: PreparationStage) -> None:
        """Look at the cache again whenever a piece of work has come to its end."""
        view = self._view
        if (stage.state, stage.name) == (view.stage.state, view.stage.name):
            self._view = replace(view, stage=stage)
        else:
            self._view = View(self._known_space(), stage, view.revision + 1)

    def _is_complete(self) -> bool:
        return (self._cache / PATH).is_file() and self._view.space.neighbourhoods is not None

    def _known_space(self) -> Space:
        source, target = self._languages
        path = known_path(self.run, source.dimension)
        if (self._cache / PATH).is_file():
            path = load_path(self._cache / PATH)
        return Space(source, target, path, known_neighbourhoods(source, target, path, self._cache))


@contextmanager
def open_explorer(
    folder: Path,
    *,
    limit: int = FREQUENT_WORDS,
    cache: Path | None = None,
    names: tuple[str, str] | None = None,
    progress: Progress | None = None,
) -> Iterator[Explorer]:
    """Open the run in ``folder``; what is worked out is kept in ``cache`` or beside the run.

    ``names`` are what to call the two languages.
    """
    run = Run.open(folder).require_pair()
    with cache_folder(run, limit, cache) as place:

        def explore() -> Explorer:
            temporary = is_temporary(place, run, cache)
            return Explorer(
                run, place, limit, progress or Progress(), temporary=temporary, names=names
            )

        try:
            explorer = explore()
        except (InputError, OSError) as error:
            if not is_damage(error, place):
                raise
            empty(place)
            explorer = explore()
        try:
            require_unchanged(place, run, limit)
            yield explorer
        finally:
            explorer.close()
