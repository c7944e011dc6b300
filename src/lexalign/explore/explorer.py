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
from lexalign.explore.csls_choices import NAME as CSLS_CHOICES
from lexalign.explore.csls_choices import known_csls_choices
from lexalign.explore.neighbourhoods import known_neighbourhoods
from lexalign.explore.path_of_run import known_path, load_path
from lexalign.explore.preparation import DONE, PATH, RANKING, Preparation, PreparationStage
from lexalign.explore.run_ranking import RankingLoader
from lexalign.explore.space import Space
from lexalign.explore.suggestions import Spelling
from lexalign.explore.vectors import open_languages
from lexalign.explore.vocabulary import VocabularyMap, known_vocabulary
from lexalign.explore.workbench import Workbench
from lexalign.pipelines.translate import ranked_run
from lexalign.progress import Progress
from lexalign.runs import AlignedPair, Run
from lexalign.spaces.linear_map import SIDES
from lexalign.vectors import FREQUENT_WORDS


@dataclass(frozen=True)
class View:
    """What can be answered at a moment; ``revision`` grows whenever more can be."""

    space: Space
    stage: PreparationStage
    revision: int
    vocabulary: VocabularyMap | None = None


class Explorer:
    """One run, explored: answers come from the ``view``, which gets better while work goes on.

    With ``ranked`` translations come from the learned ranking of the run. Its vectors are then
    shown as they are, without the refinement that an alignment could have.
    """

    def __init__(
        self,
        run: Run,
        cache: Path,
        limit: int,
        progress: Progress,
        *,
        temporary: bool,
        names: tuple[str, str] | None = None,
        ranked: bool = False,
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
        self.workbench = Workbench.of(run, *self._languages)
        self._loader = RankingLoader(run, *self._languages) if ranked else None
        self._view = View(self._known_space(), DONE, 0, self._known_vocabulary())
        if not self._is_complete():
            self._preparation = Preparation(run.path, cache, limit, refine=not ranked)
        self._view = replace(self._view, stage=self._stage())
        self._compare_with_csls()

    def view(self) -> View:
        """The space as it is known now."""
        with self._lock:
            stage = self._stage()
            if stage != self._view.stage or self._has_new_ranking():
                self._advance(stage)
            return self._view

    @property
    def ranking_state(self) -> str | None:
        """How far the learned ranking is, None if none is used."""
        return None if self._loader is None else self._loader.state

    def wait_for_ranking(self) -> None:
        """Wait until the learned ranking is loaded, or cannot be."""
        if self._loader is not None:
            self._loader.wait()

    def close(self) -> None:
        """End the work that still goes on."""
        if self._preparation is not None:
            self._preparation.stop()

    def _advance(self, stage: PreparationStage) -> None:
        """Look at the cache again whenever a piece of work has come to its end."""
        view = self._view
        is_same = (stage.state, stage.name) == (view.stage.state, view.stage.name)
        if is_same and not self._has_new_ranking():
            self._view = replace(view, stage=stage)
        else:
            self._view = View(
                self._known_space(), stage, view.revision + 1, self._known_vocabulary()
            )
            self._compare_with_csls()

    def _compare_with_csls(self) -> None:
        """Give the workbench the translations by CSLS once they are known."""
        if self.workbench is not None and not self.workbench.is_compared:
            found = known_csls_choices(self._cache, *self._languages)
            if found is not None:
                self.workbench.compare_with(found)

    def _stage(self) -> PreparationStage:
        """How far the work is, that of the other process first."""
        stage = DONE if self._preparation is None else self._preparation.stage
        if self._loader is None or stage.state != "done" or self._loader.state == "ready":
            return stage
        if self._loader.state == "loading":
            return PreparationStage("running", RANKING)
        return PreparationStage("failed", message=self._loader.problem)

    def _has_new_ranking(self) -> bool:
        return self._loader is not None and self._loader.ranking is not self._view.space.ranking

    def _is_complete(self) -> bool:
        has_path = self._loader is not None or (self._cache / PATH).is_file()
        is_compared = self.workbench is None or (self._cache / CSLS_CHOICES).is_file()
        has_rest = None not in (self._view.space.neighbourhoods, self._view.vocabulary)
        return has_path and is_compared and has_rest

    def _known_vocabulary(self) -> VocabularyMap | None:
        return known_vocabulary(*self._languages, self._cache)

    def _known_space(self) -> Space:
        source, target = self._languages
        path = known_path(self.run, source.dimension)
        if self._loader is None and (self._cache / PATH).is_file():
            path = load_path(self._cache / PATH)
        neighbourhoods = known_neighbourhoods(source, target, path, self._cache)
        ranking = None if self._loader is None else self._loader.ranking
        return Space(source, target, path, neighbourhoods, ranking)


@contextmanager
def open_explorer(
    folder: Path,
    *,
    limit: int = FREQUENT_WORDS,
    cache: Path | None = None,
    names: tuple[str, str] | None = None,
    ranking: str = "auto",
    progress: Progress | None = None,
) -> Iterator[Explorer]:
    """Open the run in ``folder``; what is worked out is kept in ``cache`` or beside the run.

    ``names`` are what to call the two languages. ``ranking`` says what orders translations: a
    "learned" ranking, "csls", or "auto" for a learned one where the run has it.
    """
    run = Run.open(folder).require_pair()
    ranked = ranked_run(AlignedPair(*run.files, folder=folder), ranking) is not None
    with cache_folder(run, limit, cache) as place:

        def explore() -> Explorer:
            temporary = is_temporary(place, run, cache)
            return Explorer(
                run,
                place,
                limit,
                progress or Progress(),
                temporary=temporary,
                names=names,
                ranked=ranked,
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
